// A JSON value that remembers where it was written: what the reader reads. Overrides are assignments into
// such a tree, made before anything knows which keys are valid; the reader then complains about them like
// about any other value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/described_value.h"
#include "platform/config/diagnostics.h"

namespace asterism {

struct ConfigMember;

struct ConfigValue {
  using Null = std::monostate;
  using List = std::vector<ConfigValue>;
  using Object = std::vector<ConfigMember>;  // in the order of the file

  std::variant<Null, PlainValue, List, Object> content;
  Origin origin;
  std::string raw;  // of a scalar: its text as written
  // Who has the last word: a file that is used by another is below it, the command line is above all.
  int layer = 0;

  bool is_null() const { return std::holds_alternative<Null>(content); }
  const PlainValue* scalar() const { return std::get_if<PlainValue>(&content); }
  List* list() { return std::get_if<List>(&content); }
  const List* list() const { return std::get_if<List>(&content); }
  Object* object() { return std::get_if<Object>(&content); }
  const Object* object() const { return std::get_if<Object>(&content); }

  // What stands under a key; nullptr when there is none or this is no object.
  ConfigMember* member(std::string_view key);
  const ConfigMember* member(std::string_view key) const;
  ConfigValue* find(std::string_view key);
  const ConfigValue* find(std::string_view key) const;
  void erase(std::string_view key);

  // How a message shows it: "12.4ms" in quotes, 5, an object, a list, null.
  std::string shown() const;
};

struct ConfigMember {
  std::string key;
  Origin key_origin;
  ConfigValue value;
};

void set_layer(ConfigValue& value, int layer);
void set_origin(ConfigValue& value, const Origin& origin);

constexpr int command_line_layer = 1000;
constexpr std::size_t deepest_nesting = 64;  // of a file and of a dotted path

// "node" and "memory" to "node.memory"; nothing before the first.
std::string join_path(std::string_view path, std::string_view key);
std::vector<std::string> split_path(std::string_view path);

// Puts a value at a dotted path, the key of `assignment`, making objects on the way. An object merges key by
// key into one that is there; an empty one, one with "use", and anything else replaces. A number is an index into a
// list; the one past its end appends. Beside a "use" the rest of the path is kept as a dotted key, to be
// assigned once the used file is known. What cannot be done is added to `problems`, with `prefix` before the
// path.
void assign(ConfigValue& root, ConfigMember assignment, Diagnostics& problems, std::string_view prefix = "");

}  // namespace asterism
