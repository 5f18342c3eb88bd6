// The folder configs/. Each subfolder is a kind of file (nodes, scenarios, dram, ...), and its files are the
// names of that kind.
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

  // The names of a kind, sorted; empty if there is no such folder.
  std::vector<std::string> list(std::string_view kind) const;

  // configs/<kind>/<name>.json, or nullopt if it does not exist.
  std::optional<std::filesystem::path> find(std::string_view kind, std::string_view name) const;

  // The file for what a user typed: a name of the kind, else a path. Throws InputMissing with the nearest
  // name.
  std::filesystem::path locate(std::string_view kind, const std::string& path_or_name,
                               const std::vector<std::string>& beside = {}) const;

 private:
  std::filesystem::path root_;
};

}  // namespace asterism
