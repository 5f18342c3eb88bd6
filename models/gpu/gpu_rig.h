// A small GPU for tests, with its link, a host's memory in a map, and a record of what the sink received.
// Kernels are lists of accesses.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "base/engine.h"
#include "gpu/gpu.h"

namespace asterism {

// The GPU has one channel of 1 GB/s, which moves a sector of 32 bytes in 32 ns, with 16 zones of 4 KiB. The
// L2 has one line, so that a write is checked when the next one comes; one write may wait.
inline GpuConfig small_gpu() {
  GpuConfig config;
  config.memory = 64_KiB;
  config.channels = 1;
  config.channel = 1_GBps;
  config.zone = 4_KiB;
  config.l2 = 128_B;
  config.l2_ways = 1;
  config.pipelines = 4;
  config.write_queue = 1;
  config.buffer = 16_KiB;
  config.transfer = 8_KiB;
  return config;
}

inline DeviceAccess load(std::uint64_t address, Picoseconds gap = 0_ns, std::uint32_t size = 32) {
  return {gap, address, size, false};
}
inline DeviceAccess store(std::uint64_t address, Picoseconds gap = 0_ns, std::uint32_t size = 32) {
  return {gap, address, size, true};
}

// A list of accesses for each pipeline, the same for every kernel.
class ListedKernel final : public KernelSource {
 public:
  explicit ListedKernel(std::vector<std::vector<DeviceAccess>> lists) : lists_(std::move(lists)) {}

  std::uint32_t pipelines() const override { return static_cast<std::uint32_t>(lists_.size()); }
  Bytes footprint() const override {
    std::uint64_t end = 0;
    for (const auto& list : lists_)
      for (const DeviceAccess& access : list) end = std::max(end, access.address + access.size);
    return Bytes(end);
  }
  void begin_kernel(std::uint64_t) override { next_.assign(lists_.size(), 0); }
  std::size_t next(std::uint32_t pipeline, std::span<DeviceAccess> accesses) override {
    const auto& list = lists_[pipeline];
    const std::size_t count = std::min(accesses.size(), list.size() - next_[pipeline]);
    std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(next_[pipeline]), count, accesses.begin());
    next_[pipeline] += count;
    return count;
  }

 private:
  std::vector<std::vector<DeviceAccess>> lists_;
  std::vector<std::size_t> next_;
};

struct MapMemory final : Gpu::HostMemory {
  std::map<std::uint64_t, std::vector<std::byte>> zones;  // by address
  Bytes zone{4096};
  bool refuses = false;
  Picoseconds read_time{};
  void write(Picoseconds now, Address to, std::span<const std::byte> data, OnAccessEnd ended) override {
    if (refuses) return ended({now, false});
    for (std::uint64_t at = 0; at < data.size(); at += zone.count()) {
      const auto part = data.subspan(at, zone.count());
      zones[to.value() + at].assign(part.begin(), part.end());
    }
    ended({now});
  }
  void read(Picoseconds now, Address from, Bytes, OnAccessEnd ended) override {
    if (refuses) return ended({now, false});
    const auto found = zones.find(from.value());
    ended({now + read_time, true, found == zones.end() ? std::span<const std::byte>() : found->second});
  }
};

struct GpuRig : Gpu::Sink {
  explicit GpuRig(const GpuConfig& config, MemoryContents contents = MemoryContents::bytes,
                  const HostLinkConfig& link_config = {})
      : link(link_config, 1), gpu(config, contents, 0, link, host, *this) {
    host.zone = config.zone;
    gpu.allocate(config.memory);
    gpu.track(true);
  }

  // A rig with a driver adds the events of the driver.
  virtual std::optional<Picoseconds> next() const { return earlier(gpu.next_event(), link.next_event()); }
  virtual void step(Picoseconds to) {
    now = to;
    for ([[maybe_unused]] const std::uint32_t ended : link.advance_to(now)) gpu.transferred(now);
    gpu.advance_to(now);
  }
  // Handles all events until `end`.
  void run_until(Picoseconds end) {
    for (auto at = next(); at && *at <= end; at = next()) step(*at);
    step(end);
  }
  template <class Done>
  bool run_while_not(Done done) {
    while (!done()) {
      const auto at = next();
      if (!at) return false;
      step(*at);
    }
    return true;
  }
  void run(KernelSource& kernel, std::uint64_t number) {
    const std::size_t before = kernels_ended.size();
    gpu.launch(now, kernel, number);
    run_while_not([&] { return kernels_ended.size() > before; });
  }

  void kernel_ended(Picoseconds at) override { kernels_ended.push_back(at); }
  void zone_waits(Picoseconds at, Zone zone) override { waits.emplace_back(at, zone); }
  void arrived(Picoseconds, std::span<const Zone> zones) override {
    zones_arrived.insert(zones_arrived.end(), zones.begin(), zones.end());
  }
  void snapshot_taken(Picoseconds at) override { taken.push_back(at); }
  void snapshot_failed(Picoseconds at, Gpu::Failure why) override { failed.emplace_back(at, why); }
  void copied_in(Picoseconds at) override { copied_in_at.push_back(at); }

  Picoseconds now{};
  HostLink link;
  MapMemory host;
  Gpu gpu;
  std::vector<Picoseconds> kernels_ended, taken, copied_in_at;
  std::vector<std::pair<Picoseconds, Zone>> waits;
  std::vector<std::pair<Picoseconds, Gpu::Failure>> failed;
  std::vector<Zone> zones_arrived;
};

}  // namespace asterism
