// Accuracy and speed of the DRAM engine: DDR3-1600 11-11-11 with refresh, one channel of one rank, FR-FCFS,
// RoRaBaCoCh, requests of 64 bytes, each issued one clock after the answer that frees its slot.
//
//   dram_bench [--check]
//
// Bandwidths are compared with the results of Ramulator 2.1 and DRAMSys 5.1 for the same traces. A contended
// access is timed beside a loose one. With --check the exit status is 1 when a figure misses its limit.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "figures.h"
#include "memory/contended_channel.h"
#include "memory/dram_traffic.h"
#include "memory/loose_channel.h"

namespace asterism {
namespace {

DramPart part() {  // as in configs/dram/ddr3_1600_2gb_x8.json
  DramPart part;
  part.capacity = 256_MiB, part.width = 8;
  part.timing.trfc = 128_cycles;
  return part;
}

DramConfig one_rank() {
  DramConfig config;
  config.ranks = 1;
  return config;
}

struct Run {
  double gigabytes_per_second, requests_per_second;
};
Run run(const DramConfig& config, DramPatternSettings settings, std::uint32_t outstanding,
        std::uint64_t requests) {
  DramSystem system(config, part(), 2_GiB);
  settings.blocks = system.mapping().geometry().blocks();
  settings.requests = requests;
  DramPatternSource source(settings);
  const double start = cpu_seconds();
  const DramTrafficResult result = DramTraffic(system, outstanding, part().timing.tck).run(source);
  const double seconds = cpu_seconds() - start;
  return {64e3 * static_cast<double>(requests) / static_cast<double>(result.elapsed.count()),
          static_cast<double>(requests) / seconds};
}

void bandwidth(const std::string& name, const Run& run, double theirs, double per_cent) {
  const double off = 100 * (run.gigabytes_per_second / theirs - 1);
  figures.add(fmt::format("{}, GB/s ({} there)", name, theirs),
              fmt::format("{:.3f}", run.gigabytes_per_second), off < per_cent && off > -per_cent,
              fmt::format("within {}%: {:+.1f}%", per_cent, off));
}

constexpr DramPatternSettings sequential{.pattern = DramPattern::sequential}, random_reads{},
    random_mixed{.writes = 0.33};

void measure_bandwidth() {
  bandwidth("sequential, 1 outstanding", run(one_rank(), sequential, 1, 500'000), 3.11, 1);
  bandwidth("sequential, 32", run(one_rank(), sequential, 32, 500'000), 12.49, 1);
  bandwidth("random, 1", run(one_rank(), random_reads, 1, 500'000), 1.33, 1);
  bandwidth("random, 32", run(one_rank(), random_reads, 32, 500'000), 8.21, 1);
  // The two simulators do not agree here, because their write queues and drain thresholds differ.
  const Run mixed = run(one_rank(), random_mixed, 32, 500'000);
  bandwidth("random, 33% writes, 32: Ramulator's", mixed, 7.54, 8);
  figures.add("  against DRAMSys's 7.0",
              fmt::format("{:+.1f}%", (mixed.gigabytes_per_second / 7.0 - 1) * 100));
  DramConfig shorter = one_rank();
  shorter.write_queue = 32, shorter.write_high = 26, shorter.write_low = 6;
  const Run sooner = run(shorter, random_mixed, 32, 500'000);
  bandwidth("  with 32 writes, drained from 26 to 6: Ramulator's", sooner, 7.54, 8);
  bandwidth("  the same: DRAMSys's", sooner, 7.0, 8);
}

struct Arrival : DramSystem::Sink {
  Picoseconds at;
  void completed(std::uint64_t, Picoseconds time) override { at = time; }
};

void measure_latency() {
  DramSystem system(one_rank(), part(), 2_GiB);
  Picoseconds now;
  const auto access = [&](const std::string& name, const BlockLocation& location, unsigned clocks) {
    Arrival arrival;
    system.submit(now, {0, location, false});
    while (arrival.at == 0_ps) system.advance_to(*system.next_event(), arrival);
    const auto took = (arrival.at - now) / 1250_ps;
    figures.add("unloaded, clocks: " + name, std::to_string(took), took == clocks,
                fmt::format("= {}", clocks));
    now += 1_us;
  };
  access("closed bank", {.row = 1}, 26);
  access("row hit", {.row = 1, .column = 1}, 15);
  access("row conflict", {.row = 2}, 37);
}

void measure_speed() {
  const auto best = [](DramPatternSettings settings) {
    double best = 0;
    for (int round = 0; round < 5; ++round)
      best = std::max(best, run(one_rank(), settings, 32, 1'000'000).requests_per_second);
    return best / 1e6;
  };
  const double rand = best(random_reads), mixed = best(random_mixed), seq = best(sequential);
  figures.add("M requests/s, random, 32", fmt::format("{:.2f}", rand), rand >= 2, ">= 2");
  figures.add("M requests/s, random, 33% writes, 32", fmt::format("{:.2f}", mixed), mixed >= 2, ">= 2");
  figures.add("M requests/s, sequential, 32", fmt::format("{:.2f}", seq), seq >= 5, ">= 5");
}

// Nanoseconds of host time for an access of masters that each wait for their answers, and run ahead of each
// other by up to 1 us.
template <class Channel>
double nanoseconds(Channel channel, std::uint32_t masters, bool at_random, unsigned accesses) {
  constexpr Tick quantum = 800;
  struct Master {
    Tick now = 0;
    Random random{0};
    std::uint64_t block = 0;
  };
  std::vector<Master> all(masters);
  for (std::uint32_t m = 0; m < masters; ++m) all[m] = {0, Random(m), m * 12'345};
  const double start = cpu_seconds();
  unsigned made = 0;
  for (Tick from = 0; made < accesses; from += quantum)
    for (std::uint32_t m = 0; m < masters; ++m) {
      Master& master = all[m];
      while (master.now < from + quantum) {
        const std::uint64_t r = master.random.next(), block = at_random ? r : master.block++;
        const BlockLocation at{.bank = static_cast<std::uint32_t>(block / 128 % 8),
                               .row = static_cast<std::uint32_t>(block / 1024 % 4096),
                               .column = static_cast<std::uint32_t>(block % 128)};
        const typename Channel::Request request{
            .at = master.now, .master = m, .location = at, .is_write = r >> 62 == 0, .is_posted = true};
        const Tick end = channel.access(from, request);
        master.now = (request.is_write ? master.now : end) + 20;
        ++made;
      }
    }
  return 1e9 * (cpu_seconds() - start) / made;
}

void measure_answers() {
  for (const bool at_random : {false, true})
    for (const std::uint32_t masters : {1u, 4u, 64u}) {
      const std::string what = fmt::format("{}, {} master{}", at_random ? "random" : "sequential", masters,
                                           masters == 1 ? "" : "s");
      const double contended =
          nanoseconds(ContendedChannel(one_rank(), part(), {}), masters, at_random, 1'000'000);
      figures.add("ns a contended access, " + what, fmt::format("{:.0f}", contended), contended <= 200,
                  "<= 200");
      if (masters > 4) continue;  // the queue of these would be full
      const double loose = nanoseconds(LooseChannel(one_rank(), part()), masters, at_random, 100'000);
      figures.add("  a loose one, times", fmt::format("{:.1f}", loose / contended));
    }
}

void measure() {
  measure_answers();
  measure_bandwidth();
  measure_latency();
  measure_speed();
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::bench_main(argc, argv, asterism::measure); }
