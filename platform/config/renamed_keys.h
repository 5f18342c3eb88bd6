// The keys of configuration files that had another name before. A file or an override that still uses an old
// key is refused, and the message names the new one.
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

// All of them, sorted by the old path.
std::span<const RenamedKey> renamed_keys();

// The present name of the unknown key at a dotted path ("node.faults.0.plant"), out of the keys that its
// object has; nullopt if the key was not renamed. A path in the table applies to each object whose path ends
// with it, because an object may be read from a file of its own; an index into a list is no part of it.
std::optional<std::string_view> new_name_of(std::string_view path, const std::vector<std::string>& keys);

}  // namespace asterism
