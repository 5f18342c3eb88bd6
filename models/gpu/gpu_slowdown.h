// A GPU whose clock is slower for a time, as by throttling: its pipelines issue their accesses later. Memory
// and link are as fast as before.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace asterism {

struct GpuSlowdown {
  std::uint32_t gpu = 0;             // its number in its device
  std::uint32_t clock_percent = 50;  // of the clock that is left
  Picoseconds lasts = 1_ms;
};

}  // namespace asterism
