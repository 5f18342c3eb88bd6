// The folder of a run that has ended, as `asterism compare` reads it: host/run_directory.h says what is in
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/page_map.h"
#include "base/units.h"

namespace asterism {

struct RecordedEvent {
  Picoseconds at;
  std::string source, kind;
  nlohmann::ordered_json details;  // an object
  bool operator==(const RecordedEvent&) const = default;
};

struct RunFolder {
  std::filesystem::path path;
  nlohmann::ordered_json scenario, stats, host;
  std::vector<RecordedEvent> events;

  // Throws InputMissing if there is no run there, and ConfigError if a file of it is damaged. The folder
  // DIR.partial of a run that was interrupted has no `stats`.
  static RunFolder read(const std::filesystem::path& path);

  // False for a run that was killed, or that goes on: it has written no statistics.
  bool is_complete() const { return !stats.empty(); }
  // The end of the simulation, or the last event of a run that is not complete.
  Picoseconds last_known_time() const;
  // The contents of a file of the run; "" if it has none of this name.
  std::string text_of(const std::string& name) const;
  // What has happened to pages and blocks; nullopt if the run has not recorded it. Throws ConfigError if the
  // file is damaged.
  std::optional<PageMap> page_map() const;
  // The names of the files below a folder of the run, sorted: "files/result.txt".
  std::vector<std::string> files_below(const std::string& folder) const;
};

// The number of an object under a name; 0 if there is none.
std::uint64_t number_in(const nlohmann::ordered_json& object, const char* name);

// A value of a tree of JSON objects and arrays, by its path: {"node.cores.count", 4}.
struct FlatValue {
  std::string path;
  nlohmann::ordered_json value;
};
// In the order of the tree. Arrays of values are values, and objects in arrays have their index in the path.
std::vector<FlatValue> flattened(const nlohmann::ordered_json& tree);

}  // namespace asterism
