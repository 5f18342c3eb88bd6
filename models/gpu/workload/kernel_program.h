// Kernels that a program runs again and again, as mini-apps do with their time steps: what a run of one GPU
// is driven by.
#pragma once

#include <cstdint>

#include "gpu/kernel_source.h"

namespace asterism {

class KernelProgram : public KernelSource {
 public:
  // Of an iteration: a kernel does the same as the one so many before it.
  virtual std::uint32_t kernels() const = 0;
};

}  // namespace asterism
