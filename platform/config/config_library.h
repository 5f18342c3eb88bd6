// The folder configs/, and folders like it that are searched before it. Each subfolder is a kind of file
// (nodes, scenarios, dram, ...), and its files are the names of that kind. Files that are built into the
// program (built_in_files.h) are found after those of the folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/config/diagnostics.h"

namespace asterism {

// The folders of a search path "a:b".
std::vector<std::filesystem::path> folders_of(std::string_view search_path);

class ConfigLibrary {
 public:
  // The folders in the order in which they are searched.
  explicit ConfigLibrary(std::vector<std::filesystem::path> roots) : roots_(std::move(roots)) {}
  explicit ConfigLibrary(std::filesystem::path root) : roots_{std::move(root)} {}

  std::string search_path() const;  // "a:b"
  // The folders of a kind, for messages: "a/dram, b/dram".
  std::string places(std::string_view kind) const;

  // The kind of a file that lies in one of these folders; "" for a file that lies elsewhere.
  std::string kind_of(const std::filesystem::path& file) const;

  // The names of a kind, sorted; empty if there is no such folder.
  std::vector<std::string> list(std::string_view kind) const;

  // The first <root>/<kind>/<name>.json, or what is built in for it; nullopt if there is none.
  std::optional<std::filesystem::path> find(std::string_view kind, std::string_view name) const;

  // A value with a slash or with the extension .json is a path: relative to the file that gives it, or to the
  // current folder if the command line does. Returns it as an absolute path; nullopt for a name.
  static std::optional<std::filesystem::path> as_path(const std::string& value, const Origin& origin);

  // The file for what a user typed: a name of the kind, else a path. Throws InputMissing with the nearest
  // name.
  std::filesystem::path locate(std::string_view kind, const std::string& path_or_name,
                               const std::vector<std::string>& beside = {}) const;

 private:
  std::vector<std::filesystem::path> roots_;
};

}  // namespace asterism
