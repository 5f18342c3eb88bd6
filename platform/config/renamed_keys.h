// The keys and values of configuration files that were different before. A file or an override that still
// uses an old one is refused, and the message says how it is written now.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

struct RenamedKey {
  std::string_view old_path;  // the key, with the keys of the enclosing objects if it is renamed only there
  std::string_view new_key;
};

// A key that was replaced by something else than another key of its object, or that is looked for in a wrong
// object, or a value that is not valid any more.
struct ReplacedKey {
  std::string_view old_path;
  std::string_view old_value;  // as a message shows it; "" for any value, or for the key itself
  std::string_view now;        // a clause that follows a semicolon in the message
};

// All of them, sorted by the old path.
std::span<const RenamedKey> renamed_keys();
std::span<const ReplacedKey> replaced_keys();

// The present name of the unknown key at a dotted path ("node.faults.0.plant"), out of the keys that its
// object has; nullopt if the key was not renamed. A path in the table applies to each object whose path ends
// with it, because an object may be read from a file of its own; an index into a list is no part of it.
std::optional<std::string_view> new_name_of(std::string_view path, const std::vector<std::string>& keys);

// What a message adds about the unknown key at a path, or about the refused value there; "" if neither was
// ever valid.
std::string change_of_key(std::string_view path, const std::vector<std::string>& keys);
std::string change_of_value(std::string_view path, std::string_view value);

}  // namespace asterism
