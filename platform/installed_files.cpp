#include "platform/installed_files.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> upwards(fs::path from, const char* folder) {
  for (;; from = from.parent_path()) {
    if (fs::is_directory(from / folder / "nodes")) return from / folder;
    if (from == from.root_path()) return std::nullopt;
  }
}

fs::path find_configs(const fs::path& program) {
  if (const char* named = std::getenv("ASTERISM_CONFIGS")) {
    if (fs::is_directory(named)) return named;
    throw InputMissing(Diagnostic::of_file(named, "ASTERISM_CONFIGS names no folder"));
  }
  if (auto found = upwards(fs::current_path(), "configs")) return fs::relative(*found);
  if (auto beside = upwards(program, "configs")) return *beside;
  throw InputMissing(Diagnostic::of_file("configs",
                                         "there is no such folder here, in a parent folder, or in one above "
                                         "the program; name it by ASTERISM_CONFIGS"));
}

}  // namespace

InstalledFiles InstalledFiles::find() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  const char* firmware = std::getenv("ASTERISM_FIRMWARE");
  return {ConfigLibrary(find_configs(program)), firmware ? fs::path(firmware) : program / "sw"};
}

fs::path InstalledFiles::mpi_library() {
  if (const char* named = std::getenv("ASTERISM_MPI")) return named;
  return fs::read_symlink("/proc/self/exe").parent_path() / "libasterism_mpi.so";
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
