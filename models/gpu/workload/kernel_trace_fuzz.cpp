// Fuzzes the reader of kernel traces. An accepted trace must keep the rules of a KernelSource, and must be
// accepted again when it is written out. The corpus is in tests/fuzz/kernel_trace.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/workload/kernel_trace.h"

using namespace asterism;

namespace {

const GpuConfig gpu{};
constexpr std::uint32_t max_kernels_walked = 64;

// Returns the lines of a trace's first kernels, in order, with kernel and pipeline.
std::vector<std::string> lines_of(const std::string& text) {
  KernelTrace trace(std::make_unique<std::istringstream>(text), "fuzz", gpu);
  if (trace.pipelines() > gpu.pipelines || trace.footprint() > gpu.memory) std::abort();
  std::vector<std::string> lines;
  std::array<DeviceAccess, 3> some{};
  for (std::uint32_t kernel = 0; kernel < std::min(trace.kernels(), max_kernels_walked); ++kernel) {
    trace.begin_kernel(kernel);
    for (std::uint32_t pipeline = 0; pipeline < trace.pipelines(); ++pipeline)
      while (const std::size_t made = trace.next(pipeline, some))
        for (const DeviceAccess& access : std::span(some).first(made)) {
          if (!gpu.swizzle().is_one_run(access.address, access.size)) std::abort();
          if (Bytes(access.address + access.size) > trace.footprint()) std::abort();
          lines.push_back(fmt::format("{} {} {} {} {} {}\n", kernel, pipeline, access.gap.count(),
                                      access.address, access.size, access.write ? 'w' : 'r'));
        }
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t length) {
  try {
    const std::vector<std::string> lines = lines_of(std::string(data, data + length));
    std::string again;
    for (const std::string& line : lines) again += line;
    if (!lines.empty() && lines_of(again) != lines) std::abort();
  } catch (const TraceError&) {
  }
  return 0;
}
