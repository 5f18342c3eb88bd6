#include "platform/instruments/run_timeline.h"

#include <gmock/gmock.h>

#include <regex>

#include "base/random.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;
using enum CoreModule::Activity;
using enum RunTimeline::State;

struct RunTimelineTest : testing::Test {
  RunTimeline timeline;
  std::size_t core0 = timeline.add_core("core0", running), core1 = timeline.add_core("core1", off);

  void event(Picoseconds at, const char* kind, const char* source = "node.dimm_ssd") {
    timeline.record(at, source, kind);
  }
  // The times in compute, stall, checkpoint, recovery and fault.
  using Times = std::array<Picoseconds, RunTimeline::states>;
  Times times(std::size_t core) const {
    Times all;
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = timeline.time_in(core, static_cast<RunTimeline::State>(i));
    return all;
  }
};

TEST_F(RunTimelineTest, WaitingIsAStallUnlessACheckpointIsUnderWay) {
  timeline.set(core1, running, 10_us);
  timeline.set(core0, waiting, 20_us);
  event(30_us, "checkpoint_begin");
  event(45_us, "checkpoint_begin");
  event(50_us, "checkpoint_commit");
  timeline.set(core0, running, 60_us);
  timeline.set(core1, blocked, 60_us);
  event(62_us, "checkpoint_failed");
  timeline.set(core1, running, 70_us);
  timeline.finish(100_us);
  EXPECT_EQ(times(core0), (Times{60_us, 10_us, 30_us, 0_us, 0_us}));
  EXPECT_EQ(times(core1), (Times{80_us, 0_us, 10_us, 0_us, 0_us}));
}

TEST_F(RunTimelineTest, AfterAPowerLossComesTheFaultAndThenTheRecovery) {
  event(10_us, "checkpoint_begin");
  event(20_us, "power_lost", "node.power");
  timeline.set(core0, off, 20_us);
  event(50_us, "power_restored", "node.power");
  timeline.set(core0, running, 50_us);
  timeline.set(core0, waiting, 60_us);
  timeline.set(core0, running, 65_us);
  event(80_us, "restore");
  timeline.set(core0, waiting, 90_us);  // the lost checkpoint is no longer in progress
  timeline.finish(100_us);
  EXPECT_EQ(times(core0), (Times{30_us, 10_us, 0_us, 30_us, 30_us}));
  EXPECT_EQ(times(core1), (Times{0_us, 0_us, 0_us, 0_us, 30_us}));
}

TEST_F(RunTimelineTest, WithoutARestoreThereIsNoRecovery) {
  event(10_us, "power_lost", "node.power");
  timeline.set(core0, off, 10_us);
  event(20_us, "power_restored", "node.power");
  timeline.set(core0, running, 20_us);
  timeline.set(core0, waiting, 30_us);
  event(40_us, "checkpoint_begin");
  event(50_us, "uncorrectable_error", "node.memory");
  timeline.finish(60_us);
  EXPECT_EQ(times(core0), (Times{20_us, 10_us, 20_us, 0_us, 10_us}));
}

TEST_F(RunTimelineTest, ALockUpIsAFault) {
  timeline.set(core0, locked_up, 30_us);
  timeline.finish(100_us);
  EXPECT_EQ(times(core0), (Times{30_us, 0_us, 0_us, 0_us, 70_us}));
}

TEST_F(RunTimelineTest, NodesOfAClusterAreKeptApart) {
  RunTimeline cluster;
  const std::size_t a = cluster.add_core("node0.core0", running),
                    b = cluster.add_core("node1.core0", running);
  cluster.record(10_us, "management", "node_loss",
                 {{"node", std::uint64_t{1}}, {"lost", std::string("node")}});
  cluster.set(b, off, 10_us);
  cluster.record(20_us, "cluster", "rollback", {});
  cluster.record(50_us, "cluster", "recovery", {});
  cluster.finish(60_us);
  EXPECT_EQ(cluster.time_in(a, recovery), 30_us);
  EXPECT_EQ(cluster.time_in(a, compute), 30_us);
  EXPECT_EQ(cluster.time_in(b, fault), 50_us);
}

TEST_F(RunTimelineTest, ASpareRecoversFromTheTimeItTakesARank) {
  RunTimeline cluster;
  const std::size_t spare = cluster.add_core("node4.core0", running),
                    other = cluster.add_core("node1.core0", running);
  cluster.record(
      10_us, "management", "rank_moved",
      {{"rank", std::uint64_t{0}}, {"from_node", std::uint64_t{0}}, {"to_node", std::uint64_t{4}}});
  cluster.record(30_us, "node4.power", "recovery", {{"from", std::string("cluster")}});
  cluster.finish(40_us);
  EXPECT_EQ(cluster.time_in(spare, recovery), 20_us);
  EXPECT_EQ(cluster.time_in(spare, compute), 20_us);
  EXPECT_EQ(cluster.time_in(other, recovery), 0_us);
}

// Compares with sums that the test computes itself while the columns grow from nanoseconds to seconds.
TEST_F(RunTimelineTest, NoPicosecondIsLostHoweverLongTheRun) {
  Random random(7);
  Picoseconds now, computed, stalled;
  bool is_running = true;
  for (int i = 0; i < 20'000; ++i) {
    const Picoseconds length(random.below(std::uint64_t{1} << (10 + i / 800)));
    (is_running ? computed : stalled) += length;
    now += length;
    is_running = !is_running;
    timeline.set(core0, is_running ? running : waiting, now);
  }
  timeline.finish(now);
  EXPECT_GT(now, 1_s);
  EXPECT_EQ(timeline.time_in(core0, compute), computed);
  EXPECT_EQ(timeline.time_in(core0, stall), stalled);
}

TEST_F(RunTimelineTest, ThePictureHasLanesMarksAnAxisAndShares) {
  timeline.set(core1, running, 10_us);
  event(30_us, "checkpoint_begin");
  timeline.set(core0, waiting, 30_us);
  event(50_us, "checkpoint_commit");
  timeline.set(core0, running, 50_us);
  event(60_us, "memory_fault", "node.memory");
  timeline.finish(100_us);
  const std::string svg = timeline.to_svg("a <run>");
  for (const char* text :
       {"a &lt;run&gt;", ">core0<", ">core1<", "simulated time (us)", ">100<", "memory_fault 60 us",
        "compute 85.0%", "checkpoint 10.0%", "stall 0.0%", "off 5.0%"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST_F(RunTimelineTest, ManyCoresAndNoTimeAreAPictureToo) {
  RunTimeline many;
  for (int i = 0; i < 552; ++i) many.add_core("core" + std::to_string(i), running);
  many.finish(0_ps);
  EXPECT_THAT(many.to_svg("none"), HasSubstr("</svg>"));
  RunTimeline busy;
  for (int i = 0; i < 552; ++i) busy.add_core("core" + std::to_string(i), running);
  busy.finish(3_ms);
  const std::string svg = busy.to_svg("busy");
  EXPECT_THAT(svg, HasSubstr("compute 100.0%"));
  std::smatch size;
  ASSERT_TRUE(std::regex_search(svg, size, std::regex("height=\"(\\d+)\"")));
  EXPECT_LT(std::stoi(size[1]), 1400);
}

}  // namespace
}  // namespace asterism
