// The number of writes a second that the zone monitor of a channel checks in one thread.
//
//   zone_monitor_bench [--check] [--writes N]
//
// A channel of 1 GiB in zones of 4 KiB and of 64 KiB, with the default cache. The patterns have writes of 128
// bytes:
//   sweep     every eighth line of the channel, then from the start again
//   random    a line at random
//   hot       lines of 8 MiB at random, and one in 16 of the whole channel
//   snapshot  like hot, with a snapshot after each million of writes of what was written: a zone is preserved
//             every 16 writes, and the cache is refreshed every 256 writes,
//             until the snapshot is complete
// Times are processor time; a figure is the median of five rounds. With --check the exit status is 1 when one
// misses its limit. N: writes of a round, 20 million by default.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.h"
#include "figures.h"
#include "zone_monitor/zone_monitor.h"

namespace asterism {
namespace {

constexpr Bytes channel = 1_GiB, access = Bytes(128);
constexpr std::size_t trace_length = 1 << 20;

using Trace = std::vector<std::uint32_t>;  // accesses

Trace trace_of(const std::function<std::uint64_t(std::size_t)>& line) {
  Trace trace(trace_length);
  for (std::size_t i = 0; i < trace.size(); ++i) trace[i] = static_cast<std::uint32_t>(line(i));
  return trace;
}

struct Result {
  double writes_a_second;
  ZoneMonitor::Counts counts;
};

// Does the part of a snapshot that comes after the `i`th write; `at` is the zone at which it continues.
void offload(ZoneMonitor& monitor, std::uint64_t i, std::uint32_t& at) {
  if (i % 1'000'000 == 0) {
    monitor.begin();
    at = 0;
  }
  if (i % 16 != 0 || !monitor.open()) return;
  if (const auto zone = monitor.next_unpreserved(at)) {
    monitor.preserve(*zone);
    at = *zone + 1;
  } else {
    monitor.complete();
  }
  if (i % 256 == 0) monitor.refresh();
}

Result speed(const Trace& trace, Bytes zone, std::uint64_t writes, bool snapshots) {
  Trace zones = trace;
  for (std::uint32_t& number : zones) number /= static_cast<std::uint32_t>(zone / access);
  std::vector<double> seconds;
  ZoneMonitor::Counts counts;
  for (unsigned round = 0; round < 5; ++round) {
    ZoneMonitor monitor({}, static_cast<std::uint32_t>(channel / zone));
    monitor.track(true);
    std::uint64_t waits = 0;
    std::uint32_t at = 0;
    seconds.push_back(seconds_of([&] {
      for (std::uint64_t i = 0; i < writes; ++i) {
        if (snapshots) offload(monitor, i, at);
        waits += monitor.write(zones[i % trace_length]).answer != ZoneMonitor::Answer::proceed;
      }
    }));
    counts = monitor.counts();
    if (waits != counts.first_stalls + counts.stalls) throw std::logic_error("waiting writes are miscounted");
  }
  return {static_cast<double>(writes) / median(seconds), counts};
}

void measure(std::uint64_t writes) {
  Random random(1);
  constexpr std::uint64_t lines = channel / access, hot_lines = 8_MiB / access;
  const Trace sweep = trace_of([](std::size_t i) { return i * 8 % lines; }),
              anywhere = trace_of([&](std::size_t) { return random.below(lines); }),
              hot = trace_of([&](std::size_t) { return random.below(random.below(16) ? hot_lines : lines); });
  const struct {
    const char* name;
    const Trace& trace;
    bool snapshots;
  } patterns[] = {
      {"sweep", sweep, false}, {"random", anywhere, false}, {"hot", hot, false}, {"snapshot", hot, true}};
  for (const Bytes zone : {4_KiB, 64_KiB})
    for (const auto& [name, trace, snapshots] : patterns) {
      const Result result = speed(trace, zone, writes, snapshots);
      const ZoneMonitor::Counts& counts = result.counts;
      const auto hits = counts.previous.hits + counts.next.hits,
                 lookups = hits + counts.previous.misses + counts.next.misses;
      figures.add(fmt::format("{}, zones of {} KiB", name, zone / 1_KiB),
                  fmt::format("{:.1f} M/s, {:.2f}% of lookups hit", result.writes_a_second / 1e6,
                              100 * static_cast<double>(hits) / static_cast<double>(lookups)),
                  result.writes_a_second >= 30e6, ">= 30 M/s");
    }
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app;
  std::uint64_t writes = 20'000'000;
  app.add_option("--writes", writes, "Of a round")->check(CLI::PositiveNumber);
  return asterism::bench_main(argc, argv, app, [&] { asterism::measure(writes); });
}
