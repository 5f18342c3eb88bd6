// The loss of a GPU: it fails, and the contents of its memory are lost.
#pragma once

#include <cstdint>

namespace asterism {

struct GpuLoss {
  std::uint32_t gpu;  // its number in its device
};

}  // namespace asterism
