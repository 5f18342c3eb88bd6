// A scenario: an experiment on a node (configs/scenarios).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "cluster/cluster_config.h"
#include "cluster/membership.h"
#include "cxl/cxl_fault.h"
#include "dimm_ssd/flash_fault.h"
#include "flash/flash_failure.h"
#include "gpu/gpu_loss.h"
#include "gpu/gpu_memory_fault.h"
#include "gpu/gpu_slowdown.h"
#include "memory/fault_overlay.h"
#include "platform/node/node_config.h"
#include "platform/scenario/coverage_threshold.h"

namespace asterism {

class Fields;

// The kinds of memory faults have the values of MemoryFaultKind.
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
  gpu_memory = gpu_loss + 1,
  gpu_slow = gpu_memory + 1,
  poison = gpu_slow + 1,
  flash = poison + 1,
  node_loss = flash + 1,  // this and the following kinds concern a node of a cluster
  link_loss,
  memory_loss,
  ssd_loss,
  gpu_state_loss
};
constexpr auto enum_names(FaultKind) {
  return std::to_array<EnumName<FaultKind>>(
      {{FaultKind::power_loss, "power_loss", "The node loses its power."},
       {FaultKind::bit, "bit", "Memory: one bit of a block of 64 bytes."},
       {FaultKind::pin, "pin", "Memory: one pin of a chip, in all blocks of its rank."},
       {FaultKind::column, "column", "Memory: one bit of a column, in all rows of its bank."},
       {FaultKind::word, "word", "Memory: the four bits of one beat of a block."},
       {FaultKind::chip, "chip", "Memory: a whole chip of a rank."},
       {FaultKind::row, "row", "Memory: a row of a chip."},
       {FaultKind::flash_bits, "flash_bits", "DIMM-SSD: bits of a page of flash."},
       {FaultKind::gpu_loss, "gpu_loss", "A GPU fails, and the contents of its memory are lost."},
       {FaultKind::gpu_memory, "gpu_memory", "A GPU: a bit or more of its memory."},
       {FaultKind::gpu_slow, "gpu_slow", "A GPU: its clock is slower for a time."},
       {FaultKind::poison, "poison", "CXL expander: a line of its memory is poisoned."},
       {FaultKind::flash, "flash", "CXL SSD or NVMe disk: a page, a block or a die of its flash."},
       {FaultKind::node_loss, "node_loss",
        "Cluster: a node fails permanently, and everything that it holds is lost."},
       {FaultKind::link_loss, "link_loss",
        "Cluster: the link of a node goes down. The node returns as a spare."},
       {FaultKind::memory_loss, "memory_loss",
        "Traffic node: the program's state and the copies in memory are lost."},
       {FaultKind::ssd_loss, "ssd_loss", "Traffic node: the copies on its SSD are lost."},
       {FaultKind::gpu_state_loss, "gpu_state_loss",
        "Traffic node: the program's state, which was in its GPUs, is lost."}});
}

// The place of a memory fault, counted from 0. Each kind uses the members that it needs
// (memory/fault_overlay.h).
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
  GpuMemoryFault gpu_cells = {};           // besides the GPU and the persistence
  std::uint32_t clock_percent = 50;        // of a slow GPU
  std::uint64_t offset = 0;                // of a byte in the window of a CXL device, or of a disk
  FlashFailure flash_failure = {};         // besides the offset
  std::string device = {};                 // the instance, if several take faults of this kind
  std::optional<std::uint32_t> node = {};  // in a cluster

  // The fault as one of memory, of flash, of a GPU, of a CXL expander or of a cluster's node; nullopt if it
  // is of another kind.
  std::optional<MemoryFault> memory_fault() const;
  std::optional<FlashFault> flash_fault() const;
  std::optional<GpuLoss> gpu_loss() const;
  std::optional<GpuMemoryFault> gpu_memory_fault() const;
  std::optional<GpuSlowdown> gpu_slowdown() const;
  std::optional<CxlFault> cxl_fault() const;
  std::optional<FlashFailure> broken_flash() const;
  std::optional<Loss> cluster_loss() const;
};
void describe(Fields& f, FaultConfig& c);

// Errors of GPUs' memories at rates from the field (field_faults.h).
struct FieldFaultsConfig {
  std::string rates;
  double acceleration = 1;
  std::uint32_t gpus = 1;
  Bytes memory = 64_KiB;
  Picoseconds from = {}, until = 10_ms;
};
void describe(Fields& f, FieldFaultsConfig& c);

struct ExpectConfig {
  std::optional<std::uint32_t> exit;
  std::optional<std::uint64_t> recoveries;
  std::optional<std::uint64_t> checks = {};       // findings of node.checks
  std::optional<std::uint64_t> late_faults = {};  // that would have occurred after the end
  std::optional<std::string> result;              // the expected text of result.txt
  std::optional<bool> not_recoverable;            // of a cluster; if absent, the cluster must be recoverable
  std::optional<std::string> result_equals;       // "the same scenario with KEY=VALUE..."
  // By block ("arbiter") and group of its coverage ("requests at once").
  std::map<std::string, std::map<std::string, CoverageThreshold>> coverage = {};
};
void describe(Fields& f, ExpectConfig& c);

enum class FirmwareFormat { elf, raw, linux_image };
constexpr auto enum_names(FirmwareFormat) {
  return std::to_array<EnumName<FirmwareFormat>>(
      {{FirmwareFormat::elf, "elf", "An executable, which is loaded into DRAM."},
       {FirmwareFormat::raw, "raw",
        "The image of a ROM in the first bank of NOR flash. Core 0 starts at its first byte."},
       {FirmwareFormat::linux_image, "linux",
        "A kernel of Linux (an Image, which may be compressed), which is loaded into DRAM with its initial "
        "file system."}});
}

struct ScenarioConfig {
  NodeConfig node;
  std::optional<ClusterConfig> cluster;
  std::string firmware;
  FirmwareFormat firmware_format = FirmwareFormat::elf;
  std::string firmware_package = {};
  std::string initrd = {}, bootargs = {}, symbols = {};  // of a kernel of Linux
  std::string args;
  std::string files;
  std::uint64_t seed = 1;
  Picoseconds until = 10_s;
  std::vector<FaultConfig> faults;
  std::optional<FieldFaultsConfig> field_faults = {};  // until they are among the faults
  ExpectConfig expect;

  bool is_cluster() const { return cluster && cluster->nodes > 0; }
  // Of the firmware; of a kernel of Linux its command line.
  const std::string& firmware_arguments() const {
    return firmware_format == FirmwareFormat::linux_image ? bootargs : args;
  }
  // Whether any node runs firmware.
  bool has_firmware() const;
};
void describe(Fields& f, ScenarioConfig& c);

// The numbers of the nodes of a cluster that are simulated completely and run firmware ("node0", "node1",
// ...).
std::vector<NodeNumber> whole_nodes(const ClusterConfig& cluster);
std::string node_name(NodeNumber node);

// The overrides that expect.result_equals names after "the same scenario with"; nullopt if the text does not
// have this form.
std::optional<std::vector<std::string>> reference_overrides(const std::string& result_equals);

}  // namespace asterism
