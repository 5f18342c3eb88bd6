#include "platform/config/config_library.h"

#include <algorithm>
#include <system_error>

#include "platform/config/diagnostics.h"
#include "platform/config/file_names.h"
#include "platform/config/nearest_name.h"

namespace asterism {

std::vector<std::string> ConfigLibrary::list(std::string_view kind) const {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(root_ / kind, none))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::filesystem::path> ConfigLibrary::find(std::string_view kind, std::string_view name) const {
  // Only names from the list, so that a name cannot refer to a place outside of the folder.
  const std::vector<std::string> names = list(kind);
  if (std::find(names.begin(), names.end(), name) == names.end()) return std::nullopt;
  return root_ / kind / (std::string(name) + ".json");
}

std::filesystem::path ConfigLibrary::locate(std::string_view kind, const std::string& path_or_name,
                                            const std::vector<std::string>& beside) const {
  if (const auto path = find(kind, path_or_name)) return *path;
  refuse_overlong_name(path_or_name, Origin::command_line(), "");
  std::error_code none;
  if (std::filesystem::is_regular_file(path_or_name, none)) return path_or_name;
  std::vector<std::string> names = list(kind);
  names.insert(names.end(), beside.begin(), beside.end());
  throw InputMissing(Diagnostic{
      .origin = Origin::command_line(),
      .path = "",
      .problem = "no file \"" + path_or_name + "\", and no such name in " + (root_ / kind).string(),
      .nearest = nearest_name(std::filesystem::path(path_or_name).stem().string(), names)});
}

}  // namespace asterism
