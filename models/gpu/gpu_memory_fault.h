// A fault of a GPU's memory (sector_faults.h).
#pragma once

#include <cstdint>

#include "base/enum_names.h"
#include "gpu/sector_faults.h"

namespace asterism {

// What reads a sector. Retiring a zone copies it.
enum class GpuReader : std::uint8_t { kernel, copy, scrub };
constexpr auto enum_names(GpuReader) {
  return std::to_array<EnumName<GpuReader>>(
      {{GpuReader::kernel, "kernel"}, {GpuReader::copy, "copy"}, {GpuReader::scrub, "scrub"}});
}

struct GpuMemoryFault {
  std::uint32_t gpu = 0;  // its number in its device
  GpuMemoryShape shape = GpuMemoryShape::bit;
  std::uint64_t address = 0;  // of the GPU's memory, in bytes, as kernels use it
  std::uint32_t bit = 0;      // of the sector with this address, where the shape has one
  bool stuck = false;
};

}  // namespace asterism
