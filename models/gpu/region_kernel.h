// The built-in kernel of a node's GPU: each pipeline works on its own part of a region of memory.
//
// An access covers a line of 128 bytes. Which accesses write, and with Pattern::random their addresses, are
// determined by seed, pipeline and count alone: the same kernel always does the same.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/kernel_source.h"

namespace asterism {

struct RegionKernelArguments {
  enum class Pattern : std::uint32_t { sequential, random };

  std::uint64_t first = 0, bytes = 0;  // the region, whole lines; at least one line for each pipeline
  std::uint64_t seed = 0;
  std::uint64_t accesses = 0;   // per pipeline
  Picoseconds gap{};            // between two of them
  std::uint32_t writes = 1000;  // permille of the accesses
  Pattern pattern = Pattern::sequential;
};

class RegionKernel final : public KernelSource {
 public:
  static constexpr std::uint64_t line = 128;

  RegionKernel(const RegionKernelArguments& arguments, std::uint32_t pipelines);

  std::uint32_t pipelines() const override { return static_cast<std::uint32_t>(next_.size()); }
  Bytes footprint() const override { return Bytes(arguments_.first + arguments_.bytes); }
  void begin_kernel(std::uint64_t) override { next_.assign(next_.size(), 0); }
  std::size_t next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) override;

 private:
  RegionKernelArguments arguments_;
  std::uint64_t lines_;  // of one pipeline's part
  std::vector<std::uint64_t> next_;
};

}  // namespace asterism
