// The accesses of a program's kernels to a GPU's memory, by many pipelines, each in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.h"

namespace asterism {

// The new value of each 8-byte word that a write of a kernel covers: the result of a kernel thus depends on
// what it found.
constexpr std::uint64_t kernel_word(std::uint64_t word, std::uint64_t kernel, std::uint64_t address) {
  std::uint64_t z = word ^ (kernel * 0x9E3779B97F4A7C15u) ^ (address * 0xC2B2AE3D27D4EB4Fu);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  return z ^ (z >> 27);
}

struct DeviceAccess {
  Picoseconds gap;        // since the pipeline's previous access, or the launch; does not include waiting
  std::uint64_t address;  // of the device
  std::uint32_t size;     // in bytes: a multiple of 32, within one run of the swizzle
  bool write;
  bool operator==(const DeviceAccess&) const = default;
};

class KernelSource {
 public:
  virtual ~KernelSource() = default;

  virtual std::uint32_t pipelines() const = 0;
  // All addresses are below it.
  virtual Bytes footprint() const = 0;
  // Kernels are numbered 0, 1, 2, ...; the previous one has ended.
  virtual void begin_kernel(std::uint64_t number) = 0;
  // Fills in the next accesses of a pipeline, as many as fit. Returns 0 if it has none left in this kernel.
  virtual std::size_t next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) = 0;
};

}  // namespace asterism
