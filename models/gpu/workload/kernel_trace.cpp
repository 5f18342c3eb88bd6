#include "gpu/workload/kernel_trace.h"

#include <algorithm>

#include "base/quantity_text.h"

namespace asterism {

namespace {

constexpr std::uint64_t sector = 32;
constexpr Picoseconds longest_gap = 100_s;

}  // namespace

KernelTrace::Entry KernelTrace::entry(const TraceLines& lines, std::span<const std::string_view> fields,
                                      const GpuConfig& gpu) {
  if (fields.size() != 6)
    lines.refuse("expected 6 fields (kernel pipeline gap address size r|w), got " +
                 std::to_string(fields.size()));
  Entry e{};
  e.kernel = static_cast<std::uint32_t>(lines.number_below(fields[0], "a kernel", max_kernels));
  e.pipeline = static_cast<std::uint32_t>(lines.number_below(fields[1], "a pipeline", gpu.pipelines));
  e.access.gap = lines.duration(fields[2], longest_gap);
  e.access.address = lines.number_below(fields[3], "an address", gpu.memory.count());
  e.access.size =
      static_cast<std::uint32_t>(lines.number_below(fields[4], "a size", gpu.interleave.count() + 1));
  const std::uint64_t size = e.access.size;
  if (size == 0 || (e.access.address | size) % sector != 0 ||
      !gpu.swizzle().is_one_run(e.access.address, size))
    lines.refuse("expected whole sectors of 32 bytes within " + to_text(gpu.interleave) + ", got " +
                 std::to_string(size) + " bytes at " + quoted_text(fields[3]));
  if (fields[5] != "r" && fields[5] != "w") lines.refuse("expected r or w, got " + quoted_text(fields[5]));
  e.access.write = fields[5] == "w";
  return e;
}

KernelTrace::KernelTrace(std::unique_ptr<std::istream> in, const std::string& name, const GpuConfig& gpu) {
  TraceLines lines(std::move(in), name);
  for (auto fields = lines.next(); !fields.empty(); fields = lines.next()) {
    const Entry e = entry(lines, fields, gpu);
    if (!entries_.empty() && e.kernel < entries_.back().kernel)
      lines.refuse("expected a kernel of at least " + std::to_string(entries_.back().kernel) +
                   ", that of the previous access, got " + std::to_string(e.kernel));
    if (entries_.size() == max_accesses)
      lines.refuse("expected at most " + std::to_string(max_accesses) + " accesses");
    entries_.push_back(e);
    kernels_ = e.kernel + 1;
    pipelines_ = std::max(pipelines_, e.pipeline + 1);
    footprint_ = std::max(footprint_, Bytes(e.access.address + e.access.size));
  }
  if (entries_.empty()) throw TraceError(name + ": has no access");
  std::ranges::stable_sort(entries_, {}, place);
}

void KernelTrace::begin_kernel(std::uint64_t number) {
  const auto kernel = static_cast<std::uint32_t>(number % kernels_);
  left_.clear();
  for (std::uint32_t pipeline = 0; pipeline < pipelines_; ++pipeline) {
    const auto first = std::ranges::lower_bound(entries_, std::pair(kernel, pipeline), {}, place);
    left_.emplace_back(first, std::ranges::upper_bound(entries_, std::pair(kernel, pipeline), {}, place));
  }
}

std::size_t KernelTrace::next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) {
  std::span<const Entry>& left = left_[pipeline];
  const std::size_t count = std::min(accesses.size(), left.size());
  std::ranges::transform(left.first(count), accesses.begin(), &Entry::access);
  left = left.subspan(count);
  return count;
}

}  // namespace asterism
