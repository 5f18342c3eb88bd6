#include "gpu/kernel_pipelines.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

namespace asterism {

namespace {
constexpr std::uint32_t sector_size = static_cast<std::uint32_t>(L2Slice::sector.count());
}  // namespace

KernelPipelines::KernelPipelines(const GpuConfig& config, std::vector<DeviceChannel>& channels)
    : swizzle_(config.swizzle()),
      latency_(config.latency),
      channels_(channels),
      pipelines_(config.pipelines) {}

void KernelPipelines::launch(Picoseconds at, KernelSource& source, std::uint64_t kernel, Bytes in_use) {
  const std::uint32_t count = source.pipelines();
  if (count > pipelines_.size())
    throw std::logic_error("a kernel for more pipelines than the GPU has: " + std::to_string(count));
  if (source.footprint() > in_use) throw std::logic_error("a kernel uses memory that is not allocated");
  source_ = &source;
  kernel_ = kernel;
  in_use_ = in_use.count();
  active_ = count;
  end_ = at;
  end_taken_ = false;
  ++counts_.kernels;
  source.begin_kernel(kernel);
  for (std::uint32_t number = 0; number < count; ++number) {
    Pipeline& pipeline = pipelines_[number];
    pipeline = {};
    pipeline.at = pipeline.moved = at;
    if (step(number)) push(number);
  }
}

void KernelPipelines::push(std::uint32_t number) {
  due_.push_back({pipelines_[number].at, number});
  std::push_heap(due_.begin(), due_.end(), std::greater{});
}

void KernelPipelines::refill(std::uint32_t number) {
  std::array<DeviceAccess, batch> accesses;
  Pipeline& pipeline = pipelines_[number];
  pipeline.position = 0;
  pipeline.count = static_cast<std::uint32_t>(source_->next(number, accesses));
  for (std::uint32_t i = 0; i < pipeline.count; ++i) {
    const DeviceAccess& access = accesses[i];
    if (((access.address | access.size) & (sector_size - 1)) != 0 || access.size == 0 ||
        access.address + access.size > in_use_ || !swizzle_.is_one_run(access.address, access.size))
      throw std::logic_error(
          "a kernel accesses " + std::to_string(access.size) + " bytes at " + std::to_string(access.address) +
          ": expected whole sectors of 32 bytes in one run of the swizzle, in its footprint");
    const ChannelAddress place = swizzle_.place(access.address);
    const std::uint64_t sector = place.offset / sector_size;
    // Member by member: GCC 12 copies a braced one through the stack, at five times the cost.
    Step& step = pipeline.steps[i];
    step.gap = access.gap;
    step.sector = sector;
    step.sectors = access.size / sector_size;
    step.channel = static_cast<std::uint16_t>(place.channel);
    step.write = access.write;
  }
}

bool KernelPipelines::step(std::uint32_t number) {
  Pipeline& pipeline = pipelines_[number];
  pipeline.done = 0;
  if (++pipeline.position >= pipeline.count) {
    refill(number);
    if (pipeline.count == 0) {
      end_ = std::max({end_, pipeline.at, pipeline.moved});
      --active_;
      return false;
    }
  }
  Picoseconds gap = pipeline.steps[pipeline.position].gap;
  if (clock_percent_ != 100) [[unlikely]]
    gap = gap * 100 / clock_percent_;
  pipeline.at += gap;
  if (pipeline.moved > pipeline.at + run_ahead) pipeline.at = pipeline.moved - run_ahead;
  pipeline.since = pipeline.at;
  return true;
}

void KernelPipelines::run_slice() {
  const Picoseconds end = slice * (due_.front().at / slice + 1);
  while (!due_.empty() && due_.front().at < end) {
    const std::uint32_t number = due_.front().pipeline;
    if (run_burst(number, end)) {
      due_.front().at = pipelines_[number].at;
      sink_first();
    } else {
      std::pop_heap(due_.begin(), due_.end(), std::greater{});
      due_.pop_back();
    }
  }
}

// The first one of the heap has become later.
void KernelPipelines::sink_first() {
  const Due moved = due_.front();
  std::size_t place = 0;
  for (std::size_t next = 1; next < due_.size(); next = 2 * place + 1) {
    if (next + 1 < due_.size()) next += due_[next + 1] < due_[next] ? 1 : 0;
    if (moved < due_[next]) break;
    due_[place] = due_[next];
    place = next;
  }
  due_[place] = moved;
}

void KernelPipelines::prefetch(const Pipeline& pipeline, std::uint32_t position) const {
  if (position >= pipeline.count) return;
  const Step& step = pipeline.steps[position];
  channels_[step.channel].prefetch(step.sector, step.sectors);
}

bool KernelPipelines::run_burst(std::uint32_t number, Picoseconds end) {
  constexpr std::uint32_t ahead = 4;
  Pipeline& pipeline = pipelines_[number];
  for (std::uint32_t i = 0; i < ahead; ++i) prefetch(pipeline, pipeline.position + i);
  for (unsigned i = 0; i < burst && pipeline.at < end; ++i) {
    prefetch(pipeline, pipeline.position + ahead);
    if (!access(pipeline)) {
      const Stop stop{pipeline.since, number, pipeline.steps[pipeline.position].channel};
      stops_.insert(std::ranges::upper_bound(stops_, stop), stop);
      ++counts_.stops;
      return false;
    }
    if (!step(number)) return false;
  }
  return true;
}

bool KernelPipelines::access(Pipeline& pipeline) {
  const Step& step = pipeline.steps[pipeline.position];
  const DeviceChannel::Access access{pipeline.at, pipeline.since, step.sector + pipeline.done,
                                     step.sectors - pipeline.done, step.write};
  pipeline.done += channels_[step.channel].access(access, kernel_, pipeline.moved);
  if (pipeline.done < step.sectors) return false;
  ++(step.write ? counts_.writes : counts_.reads);
  return true;
}

void KernelPipelines::retry(Picoseconds at, std::uint32_t channel) {
  if (stops_.empty()) return;
  std::erase_if(stops_, [&](const Stop& stop) {
    if (stop.channel != channel) return false;
    Pipeline& pipeline = pipelines_[stop.pipeline];
    pipeline.at = std::max(pipeline.at, at);
    if (!access(pipeline)) return false;
    pipeline.at += latency_;  // until the pipeline learns that its write was accepted
    counts_.stopped += pipeline.at - stop.since;
    if (step(stop.pipeline)) push(stop.pipeline);
    return true;
  });
}

std::optional<Picoseconds> KernelPipelines::take_end() {
  if (source_ == nullptr || active_ != 0 || end_taken_) return std::nullopt;
  end_taken_ = true;
  return end_;
}

void KernelPipelines::reset() {
  source_ = nullptr;
  due_.clear();
  stops_.clear();
  active_ = 0;
  end_taken_ = true;
}

}  // namespace asterism
