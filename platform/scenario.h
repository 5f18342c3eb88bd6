// A scenario made ready to run: read, checked against everything it names, nothing started yet.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/workload.h"
#include "flash/flash_config.h"
#include "memory/dram_part.h"
#include "pcram/pcram_config.h"
#include "platform/address_map.h"
#include "platform/config/config.h"
#include "platform/elf_image.h"
#include "platform/fabric_preparation.h"
#include "platform/rtl_preparation.h"
#include "platform/scenario_config.h"

namespace asterism {

// What the command line says beside the file.
struct ScenarioRequest {
  std::string file;  // path, or name in configs/scenarios
  std::vector<std::string> overrides;
  std::optional<std::string> firmware;
  std::optional<std::string> until;
  // Levels beside node.log: INSTANCE=LEVEL, the instance with or without "node."
  std::vector<std::string> log;
};

struct Scenario {
  std::string name;
  ScenarioConfig config;
  AddressMap map;
  FlashPart flash;
  DramPart dram = {};
  PcramPart pcram = {};
  PreparedFabric fabric;
  std::optional<Workload> workload;  // of a node of trace cores, which has no firmware
  std::string firmware_file;
  ElfImage firmware;
  std::vector<std::byte> rom;  // the firmware instead, where it is the image of a ROM
  PreparedRtl rtl;
  Origin image_origin;  // where node.dimm_ssd.image was written; only the run opens it

  bool is_cluster() const { return config.is_cluster(); }
  std::string expanded() const { return asterism::expanded(config); }
};

// Where files are found that the user names without a path: configs/, and the firmware that the build made.
struct InstalledFiles {
  ConfigLibrary configs;
  std::filesystem::path firmware;

  // configs/ is looked for upwards from the current folder, then from the program's; ASTERISM_CONFIGS names
  // another. Firmware lies in sw/ beside the program; ASTERISM_FIRMWARE names another folder.
  static InstalledFiles find();
  std::vector<std::string> firmware_names() const;
  // What of MPI is loaded where mpirun or srun has started the program: libasterism_mpi.so beside it; ASTERISM_MPI names
  // another.
  static std::filesystem::path mpi_library();
};

// Throws ConfigError or InputMissing with all that is wrong.
Scenario prepare(const ScenarioRequest& request, const InstalledFiles& installed);

// Whether a file is a scenario, if it is a scenario or a node: a node says nothing of firmware, faults or expectations.
bool is_scenario(const ConfigDocument& document);

// The node of a node's file or of a scenario's, by path or name, checked, and where its devices are.
struct CheckedNode {
  std::string name;
  NodeConfig config;
  AddressMap map;
};
CheckedNode load_node(const std::string& file, const std::vector<std::string>& overrides,
                      const InstalledFiles& installed);

// The scenario without its firmware, for `asterism check`.
ScenarioConfig check_scenario(ConfigDocument& document, const InstalledFiles& installed);
NodeConfig check_node(ConfigDocument& document, const InstalledFiles& installed);

}  // namespace asterism
