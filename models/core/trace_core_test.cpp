#include "core/trace_core.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "base/fields.h"

namespace asterism {
namespace {

constexpr Workload every_instruction_misses{.cores = 1, .l1_mpki = 1000, .l2_mpki = 0};
constexpr Workload one_in_twenty{.cores = 10, .l1_mpki = 500, .l2_mpki = 200};

struct Recorder : TraceCore::Sink {
  void missed(Picoseconds at, const TraceCore::Miss& miss) override {
    times.push_back(at);
    misses.push_back(miss);
  }
  std::vector<Picoseconds> times;
  std::vector<TraceCore::Miss> misses;
};

// Answers every miss after a fixed time; returns when the core has finished.
Picoseconds run(TraceCore& core, Picoseconds latency, Recorder& sink) {
  std::size_t answered = 0;
  while (!core.finished()) {
    const auto event = core.next_event();
    const bool answer = answered < sink.misses.size() && (!event || sink.times[answered] + latency <= *event);
    if (answer) {
      core.returned(sink.misses[answered].number, sink.times[answered] + latency, sink);
      ++answered;
    } else {
      core.advance_to(event.value(), sink);
    }
  }
  return *core.finished();
}

Picoseconds run(const TraceCoreConfig& config, const Workload& workload, std::uint64_t instructions,
                Picoseconds latency) {
  TraceCore core(config, workload, instructions, 1);
  Recorder sink;
  return run(core, latency, sink);
}

TEST(TraceCoreTest, DescribesEveryMember) {
  EXPECT_EQ(description_problem<TraceCoreConfig>(), "");
  EXPECT_EQ(description_problem<Workload>(), "");
}

TEST(TraceCoreTest, RunsAtItsCpiWhenNothingMisses) {
  EXPECT_EQ(run({}, {.cores = 1}, 1000, 100_ns), 500_ns);
  EXPECT_EQ(run({.cpi = 1.25}, {.cores = 1}, 1000, 100_ns), 1250_ns);
}

TEST(TraceCoreTest, StallsOnEveryMissWithAWindowOfOne) {
  // Each instruction waits for the one before it, so that three latencies add up.
  EXPECT_EQ(run({.window = 1}, every_instruction_misses, 3, 10_ns), 30_ns);
}

TEST(TraceCoreTest, HidesLatencyBehindItsWindow) {
  // Misses at 0, 0.5 and 1 ns overlap; the one that begins last ends last.
  EXPECT_EQ(run({.window = 3}, every_instruction_misses, 3, 10_ns), 11_ns);
  // The third one starts when the first has returned.
  EXPECT_EQ(run({.window = 2}, every_instruction_misses, 3, 10_ns), 20_ns);
}

TEST(TraceCoreTest, HasNoMoreOutstandingMissesThanConfigured) {
  const TraceCoreConfig config{.window = 4096, .outstanding = 2};
  TraceCore core(config, every_instruction_misses, 4, 1);
  Recorder sink;
  core.advance_to(5_ns, sink);
  EXPECT_EQ(sink.times, (std::vector{0_ps, 500_ps}));
  EXPECT_EQ(core.next_event(), std::nullopt);
  core.returned(1, 6_ns, sink);  // this frees a slot although the oldest miss is still outstanding
  EXPECT_EQ(sink.times.back(), 6_ns);
}

TEST(TraceCoreTest, ContinuesWhenTheOldestMissReturnsAndNotWhenAYoungerOneDoes) {
  TraceCore core({.window = 2}, every_instruction_misses, 3, 1);
  Recorder sink;
  core.advance_to(5_ns, sink);
  core.returned(1, 6_ns, sink);
  EXPECT_EQ(core.next_event(), std::nullopt);
  core.returned(0, 7_ns, sink);
  EXPECT_EQ(sink.times, (std::vector{0_ps, 500_ps, 7_ns}));
}

TEST(TraceCoreTest, FinishesWhenTheLastMissHasReturned) {
  TraceCore core({}, every_instruction_misses, 1, 1);
  Recorder sink;
  core.advance_to(9_ns, sink);
  EXPECT_EQ(core.finished(), std::nullopt);
  core.returned(0, 10_ns, sink);
  EXPECT_EQ(core.finished(), 10_ns);
  EXPECT_EQ(core.stalled(), 9500_ps);
}

TEST(TraceCoreTest, MissesAsOftenAsTheWorkloadSays) {
  TraceCore core({}, one_in_twenty, 1'000'000, 3);
  Recorder sink;
  run(core, 1_ns, sink);
  EXPECT_NEAR(static_cast<double>(core.misses()), 50'000, 700);     // 3 standard deviations
  EXPECT_NEAR(static_cast<double>(core.l2_misses()), 20'000, 500);  // 0.4 of them
}

TEST(TraceCoreTest, MissesInBurstsAtTheSameMeanRate) {
  // A quarter of the instructions is in bursts, of which 0.05 / 0.25 miss.
  TraceCore core({.burst_share = 0.25, .burst_length = 1000}, one_in_twenty, 10'000'000, 3);
  Recorder sink;
  run(core, 0_ps, sink);
  // The time in bursts of mean 1000, with 3000 between them, has a variance of 2 * (1000 * 3000)^2 / 4000^3
  // an instruction: 53,000 in ten million, 2.1% of it. Three standard deviations:
  EXPECT_NEAR(static_cast<double>(core.misses()), 500'000, 32'000);
  std::size_t neighbours = 0;  // misses of two instructions in succession
  for (std::size_t i = 1; i < sink.times.size(); ++i)
    neighbours += sink.times[i] - sink.times[i - 1] == 500_ps;
  EXPECT_NEAR(static_cast<double>(neighbours) / static_cast<double>(core.misses()), 0.2, 0.003);
}

TEST(TraceCoreTest, RefusesBurstsThatCannotHoldTheMisses) {
  EXPECT_THROW(TraceCore({.burst_share = 0.04}, one_in_twenty, 1, 1), std::invalid_argument);
}

TEST(TraceCoreTest, RepeatsItsStreamBySeedAndAfterReset) {
  TraceCore one({}, one_in_twenty, 10'000, 1), same({}, one_in_twenty, 10'000, 1),
      other({}, one_in_twenty, 10'000, 2);
  Recorder first, again, by_seed;
  const Picoseconds end = run(one, 20_ns, first);
  EXPECT_EQ(run(same, 20_ns, again), end);
  EXPECT_EQ(first.times, again.times);
  run(other, 20_ns, by_seed);
  EXPECT_NE(first.times, by_seed.times);
  one.reset(Reset::power_loss);
  Recorder after_reset;
  EXPECT_EQ(run(one, 20_ns, after_reset), end);
  EXPECT_EQ(first.times, after_reset.times);
}

TEST(TraceCoreTest, RefusesTheReturnOfAMissThatIsNotOutstanding) {
  TraceCore core({}, every_instruction_misses, 2, 1);
  Recorder sink;
  core.advance_to(0_ps, sink);
  EXPECT_THROW(core.returned(1, 1_ns, sink), std::logic_error);
  core.returned(0, 1_ns, sink);
  EXPECT_THROW(core.returned(0, 2_ns, sink), std::logic_error);
}

}  // namespace
}  // namespace asterism
