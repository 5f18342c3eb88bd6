// The folder configs/: its sub-folders are the kinds (nodes, scenarios, dram, ...), its files the names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

class ConfigLibrary {
 public:
  explicit ConfigLibrary(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }

  // The names of a kind, sorted; none when there is no such folder.
  std::vector<std::string> list(std::string_view kind) const;

  // configs/<kind>/<name>.json, when it is there.
  std::optional<std::filesystem::path> find(std::string_view kind, std::string_view name) const;

  // What a person typed: a name of the kind, else a path. Throws InputMissing with the nearest name.
  std::filesystem::path locate(std::string_view kind, const std::string& path_or_name,
                               const std::vector<std::string>& beside = {}) const;

 private:
  std::filesystem::path root_;
};

}  // namespace asterism
