// Random snapshots by the firmware's driver, aimed at copies that gather zones with waiting writes: during
// them the snapshot is abandoned, the GPU is lost, memory refuses or the driver falls silent. In every case,
// the snapshot committed last must equal the memory when that snapshot was begun, in the buffer and after a
// restore. A listed state that no trial reaches fails the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>

#include "base/random.h"
#include "base/sanitizers.h"
#include "drivers/gpu_test_machine.h"
#include "gpu/truth/gathered_watch.h"
#include "zone_monitor/zone_monitor_hook.h"

extern "C" {
#include "drivers/gpu_snapshot.h"
}

namespace asterism {
namespace {

constexpr std::uint64_t trials_of_ci = is_sanitized ? 30 : 1200;

// Observes the writes of a channel. The mutant preserves one zone too many after zones that were copied
// together.
class ChannelWatch final : public ZoneMonitorHook {
 public:
  ChannelWatch(GpuTestMachine& machine, std::uint32_t channel, GatheredWatch& gathered, bool is_mutant)
      : machine_(machine),
        monitor_(machine.port.gpu().monitor(channel)),
        channel_(channel),
        gathered_(gathered),
        is_mutant_(is_mutant) {
    monitor_.attach_hook(this);
  }
  ChannelWatch(const ChannelWatch&) = delete;
  ChannelWatch& operator=(const ChannelWatch&) = delete;
  ~ChannelWatch() override { monitor_.attach_hook(nullptr); }

  void write(std::uint32_t zone, ZoneMonitor::Check& check) override {
    gathered_.wrote(number_of(zone), check.answer != ZoneMonitor::Answer::proceed);
  }
  void preserve(std::uint32_t zone) override {
    gathered_.preserved(number_of(zone));
    const bool is_second = std::exchange(preserved_at_, machine_.now) == machine_.now;
    if (!is_mutant_ || !is_second || is_preserving_too_much_) return;
    is_preserving_too_much_ = true;
    if (const auto next = monitor_.next_unpreserved(0)) monitor_.preserve(*next);
    is_preserving_too_much_ = false;
  }
  void track(bool) override {}
  void expose(std::uint32_t) override {}
  void begin(std::uint32_t&) override {}
  void refresh() override {}
  void complete() override {}
  void reset(Reset) override {}

 private:
  std::uint32_t number_of(std::uint32_t zone) const { return zone * machine_.config.channels + channel_; }

  GpuTestMachine& machine_;
  ZoneMonitor& monitor_;
  std::uint32_t channel_;
  GatheredWatch& gathered_;
  bool is_mutant_, is_preserving_too_much_ = false;
  std::optional<Picoseconds> preserved_at_;
};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Trial {
 public:
  Trial(std::uint64_t seed, bool is_mutant, SnapshotStates& states)
      : random_(seed),
        machine_(any_gpu(), {.overhead = Picoseconds(random_.below(5'000'000)),
                             .round_trip = Picoseconds(random_.below(2'000'000))}),
        gathered_(states),
        late_(one_in(2) ? 0 : random_.below(4)) {
    for (std::uint32_t channel = 0; channel < machine_.config.channels; ++channel)
      watches_.emplace_back(machine_, channel, gathered_, is_mutant);
    const auto kib = static_cast<std::uint32_t>(machine_.config.memory.count() >> 10);
    if (gpu_snapshot_prepare(&driver_, 0, kib, &chain_) != gpu_ok) throw Failure("the driver does not start");
    buffer_.resize(gpu_snapshot_bytes(&driver_) + page);
    void* at = buffer_.data();
    std::size_t space = buffer_.size();
    gpu_snapshot_use(&driver_, std::align(page, gpu_snapshot_bytes(&driver_), at, space));
    kept_.assign(machine_.config.memory.count(), std::byte{0});
  }

  // The number of snapshots begun.
  std::uint64_t run(unsigned snapshots) {
    for (unsigned i = 0; i < snapshots; ++i) {
      if (is_lost_) restore();
      if (!one_in(4)) {
        launch();
        while (machine_.port.gpu().running()) step();
      }
      take();
      check_chain();
    }
    return begun_;
  }

 private:
  static constexpr std::size_t page = 4096;

  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random_.below(high - low + 1));
  }

