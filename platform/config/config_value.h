// A JSON value that records where it was written; the input of the reader. Overrides are assignments into
// such a tree. They are applied before the valid keys are known, and the reader then checks them like any
// other value.
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
  std::string raw;  // the text of a scalar as it was written
  // The priority of the value: a file has a higher layer than the file that it uses, and the command line the
  // highest.
  int layer = 0;
  bool removes = false;  // a null that has replaced a value

  bool is_null() const { return std::holds_alternative<Null>(content); }
  const PlainValue* scalar() const { return std::get_if<PlainValue>(&content); }
  List* list() { return std::get_if<List>(&content); }
  const List* list() const { return std::get_if<List>(&content); }
  Object* object() { return std::get_if<Object>(&content); }
  const Object* object() const { return std::get_if<Object>(&content); }

  // The member with a key; nullptr if there is none or if this is not an object.
  ConfigMember* member(std::string_view key);
  const ConfigMember* member(std::string_view key) const;
  ConfigValue* find(std::string_view key);
  const ConfigValue* find(std::string_view key) const;
  void erase(std::string_view key);

  // The value as a message shows it: "12.4ms" in quotes, 5, an object, a list, null.
  std::string message_text() const;
};

struct ConfigMember {
  std::string key;
  Origin key_origin;
  ConfigValue value;
};

void set_layer(ConfigValue& value, int layer);
void set_origin(ConfigValue& value, const Origin& origin);
void set_left_out(ConfigMember& member, const std::string& left_out);  // Origin::left_out of key and value

constexpr int command_line_layer = 1000;
constexpr std::size_t deepest_nesting = 64;  // levels, in a file and in a dotted path

// Joins "node" and "memory" to "node.memory". An empty path or key adds no dot.
std::string join_path(std::string_view path, std::string_view key);
std::vector<std::string> split_path(std::string_view path);

// Sets the value at a dotted path, which is the key of `assignment`, and creates objects on the way. A
// non-empty object without "use" is merged key by key into an existing object; any other value replaces the
// existing one. A number is an index into a list; the index one past its end appends. Next to a "use" the
// rest of the path is kept as a dotted key, and is assigned when the used file is known. Errors are added to
// `problems`, with `prefix` in front of the path.
void assign(ConfigValue& root, ConfigMember assignment, Diagnostics& problems, std::string_view prefix = "");

}  // namespace asterism
