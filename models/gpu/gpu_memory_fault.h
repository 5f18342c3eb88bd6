// A fault of a GPU's memory (sector_faults.h).
#pragma once

#include <cstdint>

#include "gpu/sector_faults.h"

namespace asterism {

struct GpuMemoryFault {
  std::uint32_t gpu = 0;  // its number in its device
  GpuMemoryShape shape = GpuMemoryShape::bit;
  std::uint64_t address = 0;  // of the GPU's memory, in bytes, as kernels use it
  std::uint32_t bit = 0;      // of the sector with this address, where the shape has one
  bool stuck = false;
};

}  // namespace asterism
