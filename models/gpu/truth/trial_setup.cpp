#include "gpu/truth/trial_setup.h"

#include "gpu/l2_slice.h"

namespace asterism {

namespace {

constexpr std::uint32_t first_name = 2;  // of SnapshotChoice

GpuConfig any_gpu(Random& random, bool fine) {
  GpuConfig c;
  const bool is_long = one_in(random, 32);  // a table with more sectors than the monitor's cache
  c.channels = is_long ? 1 : 1u << random.below(3);
  c.zone = fine || is_long ? 4_KiB : Bytes(4096u << random.below(3));
  c.interleave = Bytes(128u << random.below(6));
  c.memory = c.zone * c.channels * (is_long ? between(random, 300, 600) : between(random, 2, 10));
  c.channel = Bandwidth(std::uint64_t{1'000'000'000} * between(random, 1, 30));
  c.monitor.cache = is_long ? 64_B : Bytes(64u << random.below(3));
  c.monitor.ways = 1;
  c.l2_ways = between(random, 1, 4);
  c.l2 = L2Slice::line * c.channels * c.l2_ways * between(random, 1, 8);
  c.pipelines = between(random, 1, 8);
  c.write_queue = one_in(random, 4) ? 1 : between(random, 1, 12);
  c.buffer = c.zone * c.channels * between(random, 2, 6);
  c.transfer = Bytes(4096u << random.below(5));
  // From shorter than most snapshots to longer than any.
  c.watchdog = 10_us * (std::uint64_t{1} << random.below(12));
  return c;
}

SnapshotConfig any_snapshot(SnapshotChoice choice, Random& random) {
  const std::size_t name = choice == SnapshotChoice::mixed ? random.below(snapshot_config_names.size())
                                                           : static_cast<std::size_t>(choice) - first_name;
  return *snapshot_config(snapshot_config_names.at(name));
}

}  // namespace

std::uint32_t between(Random& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random.below(high - low + 1));
}
bool one_in(Random& random, std::uint32_t n) { return random.below(n) == 0; }

HostLinkConfig any_link(Random& random) {
  HostLinkConfig c;
  c.lanes = between(random, 1, 16);
  c.gpu_lanes = between(random, 1, 4);
  c.lane = Bandwidth(std::uint64_t{100'000'000} * between(random, 5, 40));
  c.overhead = Picoseconds(random.below(2'000'000));
  return c;
}

TrialSetup any_setup(const SnapshotTrialConfig& config, Random& random) {
  TrialSetup s;
  const auto name =
      SnapshotChoice(static_cast<std::uint8_t>(first_name + random.below(snapshot_config_names.size())));
  const bool is_mixed = one_in(random, 8);
  s.choice = config.config != SnapshotChoice::any ? config.config : is_mixed ? SnapshotChoice::mixed : name;
  s.gpu = any_gpu(random, s.choice != SnapshotChoice::mixed && any_snapshot(s.choice, random).fine);
  s.allocated = one_in(random, 4) ? 32_B * (1 + random.below(s.gpu.memory / 32_B)) : s.gpu.memory;
  const std::uint32_t zones = s.gpu.zones();
  s.buffer_zones =
      one_in(random, 16) ? between(random, zones, 2 * zones) : between(random, 2 * zones, 6 * zones);
  s.one_way = Picoseconds(random.below(10'000'000) >> random.below(8));
  s.hint_interval = Picoseconds(random.below(40'000'000) >> random.below(8));
  s.lateness = one_in(random, 2) ? 0_ps : Picoseconds(random.below(20'000'000));
  s.refuses_once_in = one_in(random, 4) ? 4 * zones : 0;
  s.busy = between(random, 10, 400);
  s.gap = Picoseconds(random.below(1'000'000) >> random.below(12));
  return s;
}

TrialSetup aimed_setup(Random& random) {
  TrialSetup s = any_setup({.config = SnapshotChoice::mixed}, random);
  s.is_aimed = true;
  GpuConfig& c = s.gpu;
  c.channels = 1u << random.below(3);
  c.zone = 4_KiB;
  c.interleave = Bytes(128u << random.below(4));
  c.memory = c.zone * c.channels * between(random, 6, 16);
  c.l2 = L2Slice::line * c.channels;
  c.l2_ways = 1;
  c.pipelines = between(random, 4, 8);
  c.write_queue = between(random, 4, 12);
  c.buffer = c.zone * c.channels * between(random, 2, 6);
  c.transfer = c.zone * between(random, 2, 6);
  c.watchdog = 10_us * (std::uint64_t{1} << random.below(8));
  s.allocated = c.memory;
  s.buffer_zones = between(random, 3 * c.zones(), 6 * c.zones());
  s.lateness = one_in(random, 2) ? 0_ps : Picoseconds(random.below(5'000'000));
  s.refuses_once_in = one_in(random, 2) ? c.zones() : 0;
  s.busy = between(random, 50, 400);
  return s;
}

SnapshotConfig any_snapshot(const TrialSetup& setup, Random& random) {
  if (!setup.is_aimed) return any_snapshot(setup.choice, random);
  return {.kind = one_in(random, 2) ? SnapshotKind::full : SnapshotKind::increment,
          .non_blocking = true,
          .hints = true};
}

}  // namespace asterism
