// The DIMM-SSD of a node.
#pragma once

#include <cstdint>
#include <string>

#include "dimm_ssd/checkpoint_method.h"

namespace asterism {

class Fields;

struct DimmSsdConfig {
  std::string part = "samsung_2016_vnand_16k";  // file in configs/flash
  std::uint32_t packages = 8;
  std::uint32_t channels = 1;
  std::uint32_t blocks = 64;       // per package
  std::uint32_t page_buffers = 2;  // flash pages between memory and channel
  std::uint32_t versions = 2;      // complete checkpoints kept under one name
  CheckpointMethod method = CheckpointMethod::stop_and_copy;
  std::string image;  // file that keeps the flash across runs; empty: in memory
};
void describe(Fields& f, DimmSsdConfig& config);

}  // namespace asterism
