// Kernels that a program repeats, as mini-apps do with their time steps: the workload of a run of one GPU.
#pragma once

#include <cstdint>

#include "gpu/kernel_source.h"

namespace asterism {

class KernelProgram : public KernelSource {
 public:
  // The number of kernels of an iteration: kernel n + kernels() does the same as kernel n.
  virtual std::uint32_t kernels() const = 0;
};

}  // namespace asterism
