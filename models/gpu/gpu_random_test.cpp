// Compares random kernels and snapshots of small GPUs with a memory in which every write is done at once, as
// the kernel_word() of the accesses of one kernel does not depend on their order.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "base/random.h"
#include "gpu/gpu_rig.h"
#include "gpu/l2_slice.h"
#include "zone_monitor/zone_monitor_hook.h"

namespace asterism {
namespace {

GpuConfig random_config(Random& random) {
  GpuConfig config;
  config.channels = 1u << random.below(3);
  config.zone = Bytes(4096u << random.below(2));
  config.interleave = Bytes(128u << random.below(3));
  config.memory = config.zone * config.channels * (2 + random.below(10));
  config.channel = Bandwidth(1'000'000'000 * (1 + random.below(20)));
  config.l2_ways = static_cast<std::uint32_t>(1 + random.below(4));
  config.l2 = L2Slice::line * config.channels * config.l2_ways * (1 + random.below(8));
  config.pipelines = 8;
  config.write_queue = static_cast<std::uint32_t>(1 + random.below(6));
  config.buffer = config.zone * config.channels * (2 + random.below(6));
  config.transfer = Bytes(4096u << random.below(4));
  return config;
}

// Checks that a write waits only for a zone that is not preserved.
class Watch final : public ZoneMonitorHook {
 public:
  explicit Watch(ZoneMonitor& monitor) : monitor_(monitor) { monitor.attach_hook(this); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() override { monitor_.attach_hook(nullptr); }
  std::uint64_t waits() const { return waits_; }

  void write(std::uint32_t zone, ZoneMonitor::Check& check) override {
    if (check.answer == ZoneMonitor::Answer::proceed) return;
    ++waits_;
    EXPECT_TRUE(monitor_.is_unpreserved(zone)) << "a write waits for zone " << zone << ", which is preserved";
  }
  void track(bool) override {}
  void expose(std::uint32_t) override {}
  void begin(std::uint32_t&) override {}
  void preserve(std::uint32_t) override {}
  void refresh() override {}
  void complete() override {}
  void reset(Reset) override {}

 private:
  ZoneMonitor& monitor_;
  std::uint64_t waits_ = 0;
};

class Trial : public GpuRig {
 public:
  Trial(const GpuConfig& config, std::uint64_t seed)
      : GpuRig(config, MemoryContents::bytes, {.overhead = 500_ns}),
        config_(config),
        random_(seed),
        truth_(config.memory.count() / 8) {
    for (std::uint32_t channel = 0; channel < config.channels; ++channel)
      watches_.push_back(std::make_unique<Watch>(gpu.monitor(channel)));
  }

  void run_trial() {
    for (unsigned epoch = 0; epoch < 6; ++epoch) {
      run_kernel();
      snapshot(epoch == 0 || random_.below(4) == 0 ? SnapshotKind::full : SnapshotKind::increment);
      if (HasFailure()) return;
    }
    restore();
  }

  std::uint64_t waits() const {
    std::uint64_t waits = 0;
    for (const auto& watch : watches_) waits += watch->waits();
    return waits;
  }

  void zone_waits(Picoseconds at, Zone zone) override {
    GpuRig::zone_waits(at, zone);
    if (hints_) wanted_.push_back(zone);
  }
  void arrived(Picoseconds at, std::span<const Zone> zones) override {
    for (const Zone zone : zones) {
      image_[number(zone)] = host.zones.at(next_.value());
      places_[number(zone)] = next_;
      next_ += config_.zone;
    }
    if (by_device_) return;
    if (hints_ && random_.below(3) != 0) gpu.preserve(at, zones);
  }

 private:
  std::uint32_t number(Zone zone) const { return zone.index * config_.channels + zone.channel; }
  static bool HasFailure() { return ::testing::Test::HasFailure(); }

  // Draws the accesses of a kernel and applies them to the reference memory.
  ListedKernel random_kernel() {
    std::vector<std::vector<DeviceAccess>> lists(1 + random_.below(config_.pipelines));
    const std::uint64_t runs = config_.memory / config_.interleave;
    const std::uint64_t hot = 1 + random_.below(runs);
    for (auto& list : lists) {
      list.resize(random_.below(200));
      for (DeviceAccess& access : list) {
        const std::uint64_t sectors = config_.interleave / L2Slice::sector;
        const std::uint64_t first = random_.below(sectors);
        access.address = random_.below(hot) * config_.interleave.count() + 32 * first;
        access.size = static_cast<std::uint32_t>(32 * (1 + random_.below(sectors - first)));
        access.write = random_.below(3) != 0;
        access.gap = Picoseconds(random_.below(2) * random_.below(200'000));
        if (access.write)
          for (std::uint64_t at = access.address; at < access.address + access.size; at += 8)
            truth_[at / 8] = kernel_word(truth_[at / 8], kernel_, at);
      }
    }
    return ListedKernel(std::move(lists));
  }
  void run_kernel() {
    ListedKernel kernel = random_kernel();
    run(kernel, kernel_++);
    expect_memory_is_true();
  }
  void expect_memory_is_true() {
    std::vector<std::byte> bytes(config_.memory.count());
    gpu.peek(0, bytes);
    ASSERT_EQ(std::memcmp(bytes.data(), truth_.data(), bytes.size()), 0) << "a write is lost or done twice";
  }

  void snapshot(SnapshotKind kind) {
    by_device_ = random_.below(2) == 0;
    hints_ = random_.below(2) == 0;
    wanted_.clear();
    next_ = Address(0x1'0000'0000 + 0x1000'0000 * extent_++);
    const std::vector<std::uint64_t> then = truth_;
    gpu.begin_snapshot(now, kind, by_device_ ? Offloader::device : Offloader::driver, next_);
    const std::size_t before = taken.size(), ended = kernels_ended.size();
    std::optional<ListedKernel> kernel;
    if (random_.below(4) != 0) {
      kernel.emplace(random_kernel());
      gpu.launch(now, *kernel, kernel_++);
    }
    std::uint32_t from = 0;
    const bool done = run_while_not([&] {
      if (!by_device_ && taken.size() == before) drive(from);
      return taken.size() > before && (!kernel || kernels_ended.size() > ended);
    });
    ASSERT_TRUE(done) << "the snapshot or the kernel never ends";
    ASSERT_TRUE(failed.empty());
    expect_image_is(then);
    expect_memory_is_true();
    EXPECT_EQ(gpu.stopped_pipelines(), 0u);
  }

  void drive(std::uint32_t& from) {
    if (gpu.copying()) return;
    std::vector<Zone> zones;
    while (!wanted_.empty() && zones.empty()) {
      if (gpu.awaits_copy(wanted_.back())) zones.push_back(wanted_.back());
      // The hint of this zone may not have been sent.
      else if (gpu.may_preserve(wanted_.back()))
        gpu.preserve(now, std::vector{wanted_.back()});
      wanted_.pop_back();
    }
    for (; zones.size() < 3; ++from) {
      const auto zone = gpu.next_unpreserved(from);
      if (!zone) break;
      from = number(*zone);
      if (gpu.awaits_copy(*zone) && std::ranges::find(zones, *zone) == zones.end()) zones.push_back(*zone);
    }
    if (!zones.empty())
      gpu.copy_out(now, zones);
    else if (gpu.may_finish())
      gpu.finish_snapshot(now);
  }

  // The image of all saved zones must be the memory at the beginning of the snapshot.
  void expect_image_is(const std::vector<std::uint64_t>& then) {
    const AddressSwizzle swizzle = config_.swizzle();
    for (std::uint64_t address = 0; address < config_.memory.count(); address += 32) {
      const ChannelAddress at = swizzle.place(address);
      const auto zone = static_cast<std::uint32_t>(at.offset / config_.zone.count());
      const auto found = image_.find(number({at.channel, zone}));
      ASSERT_NE(found, image_.end());
      ASSERT_EQ(std::memcmp(found->second.data() + at.offset % config_.zone.count(),
                            reinterpret_cast<const std::byte*>(then.data()) + address, 32),
                0)
          << "at " << address;
    }
  }

  void restore() {
    gpu.reset(Reset::power_loss);
    gpu.allocate(config_.memory);
    std::vector<std::byte> then;
    for (const auto& [number, place] : places_) {
      const Zone zone{number % config_.channels, number / config_.channels};
      gpu.copy_in(now, std::vector{zone}, place);
      const std::size_t before = copied_in_at.size();
      ASSERT_TRUE(run_while_not([&] { return copied_in_at.size() > before; }));
      std::vector<std::byte> bytes(config_.zone.count());
      gpu.memory().read({zone.channel, zone.index * config_.zone.count()}, bytes);
      ASSERT_EQ(bytes, image_.at(number));
    }
  }

  GpuConfig config_;
  Random random_;
  std::vector<std::uint64_t> truth_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::uint64_t kernel_ = 1, extent_ = 0;
  bool by_device_ = false, hints_ = false;
  Address next_{};
  std::vector<Zone> wanted_;
  std::map<std::uint32_t, std::vector<std::byte>> image_;
  std::map<std::uint32_t, Address> places_;
};

TEST(GpuRandom, EverySnapshotIsTheMemoryWhenItWasBegun) {
  std::uint64_t waits = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const GpuConfig config = random_config(random);
    Trial trial(config, seed);
    trial.run_trial();
    waits += trial.waits();
    if (HasFailure()) return;
  }
  EXPECT_GT(waits, 1000u);
}

}  // namespace
}  // namespace asterism
