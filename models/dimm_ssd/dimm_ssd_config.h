// The DIMM-SSD of a node.
#pragma once

#include <cstdint>
#include <string>

#include "base/swap_config.h"
#include "dimm_ssd/checkpointer.h"
#include "flash/device_flash_config.h"

namespace asterism {

class Fields;

// The table of modified pages, and its RTL.
struct MattBlockConfig {
  MattConfig table = {};
  MattSwapConfig swap = {};

  static MattBlockConfig ours();  // uses rtl/matt, unless another variant is given
};
void describe(Fields& f, MattBlockConfig& config);

struct DimmSsdConfig {
  std::string guards = "memory";  // the memory that it copies and writes
  DeviceFlashConfig flash = {};
  std::uint32_t page_buffers = 2;   // flash pages between memory and channel
  std::uint32_t versions = 2;       // complete checkpoints kept under one name
  std::uint32_t merge_below = 250;  // permille of the logical pages that must be free
  CheckpointMethod method = CheckpointMethod::stop_and_copy;
  MattBlockConfig matt = MattBlockConfig::ours();
  Picoseconds sampling = 100_us;  // period of reading dirty lines, for early copies
  Bytes rated_writes = 0_B;       // over the life of the device; 0: by the rated cycles of the part
  std::string image;              // file that keeps the flash across runs; empty: in memory
};
void describe(Fields& f, DimmSsdConfig& config);

// The endurance that firmware reads: rated_writes, or rated cycles times capacity; 0: not stated.
Bytes endurance(const DimmSsdConfig& config, const FlashPart& part);
CheckpointerConfig checkpointer_config(const DimmSsdConfig& config);

}  // namespace asterism
