// A scenario: an experiment on a node (configs/scenarios).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "cluster/cluster_config.h"
#include "cluster/membership.h"
#include "dimm_ssd/flash_fault.h"
#include "memory/fault_overlay.h"
#include "platform/node_config.h"

namespace asterism {

class Fields;

// Those of memory have the values of MemoryFaultKind.
enum class FaultKind {
  power_loss = 0,
  bit = static_cast<int>(MemoryFaultKind::bit),
  pin = static_cast<int>(MemoryFaultKind::pin),
  column = static_cast<int>(MemoryFaultKind::column),
  word = static_cast<int>(MemoryFaultKind::word),
  chip = static_cast<int>(MemoryFaultKind::chip),
  row = static_cast<int>(MemoryFaultKind::row),
  flash_bits = row + 1,
  gpu_loss = flash_bits + 1,
  node_loss = gpu_loss + 1,  // from here on of a node of a cluster
  link_loss,
  memory_loss,
  ssd_loss,
  gpu_state_loss
};
constexpr auto enum_names(FaultKind) {
  return std::to_array<EnumName<FaultKind>>(
      {{FaultKind::power_loss, "power_loss", "the node loses its power"},
       {FaultKind::bit, "bit", "of memory: one bit of a block of 64 bytes"},
       {FaultKind::pin, "pin", "of memory: one pin of a chip, in all blocks of its rank"},
       {FaultKind::column, "column", "of memory: one bit of a column, in all rows of its bank"},
       {FaultKind::word, "word", "of memory: the four bits of one beat of a block"},
       {FaultKind::chip, "chip", "of memory: a whole chip of a rank"},
       {FaultKind::row, "row", "of memory: a row of a chip"},
       {FaultKind::flash_bits, "flash_bits", "of the DIMM-SSD: bits of a page of flash"},
       {FaultKind::gpu_loss, "gpu_loss", "of a GPU: it fails, with all that is in its memory"},
       {FaultKind::node_loss, "node_loss", "of a cluster's node: it is gone for good, with all it holds"},
       {FaultKind::link_loss, "link_loss", "of a cluster's node: its link is down; it comes back as a spare"},
       {FaultKind::memory_loss, "memory_loss",
        "of a traffic node: the program's state and the copies in memory"},
       {FaultKind::ssd_loss, "ssd_loss", "of a traffic node: the copies on its SSD"},
       {FaultKind::gpu_state_loss, "gpu_state_loss",
        "of a traffic node: the program's state, which was in its GPUs"}});
}

// Where a fault of memory lies, counted from 0; a kind reads what it needs (memory/fault_overlay.h).
struct FaultPlaceConfig {
  std::uint32_t channel = 0, rank = 0, bank = 0, row = 0, column = 0, chip = 0, bit = 0;
};

struct FaultConfig {
  Picoseconds at;
  FaultKind kind = FaultKind::power_loss;
  Picoseconds restore_after = 1_ms;
  Persistence persistence = Persistence::transient;
  FaultPlaceConfig place = {};
  FlashFault flash = {};
  std::uint32_t gpu = 0;
  std::optional<std::uint32_t> node = {};  // of a cluster

  // nullopt: not one of memory, of the flash, of a GPU, of a cluster's node.
  std::optional<MemoryFault> memory_fault() const;
  std::optional<FlashFault> flash_fault() const;
  std::optional<std::uint32_t> gpu_loss() const;
  std::optional<Loss> cluster_loss() const;
};
void describe(Fields& f, FaultConfig& c);

struct ExpectConfig {
  std::optional<std::uint32_t> exit;
  std::optional<std::uint64_t> recoveries;
  std::optional<std::string> result;         // the text of result.txt
  std::optional<bool> not_recoverable;       // of a cluster; absent: it must not be
  std::optional<std::string> result_equals;  // "the same scenario with KEY=VALUE..."
};
void describe(Fields& f, ExpectConfig& c);

enum class FirmwareFormat { elf, raw };
constexpr auto enum_names(FirmwareFormat) {
  return std::to_array<EnumName<FirmwareFormat>>(
      {{FirmwareFormat::elf, "elf", "an executable, loaded to DRAM"},
       {FirmwareFormat::raw, "raw",
        "the image of a ROM, in the first bank of NOR flash: core 0 starts at its "
        "first byte"}});
}

struct ScenarioConfig {
  NodeConfig node;
  std::optional<ClusterConfig> cluster;
  std::string firmware;
  FirmwareFormat firmware_format = FirmwareFormat::elf;
  std::string firmware_package = {};
  std::string args;
  std::string files;
  std::uint64_t seed = 1;
  Picoseconds until = 10_s;
  std::vector<FaultConfig> faults;
  ExpectConfig expect;

  bool is_cluster() const { return cluster && cluster->nodes > 0; }
  // Whether any node runs firmware.
  bool has_firmware() const;
};
void describe(Fields& f, ScenarioConfig& c);

// Those of a cluster's nodes that are whole nodes and run firmware: "node0", "node1"...; their numbers.
std::vector<NodeNumber> whole_nodes(const ClusterConfig& cluster);
std::string node_name(NodeNumber node);

// The overrides that expect.result_equals asks for: those behind "the same scenario with". nullopt: another
// text.
std::optional<std::vector<std::string>> reference_overrides(const std::string& result_equals);

}  // namespace asterism
