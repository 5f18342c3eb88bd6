#include "platform/config/config_library.h"

#include <algorithm>
#include <system_error>

#include "platform/config/built_in_files.h"
#include "platform/config/diagnostics.h"
#include "platform/config/file_names.h"
#include "platform/config/nearest_name.h"

namespace asterism {

std::vector<std::filesystem::path> folders_of(std::string_view search_path) {
  std::vector<std::filesystem::path> folders;
  while (!search_path.empty()) {
    const std::size_t end = std::min(search_path.find(':'), search_path.size());
    if (end > 0) folders.emplace_back(search_path.substr(0, end));
    search_path.remove_prefix(std::min(end + 1, search_path.size()));
  }
  return folders;
}

std::string ConfigLibrary::search_path() const {
  std::string path;
  for (const std::filesystem::path& root : roots_) path += (path.empty() ? "" : ":") + root.string();
  return path;
}

std::string ConfigLibrary::places(std::string_view kind) const {
  std::string places;
  for (const std::filesystem::path& root : roots_)
    places += (places.empty() ? "" : ", ") + (root / kind).string();
  if (!built_in_files().empty())
    places += (places.empty() ? "" : ", ") + (built_in_root / std::filesystem::path(kind)).string();
  return places;
}

std::string ConfigLibrary::kind_of(const std::filesystem::path& file) const {
  const std::filesystem::path folder = std::filesystem::absolute(file).lexically_normal().parent_path();
  const auto is_parent = [&](const std::filesystem::path& root) {
    std::error_code none;
    return std::filesystem::equivalent(folder.parent_path(), root, none);
  };
  return std::ranges::any_of(roots_, is_parent) ? folder.filename().string() : "";
}

std::vector<std::string> ConfigLibrary::list(std::string_view kind) const {
  std::vector<std::string> names;
  std::error_code none;
  for (const std::filesystem::path& root : roots_)
    for (const auto& entry : std::filesystem::directory_iterator(root / kind, none))
      if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  for (const BuiltInFile& file : built_in_files())
    if (file.kind == kind) names.emplace_back(file.name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<std::filesystem::path> ConfigLibrary::find(std::string_view kind, std::string_view name) const {
  // Only names from the list, so that a name cannot refer to a place outside of the folder.
  std::error_code none;
  if (std::ranges::count(list(kind), name) == 0) return std::nullopt;
  for (const std::filesystem::path& root : roots_)
    if (auto file = root / kind / (std::string(name) + ".json"); std::filesystem::exists(file, none))
      return file;
  return built_in_root / std::filesystem::path(kind) / (std::string(name) + ".json");
}

std::optional<std::filesystem::path> ConfigLibrary::as_path(const std::string& value, const Origin& origin) {
  if (value.find('/') == std::string::npos && !value.ends_with(".json")) return std::nullopt;
  const auto folder = origin.is_command_line() ? "" : std::filesystem::path(origin.file).parent_path();
  return std::filesystem::absolute(folder / value).lexically_normal();
}

std::filesystem::path ConfigLibrary::locate(std::string_view kind, const std::string& path_or_name,
                                            const std::vector<std::string>& beside) const {
  if (const auto path = find(kind, path_or_name)) return *path;
  refuse_overlong_name(path_or_name, Origin::command_line(), "");
  std::error_code none;
  if (std::filesystem::is_regular_file(path_or_name, none)) return path_or_name;
  std::vector<std::string> names = list(kind);
  names.insert(names.end(), beside.begin(), beside.end());
  throw InputMissing(
      Diagnostic{.origin = Origin::command_line(),
                 .path = "",
                 .problem = "no file \"" + path_or_name + "\", and no such name in " + places(kind),
                 .nearest = nearest_name(std::filesystem::path(path_or_name).stem().string(), names)});
}

}  // namespace asterism
