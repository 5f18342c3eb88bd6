// The DIMM-SSD of a node.
#pragma once

#include <cstdint>
#include <string>

#include "cosim/swap_config.h"
#include "dimm_ssd/checkpointer.h"

namespace asterism {

class Fields;

// The table, and RTL of it.
struct MattBlockConfig {
  MattConfig table = {};
  MattSwapConfig swap = {};

  static MattBlockConfig ours();  // with rtl/matt as its RTL, unless another variant is given
};
void describe(Fields& f, MattBlockConfig& config);

struct DimmSsdConfig {
  std::string part =
      "samsung_2016_vnand_16k";  // file in configs/flash; it says how many dies and planes there are
  std::uint32_t packages = 8;    // on each channel
  std::uint32_t channels = 1;
  std::uint32_t blocks = 64;        // of each plane
  std::uint32_t page_buffers = 2;   // flash pages between memory and channel
  std::uint32_t versions = 2;       // complete checkpoints kept under one name
  std::uint32_t merge_below = 250;  // permille of the logical pages that are free
  CheckpointMethod method = CheckpointMethod::stop_and_copy;
  MattBlockConfig matt = MattBlockConfig::ours();
  TranslationConfig translation = {};
  Picoseconds sampling = 100_us;  // of dirty lines, for early copies
  Bytes rated_writes = 0_B;       // over the device's life; 0: what the part's rated cycles come to
  std::string image;              // file that keeps the flash across runs; empty: in memory
};
void describe(Fields& f, DimmSsdConfig& config);

// What firmware is told of the device's endurance: rated_writes, else rated cycles times capacity; 0: not
// stated.
Bytes endurance(const DimmSsdConfig& config, const FlashPart& part);
FlashGeometry flash_geometry(const DimmSsdConfig& config, const FlashPart& part);
CheckpointerConfig checkpointer_config(const DimmSsdConfig& config);

}  // namespace asterism
