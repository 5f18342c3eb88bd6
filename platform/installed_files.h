// What is installed beside the program: the folder configs/, the firmware of the build, the library for MPI.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/config_library.h"

namespace asterism {

// The locations of files that the user names without a path: configs/, and the firmware of the build.
struct InstalledFiles {
  ConfigLibrary configs;
  std::filesystem::path firmware;

  // configs/ is searched in the current folder and the folders above it, then in those of the program;
  // ASTERISM_CONFIGS names another one. Firmware is in sw/ next to the program; ASTERISM_FIRMWARE names
  // another folder.
  static InstalledFiles find();
  std::vector<std::string> firmware_names() const;
  // The library for MPI, which is loaded if mpirun or srun has started the program: libasterism_mpi.so next
  // to the program; ASTERISM_MPI names another one.
  static std::filesystem::path mpi_library();
};

}  // namespace asterism