  // A small GPU, in which writes soon wait for several zones.
  GpuConfig any_gpu() {
    GpuConfig c;
    c.channels = 1u << random_.below(3);
    c.zone = 4_KiB;
    c.interleave = Bytes(128u << random_.below(4));
    c.memory = c.zone * c.channels * between(6, 16);
    c.channel = Bandwidth(std::uint64_t{1'000'000'000} * between(1, 30));
    c.monitor.cache = 64_B;
    c.monitor.ways = 1;
    c.l2 = 128_B * c.channels;
    c.l2_ways = 1;
    c.pipelines = between(4, 8);
    c.write_queue = between(4, 12);
    c.buffer = c.zone * c.channels * between(2, 6);
    c.transfer = c.zone * between(2, 6);
    c.watchdog = 20_us * (std::uint64_t{1} << random_.below(8));
    return c;
  }

  std::vector<std::byte> memory() const {
    std::vector<std::byte> bytes(machine_.config.memory.count());
    machine_.port.gpu().peek(0, bytes);
    return bytes;
  }

  void launch() {
    kernel_ = {.first = 0,
               .bytes = machine_.config.memory.count(),
               .seed = random_.next(),
               .number = ++kernels_,
               .accesses = between(5, 100),
               .pattern = between(0, 1),
               .writes = between(100, 1000),
               .gap_ns = between(0, 400),
               .zero = {}};
    if (gpu_launch(0, &kernel_) != gpu_ok) throw Failure("a kernel is refused");
  }

  bool has_event() const { return machine_.link.next_event() || machine_.port.next_event(); }

  void step() {
    const bool was_open = machine_.port.gpu().snapshot_open();
    if (!machine_.step()) throw Failure("something waits for ever");
    const Gpu& gpu = machine_.port.gpu();
    if (is_copying_ && gpu.snapshot_open() && !gpu.copying()) {
      gathered_.arrived(machine_.copies.back());
      is_copying_ = false;
    }
    if (const auto why = machine_.port.failed(); was_open && !gpu.snapshot_open() && why) {
      gathered_.ended(*why == Gpu::Failure::watchdog      ? SnapshotEnd::watchdog
                      : *why == Gpu::Failure::host_memory ? SnapshotEnd::host_memory
                                                          : SnapshotEnd::abort);
      machine_.refuses = is_silent_ = is_copying_ = false;
    }
    gathered_.observe(gpu);
  }

  void serve() {
    const std::size_t copies = machine_.copies.size();
    gpu_snapshot_progress(&driver_);
    if (machine_.copies.size() != copies) is_copying_ = true;
    gathered_.observe(machine_.port.gpu());
  }

  void take() {
    const GpuSnapshotHow how{.increments = one_in(2), .device_side = false, .hints = true, .silent = false};
    const std::vector<std::byte> now = memory();
    machine_.copies.clear();
    is_copying_ = false;
    gathered_.began(true);
    ++begun_;
    if (gpu_snapshot_begin(&driver_, how) != gpu_ok) throw Failure("a snapshot is refused");
    launch();
    disturbs_in_ = one_in(3) ? 1 + random_.below(400) : 0;
    while (!is_lost_ && (gpu_snapshot_is_open(&driver_) || machine_.port.gpu().running())) {
      if (!has_event()) {  // no write waits that the watchdog would end
        is_silent_ = false;
        serve();
        if (!has_event() && gpu_snapshot_is_open(&driver_)) throw Failure("a snapshot does not end");
        continue;
      }
      step();
      if (!is_silent_ && random_.below(late_ + 1) == 0) serve();
      const bool is_amid = is_gathered(gathered_.copy()) && one_in(48);
      if (machine_.port.gpu().snapshot_open() && (is_amid || (disturbs_in_ != 0 && --disturbs_in_ == 0)))
        disturb();
    }
    machine_.refuses = is_silent_ = false;
    if (is_lost_) return;
    if (driver_.state == gpu_snapshot_taken) {
      gathered_.taken(how.increments, !driver_.full);
      has_increment_ = !driver_.full;
      gpu_snapshot_commit(&driver_);
      kept_ = now;
    } else if (driver_.state != gpu_snapshot_failed) {
      throw Failure("a snapshot ends neither taken nor failed");
    }
  }

  void disturb() {
    switch (random_.below(4)) {
      case 0:
        gathered_.ended(SnapshotEnd::abort);
        if (gpu_abort(0) != gpu_ok) throw Failure("an abort is refused");
        break;
      case 1:
        lose();
        break;
      case 2:
        machine_.refuses = true;
        break;
      default:
        is_silent_ = true;  // until the watchdog ends it
    }
  }

  void lose() {
    gathered_.ended(SnapshotEnd::loss);
    machine_.port.lose(machine_.now);
    machine_.events |= machine_.port.take_happened();
    gpu_snapshot_progress(&driver_);
    if (driver_.state != gpu_snapshot_lost) throw Failure("the driver does not see that its GPU is lost");
    is_lost_ = true;
    is_copying_ = false;
    check_chain();
  }

  void restore() {
    if (gpu_snapshot_restore(&driver_) != gpu_ok) throw Failure("a restore is refused");
    while (driver_.state == gpu_snapshot_restoring) {
      step();
      gpu_snapshot_progress(&driver_);
    }
    if (driver_.state != gpu_snapshot_restored) throw Failure("a restore fails");
    if (chain_.used != 0) gathered_.restored(has_increment_);
    is_lost_ = false;
    if (memory() != kept_) throw Failure("memory differs from what it was, after a restore");
  }

  // Compares the buffer zone by zone.
  void check_chain() const {
    if (chain_.used == 0) return;
    const GpuConfig& c = machine_.config;
    for (std::uint32_t number = 0; number < c.zones(); ++number) {
      const auto* there = reinterpret_cast<const std::byte*>(gpu_snapshot_zone(&driver_, number));
      if (there == nullptr) throw Failure("zone " + std::to_string(number) + " is not in the chain");
      for (std::uint64_t from = 0; from < c.zone.count(); from += c.interleave.count()) {
        const std::uint64_t address =
            c.swizzle().address({number % c.channels, number / c.channels * c.zone.count() + from});
        if (std::memcmp(there + from, kept_.data() + address, c.interleave.count()) != 0)
          throw Failure("zone " + std::to_string(number) + " of the chain differs from memory as it was");
      }
    }
  }

  Random random_;
  GpuTestMachine machine_;
  GatheredWatch gathered_;
  std::deque<ChannelWatch> watches_;
  std::uint64_t late_;  // the driver observes one in this number of events
  GpuChain chain_{};
  GpuSnapshot driver_{};
  std::vector<std::byte> buffer_;
  std::vector<std::byte> kept_;  // memory at the time of the snapshot committed last
  GpuKernel kernel_{};
  std::uint64_t kernels_ = 0, begun_ = 0, disturbs_in_ = 0;
  bool is_lost_ = false, is_silent_ = false, is_copying_ = false, has_increment_ = false;
};

TEST(GpuSnapshotTrial, CommittedSnapshotsEqualTheMemoryAndEveryListedStateIsReached) {
  SnapshotStates states;
  std::uint64_t begun = 0;
  for (std::uint64_t seed = 1; seed <= trials_of_ci; ++seed) try {
      begun += Trial(seed, false, states).run(20);
    } catch (const Failure& failure) {
      FAIL() << "seed " << seed << ": " << failure.what();
    }
  EXPECT_EQ(begun, trials_of_ci * 20);
  if (trials_of_ci < 1200) return;
  EXPECT_THAT(states.not_reached(), testing::IsEmpty());
}

TEST(GpuSnapshotTrial, FindsACopyThatPreservesAnAdditionalZone) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) try {
      SnapshotStates states;
      Trial(seed, true, states).run(20);
    } catch (const Failure& failure) {
      found += std::string(failure.what()).find("differs from memory as it was") != std::string::npos ? 1 : 0;
    }
  EXPECT_GT(found, 10);
}

}  // namespace
}  // namespace asterism
