// The pipelines of a GPU while they run a kernel. Each issues its accesses in order, a `gap` after the
// previous one or as soon as the memory accepts it, and stalls at a write for which a channel has no free
// entry in its queue.
//
// The pipeline whose next access is due first (the lower number if equal) issues up to `burst` accesses, but
// none of the next slice of time. Their accesses are therefore in order of time to within a slice; a single
// pipeline is exact. The result depends on accesses and releases only, not on how often advance_to() is
// called.
//
// That runs of accesses, not single ones, are ordered is this project's; it makes the model fast.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "gpu/device_channel.h"
#include "gpu/kernel_source.h"

namespace asterism {

class KernelPipelines {
 public:
  static constexpr Picoseconds run_ahead = 1_us;  // of a pipeline ahead of the channel that it uses
  static constexpr Picoseconds slice = 100_ns;
  static constexpr unsigned burst = 16;

  struct Counts {
    std::uint64_t kernels = 0, reads = 0, writes = 0;
    std::uint64_t stops = 0;
    Picoseconds stopped{};  // the total of all pipelines
  };

  KernelPipelines(const GpuConfig& config, std::vector<DeviceChannel>& channels);

  // `in_use`: all addresses are below it. Throws std::logic_error for more pipelines than there are, and
  // later for accesses that kernel_source.h does not allow.
  void launch(Picoseconds at, KernelSource& source, std::uint64_t kernel, Bytes in_use);
  // It is running until take_end() is called.
  bool running() const { return source_ != nullptr; }
  // The clock in percent of its speed, for the gaps before later accesses. reset() does not change it.
  void set_clock(std::uint32_t percent) { clock_percent_ = percent; }
  std::uint32_t stopped() const { return static_cast<std::uint32_t>(stops_.size()); }
  const Counts& counts() const { return counts_; }

  std::optional<Picoseconds> next_event() const {
    return due_.empty() ? std::nullopt : std::optional(due_.front().at);
  }
  // Runs the slice of time in which the next access is due.
  void run_slice();
  // A channel has released writes: pipelines stalled for it try again, in order of arrival.
  void retry(Picoseconds at, std::uint32_t channel);
  // Returned once, when all have ended: the time at which their last accesses were moved.
  std::optional<Picoseconds> take_end();
  void reset();

 private:
  struct Due {
    Picoseconds at;
    std::uint32_t pipeline;
    // Without a branch, which could not be predicted.
    bool operator<(const Due& o) const { return (at < o.at) | ((at == o.at) & (pipeline < o.pipeline)); }
    bool operator>(const Due& o) const { return o < *this; }
  };
  struct Stop {
    Picoseconds since;
    std::uint32_t pipeline, channel;
    auto operator<=>(const Stop&) const = default;
  };
  static constexpr std::size_t batch = 16;
  // An access from the point of view of its channel.
  struct Step {
    Picoseconds gap;
    std::uint64_t sector;  // the first sector, in the channel
    std::uint32_t sectors;
    std::uint16_t channel;
    bool write;
  };
  struct Pipeline {
    Picoseconds at{}, since{};  // when its access is due, and when it was first due
    Picoseconds moved{};        // the completion of its last movement
    std::uint32_t position = 0, count = 0;
    std::uint32_t done = 0;  // the number of sectors of the access that are complete
    std::array<Step, batch> steps{};
  };

  // Returns whether its next access is due at some time; false if it has ended or stalled.
  bool run_burst(std::uint32_t number, Picoseconds end);
  void sink_first();
  bool access(Pipeline& pipeline);
  // Advances to the access after the completed one; returns whether there is one.
  bool step(std::uint32_t number);
  void prefetch(const Pipeline& pipeline, std::uint32_t position) const;
  void refill(std::uint32_t number);
  void push(std::uint32_t number);

  AddressSwizzle swizzle_;
  Picoseconds latency_;
  std::uint32_t clock_percent_ = 100;
  std::vector<DeviceChannel>& channels_;
  std::vector<Pipeline> pipelines_;
  KernelSource* source_ = nullptr;
  std::uint64_t kernel_ = 0;
  std::uint64_t in_use_ = 0;
  std::uint32_t active_ = 0;
  bool end_taken_ = true;
  Picoseconds end_{};
  std::vector<Due> due_;     // a heap with the earliest in front
  std::vector<Stop> stops_;  // in order
  Counts counts_;
};

}  // namespace asterism
