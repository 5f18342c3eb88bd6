#include "cluster/cost_meter.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace asterism {
namespace {

using enum RankMark;

// Ranks 0 and 1 on nodes 0 and 1; node 2 is a spare.
struct CostMeterTest : testing::Test {
  void at(Picoseconds when, NodeNumber node, Rank rank, RankMark mark, std::uint64_t number = 0) {
    event_queue.advance(when);
    meter.mark(node, rank, mark, number);
  }
  void step(Picoseconds from, Picoseconds until) {
    at(from, 0, 0, step_begun);
    at(until, 0, 0, step_ended);
  }
  std::uint64_t figure(const std::string& name) const {
    Statistics all;
    meter.report(all);
    meter.report_costs(1000_B, all);
    for (const auto& [key, value] : all.entries())
      if (key == name) return std::get<std::uint64_t>(value);
    throw std::out_of_range(name);
  }
  EventQueue event_queue;
  CostMeter meter{event_queue, 3, 2};
};

TEST_F(CostMeterTest, MeasuresNothingWithoutMarks) {
  EXPECT_EQ(figure("state_bytes"), 1000u);
  for (const char* name : {"dump_ps", "overlap_ps", "overhead_ps", "drain_bytes_per_second", "restart_ps"})
    EXPECT_EQ(figure(name), 0u) << name;
}

TEST_F(CostMeterTest, TakesMeansOverTheCheckpointsOfAllNodes) {
  at(1_us, 0, 0, dump_begun);
  at(3_us, 0, 0, dumped);
  at(3_us, 1, 1, dump_begun);
  at(7_us, 1, 1, dumped);
  at(13_us, 0, 0, held_twice);
  at(27_us, 1, 1, held_twice);
  EXPECT_EQ(figure("dumps"), 2u);
  EXPECT_EQ(figure("dump_ps"), (3_us).count());      // the mean of 2 and 4
  EXPECT_EQ(figure("overlap_ps"), (15_us).count());  // the mean of 10 and 20
}

TEST_F(CostMeterTest, OverheadIsTheAdditionalTimeOfStepsDuringACopy) {
  step(0_us, 10_us);
  at(10_us, 0, 0, stalled);
  at(10_us, 0, 0, dump_begun);
  at(12_us, 0, 0, dumped);
  step(12_us, 25_us);  // takes 3 us longer
  at(25_us, 0, 0, step_begun);
  at(30_us, 0, 0, held_twice);
  at(40_us, 0, 0, step_ended);  // takes 5 us longer, though the copy arrives during it
  step(40_us, 50_us);
  EXPECT_EQ(figure("overhead_ps"), (8_us).count());
  EXPECT_EQ(figure("stalled_ps"), (2_us).count());
  EXPECT_EQ(meter.steps(), 4u);
}

TEST_F(CostMeterTest, DrainsMayOverlap) {
  at(0_us, 0, 0, drain_begun, 10);
  at(1_us, 0, 0, drain_begun, 20);
  at(4_us, 0, 0, drained, 10);
  at(5_us, 0, 0, drained, 20);
  at(6_us, 0, 0, drained, 20);  // a repeated mark
  EXPECT_EQ(figure("drain_bytes_per_second"), 250'000'000u);
}

TEST_F(CostMeterTest, ARestartIsFromTheFirstLossUntilTheRankHasItsStateAgain) {
  event_queue.advance(10_us);
  meter.lost(1);
  event_queue.advance(12_us);
  meter.lost(1);  // the spare that replaces it is lost, too
  at(15_us, 0, 0, restored, 20);
  EXPECT_EQ(figure("restart_ps"), 0u);
  at(40_us, 2, 1, restored, 20);
  EXPECT_EQ(figure("restart_ps"), (30_us).count());
  EXPECT_EQ(meter.step(2), 20u);
}

TEST_F(CostMeterTest, ARankThatStartsAgainCountsNoRestart) {
  meter.lost(1);
  at(40_us, 2, 1, restored, 0);
  at(50_us, 2, 1, restored, 20);
  EXPECT_EQ(figure("restart_ps"), 0u);
}

TEST_F(CostMeterTest, ARollbackCancelsMeasurementsInProgress) {
  at(0_us, 0, 0, step_begun);
  at(1_us, 0, 0, dump_begun);
  at(1_us, 0, 0, drain_begun, 10);
  at(2_us, 0, 0, restored, 10);
  for (const RankMark mark : {step_ended, dumped, held_twice, drained}) at(3_us, 0, 0, mark, 10);
  for (const char* name : {"dump_ps", "overhead_ps", "drain_bytes_per_second"})
    EXPECT_EQ(figure(name), 0u) << name;
  EXPECT_EQ(figure("dumps"), 0u);
  EXPECT_EQ(meter.step(0), 11u);
}

TEST_F(CostMeterTest, IgnoresTheMarksOfASpare) {
  at(0_us, 2, no_rank, dump_begun);
  at(1_us, 2, no_rank, dumped);
  EXPECT_EQ(figure("dumps"), 0u);
}

}  // namespace
}  // namespace asterism
