#include "platform/host/config_kinds.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "base/file_kind.h"
#include "platform/config/config_documentation.h"
#include "platform/config/config_reader.h"
#include "platform/config/config_schema.h"
#include "platform/config/config_writer.h"
#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

// Other files register their kinds before the objects of this one are initialised.
std::vector<ConfigKind>& registered() {
  static std::vector<ConfigKind> kinds;
  return kinds;
}

// A kind of which every check is one of its keys.
ConfigKind kind_of_part(const FileKind& part) {
  const ExpandConfig check = [object = part.object](ConfigDocument document, const std::string&,
                                                    const InstalledFiles& installed) {
    const std::unique_ptr<ObjectValue> value = object();
    Diagnostics problems;
    read_object(*value, document, &installed.configs, problems);
    problems.throw_if_any();
    return write_object(*value);
  };
  return {.name = part.name,
          .folder = part.folder,
          .title = part.title,
          .keys = part.keys,
          .schema = [part] { return schema_of_object(*part.object(), part.title); },
          .documentation = [part] { return document_object(*part.object()); },
          .checks = {.check = check, .check_keys = check}};
}

std::vector<ConfigKind> all_kinds() {
  std::vector<ConfigKind> kinds = registered();
  for (const FileKind& part : file_kinds()) kinds.push_back(kind_of_part(part));
  std::ranges::sort(kinds, {}, &ConfigKind::name);
  return kinds;
}

const ConfigKind& kind_named(std::string_view name) {
  return *std::ranges::find(config_kinds(), name, &ConfigKind::name);
}

const ConfigKind* kind_of_folder(std::string_view folder) {
  if (folder.empty()) return nullptr;
  const auto found = std::ranges::find(config_kinds(), folder, &ConfigKind::folder);
  return found == config_kinds().end() ? nullptr : &*found;
}

// "scenarios/cxl", unless it is the path of a file, is the name "cxl" of a kind.
std::pair<std::string_view, std::string> folder_and_name(const std::string& file,
                                                         const ConfigLibrary& library) {
  const std::size_t slash = file.find('/');
  std::error_code none;
  if (slash != std::string::npos && !std::filesystem::exists(file, none)) {
    const ConfigKind* const kind = kind_of_folder(std::string_view(file).substr(0, slash));
    if (kind && library.find(kind->folder, file.substr(slash + 1)))
      return {kind->folder, file.substr(slash + 1)};
  }
  return {"scenarios", file};
}

// A file that is not found may have been meant to be of any kind, unless its kind is known.
std::filesystem::path located(std::string_view folder, const std::string& name, bool may_be_of_any_kind,
                              const ConfigLibrary& library) {
  try {
    return library.locate(folder, name);
  } catch (const InputMissing&) {
    if (!may_be_of_any_kind) throw;
  }
  std::vector<std::string> names;
  for (const ConfigKind& kind : config_kinds())
    if (!kind.folder.empty()) std::ranges::copy(library.list(kind.folder), std::back_inserter(names));
  throw InputMissing(
      Diagnostic{.origin = Origin::command_line(),
                 .path = "",
                 .problem = "no file \"" + name + "\", and no such name in a folder of " + library.places(""),
                 .nearest = nearest_name(std::filesystem::path(name).stem().string(), names)});
}

const ConfigKind& kind_of_keys(const ConfigDocument& document) {
  const auto keys_of = [&](const ConfigKind& kind) {
    return std::ranges::count_if(kind.keys, [&](std::string_view key) { return document.has(key); });
  };
  const ConfigKind* found = nullptr;
  for (const ConfigKind& kind : config_kinds()) {
    const auto count = keys_of(kind);
    if (count > 0 && kind.has_foreign_keys) return kind;
    if (count > (found ? keys_of(*found) : 0)) found = &kind;
  }
  return found ? *found : kind_named("node");
}

}  // namespace

RegisteredConfigKind::RegisteredConfigKind(ConfigKind kind) { registered().push_back(std::move(kind)); }

std::span<const ConfigKind> config_kinds() {
  static const std::vector<ConfigKind> kinds = all_kinds();
  return kinds;
}

ConfigFile load_config_file(const std::string& file, const std::vector<std::string>& overrides,
                            const ConfigLibrary& library) {
  // A node may have the name of its scenario, and a scenario that of its study: the last of these is meant.
  std::vector<const ConfigKind*> named;
  for (const ConfigKind& kind : config_kinds())
    if (!kind.folder.empty() && library.find(kind.folder, file)) named.push_back(&kind);
  const auto [folder, name] = folder_and_name(file, library);
  const std::filesystem::path path =
      located(named.empty() ? folder : named.back()->folder, name, named.empty(), library);
  ConfigDocument document = ConfigDocument::load(path);
  for (const std::string& override : overrides) document.apply_override(override);
  const ConfigKind* kind = kind_of_folder(library.kind_of(path));
  if (!named.empty()) named.pop_back();
  return {kind ? kind : &kind_of_keys(document), std::move(document), std::move(named)};
}

}  // namespace asterism
