// Kernels from a file. There is one access per line, its fields separated by blanks or tabs. Empty lines and
// text after a '#' are skipped.
//
//   # kernel pipeline gap address size r|w
//   0 0 0 0x1000 512 r
//   0 1 12.5ns 8192 32 w
//   1 0 100 0x1000 512 w          no unit: picoseconds
//
// Kernels are numbered from 0 and never decrease. The accesses of a pipeline are in order; those of different
// pipelines may be mixed. `gap` is the time since the pipeline's previous access, or since the launch.
// Address and size are whole sectors of 32 bytes within one run of the GPU's swizzle, decimal or hexadecimal
// after 0x. The file as a whole is an iteration.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/trace_lines.h"
#include "gpu/gpu_config.h"
#include "gpu/workload/kernel_program.h"

namespace asterism {

class KernelTrace final : public KernelProgram {
 public:
  static constexpr std::uint64_t max_accesses = 1u << 25;  // it is held in memory
  static constexpr std::uint32_t max_kernels = 1u << 16;

  // `name` is used in messages. Throws TraceError.
  KernelTrace(std::unique_ptr<std::istream> in, const std::string& name, const GpuConfig& gpu);

  std::uint64_t accesses() const { return entries_.size(); }

  std::uint32_t pipelines() const override { return pipelines_; }
  Bytes footprint() const override { return footprint_; }
  std::uint32_t kernels() const override { return kernels_; }
  void begin_kernel(std::uint64_t number) override;
  std::size_t next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) override;

 private:
  struct Entry {
    std::uint32_t kernel, pipeline;
    DeviceAccess access;
  };

  static std::pair<std::uint32_t, std::uint32_t> place(const Entry& e) { return {e.kernel, e.pipeline}; }
  static Entry entry(const TraceLines& lines, std::span<const std::string_view> fields, const GpuConfig& gpu);

  std::uint32_t pipelines_ = 0, kernels_ = 0;
  Bytes footprint_{};
  std::vector<Entry> entries_;                // by kernel, then by pipeline
  std::vector<std::span<const Entry>> left_;  // of a pipeline, in its kernel
};

}  // namespace asterism
