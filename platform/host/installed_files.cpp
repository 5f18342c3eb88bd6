#include "platform/host/installed_files.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "platform/config/built_in_files.h"
#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The nearest folder of this name that contains the entry.
std::optional<fs::path> upwards(fs::path from, const char* folder, const char* entry) {
  for (;; from = from.parent_path()) {
    if (fs::exists(from / folder / entry)) return from / folder;
    if (from == from.root_path()) return std::nullopt;
  }
}

// The folder of the file that contains this code.
fs::path folder_of_program() {
  Dl_info unused;
  link_map* map = nullptr;
  const bool is_found = dladdr1(reinterpret_cast<const void*>(&folder_of_program), &unused,
                                reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  const bool is_library = is_found && map && *map->l_name;  // the program itself has no name
  return (is_library ? fs::canonical(map->l_name) : fs::read_symlink("/proc/self/exe")).parent_path();
}

std::optional<fs::path> installed_data(const fs::path& program) {
  // In bin, lib/ARCH, and lib/python3/dist-packages/asterism.
  for (const fs::path& prefix : {program / "..", program / "../..", program / "../../../.."})
    if (const fs::path data = (prefix / "share" / "asterism").lexically_normal();
        fs::is_directory(data / "configs"))
      return data;
  return std::nullopt;
}

ConfigLibrary find_configs(const fs::path& program) {
  std::vector<fs::path> roots;
  const auto add = [&](const fs::path& folder) {
    const auto is_same = [&](const fs::path& other) { return fs::equivalent(folder, other); };
    if (std::ranges::none_of(roots, is_same)) roots.push_back(folder);
  };
  if (const char* named = std::getenv("ASTERISM_CONFIGS"))
    for (const fs::path& folder : folders_of(named)) {
      if (!fs::is_directory(folder))
        throw InputMissing(Diagnostic::of_file(folder.string(), "ASTERISM_CONFIGS names no folder"));
      add(folder);
    }
  if (const auto found = upwards(fs::current_path(), "configs", "nodes")) add(fs::relative(*found));
  if (const auto data = installed_data(program))
    add(*data / "configs");
  else if (const auto beside = upwards(program, "configs", "nodes"))
    add(*beside);
  if (roots.empty() && built_in_files().empty())
    throw InputMissing(
        Diagnostic::of_file("configs",
                            "there is no such folder here, in a parent folder, or in one above "
                            "the program; name it by ASTERISM_CONFIGS"));
  return ConfigLibrary(std::move(roots));
}

}  // namespace

InstalledFiles InstalledFiles::find() {
  const fs::path program = folder_of_program();
  const auto data = installed_data(program);
  const char* firmware = std::getenv("ASTERISM_FIRMWARE");
  return {find_configs(program), firmware ? fs::path(firmware) : data ? *data / "firmware" : program / "sw"};
}

std::optional<fs::path> InstalledFiles::data() { return installed_data(folder_of_program()); }

fs::path InstalledFiles::firmware_sources() {
  const fs::path program = folder_of_program();
  if (const auto data = installed_data(program)) return *data / "sw";
  for (const fs::path& start : {program, fs::current_path()})
    if (const auto found = upwards(start, "sw", "asterism_firmware-config.cmake")) return *found;
  throw InputMissing(Diagnostic::of_file(
      "sw", "the sources of the firmware are neither in a folder above the program nor in one above this"));
}

fs::path InstalledFiles::mpi_library() {
  if (const char* named = std::getenv("ASTERISM_MPI")) return named;
  const fs::path program = folder_of_program();
  const fs::path installed = program.parent_path() / "lib" / "asterism" / "libasterism_mpi.so";
  return fs::exists(installed) ? installed : program / "libasterism_mpi.so";
}

fs::path InstalledFiles::prefix() {
  const fs::path program = folder_of_program();
  const auto data = installed_data(program);
  return data ? data->parent_path().parent_path() : program;
}

std::vector<fs::path> InstalledFiles::plugin_folders() {
  const char* const named = std::getenv("ASTERISM_PLUGINS");
  std::vector<fs::path> folders = folders_of(named ? named : "");
  const fs::path installed = prefix() / "lib" / "asterism" / "plugins";
  if (fs::is_directory(installed)) folders.push_back(installed);
  return folders;
}

std::vector<std::string> InstalledFiles::firmware_names() const {
  std::vector<std::string> names;
  if (!fs::is_directory(firmware)) return names;
  for (const auto& entry : fs::directory_iterator(firmware))
    if (entry.path().extension() == ".elf") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace asterism
