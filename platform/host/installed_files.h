// What is installed beside the program: the folder configs/, the firmware of the build, the library for MPI.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/config_library.h"

namespace asterism {

// The locations of files that the user names without a path: configs/, and the firmware of the build.
struct InstalledFiles {
  ConfigLibrary configs;
  std::filesystem::path firmware;

  // "The program" is the file that contains this code: the command, the library of nodes, or the module for
  // Python. If it is installed, as bin/asterism for example, its files are in share/asterism beside bin/ and
  // lib/; otherwise it is in the folder of a build.
  //
  // Files are searched in the folders of ASTERISM_CONFIGS, which are separated by colons, then in configs/ in
  // the current folder or the nearest folder above it, then in that of the program, and last among the files
  // that are built into it. Firmware is in firmware/ of its installation or in sw/ of its build;
  // ASTERISM_FIRMWARE names another folder. Throws InputMissing if there are none of these.
  static InstalledFiles find();
  // share/asterism of the installation; nullopt: the program is in the folder of a build.
  static std::optional<std::filesystem::path> data();
  std::vector<std::string> firmware_names() const;
  // The folder sw/ with the sources of the firmware: that of the installation, or the nearest one above the
  // program or the current folder. Throws InputMissing.
  static std::filesystem::path firmware_sources();
  // The library for MPI, which is loaded if mpirun or srun has started the program: libasterism_mpi.so in
  // lib/asterism of the installation, or next to the program; ASTERISM_MPI names another one.
  static std::filesystem::path mpi_library();
  // The folder by which find_package(Asterism) is found: the prefix of the installation, or the build.
  static std::filesystem::path prefix();
  // The folders in which plug-ins are searched: those of ASTERISM_PLUGINS, then lib/asterism/plugins of the
  // installation.
  static std::vector<std::filesystem::path> plugin_folders();
};

}  // namespace asterism
