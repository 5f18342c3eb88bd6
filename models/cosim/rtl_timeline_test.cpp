#include "cosim/rtl_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "base/thrown.h"

namespace asterism {
namespace {

constexpr std::uint64_t timer = 0x08, control = 0x24;

std::shared_ptr<const RtlLibrary> variant(const std::string& name) {
  return RtlLibrary::open(std::string(COSIM_TEST_BUS_BLOCKS) + "/" + name + ".so");
}

// A block on a timeline of 10 ns per cycle, out of its reset at 0; an access by hand takes two cycles.
struct Block {
  RtlInstance rtl;
  RtlTimeline timeline;
  std::vector<Picoseconds> changes;

  explicit Block(const std::string& name = "good", const RtlOptions& options = {}, Picoseconds quantum = 1_us)
      : rtl(variant(name), "node.block"), timeline(rtl, {.clock = 100_MHz, .quantum = quantum}, options) {
    rtl.reset();
    timeline.start(0_ps);
    timeline.on_change = [this](Picoseconds at) { changes.push_back(at); };
  }
  void write(std::uint64_t address, std::uint32_t value) {
    for (const auto& [role, level] :
         {std::pair{"address", address}, {"select", 1}, {"write", 1}, {"write_data", value}, {"strobe", 15}})
      rtl.port(std::string("bus.") + role).set(level);
    for (const int enable : {0, 1}) {
      rtl.port("bus.enable").set(static_cast<std::uint64_t>(enable));
      timeline.inputs_changed();
      timeline.step();
    }
    for (const char* role : {"address", "select", "write", "write_data", "strobe", "enable"})
      rtl.port(std::string("bus.") + role).set(0);
    timeline.inputs_changed();
  }
  RtlInstance::Snapshot state() {
    RtlInstance::Snapshot state;
    rtl.save(state);
    return state;
  }
};

TEST(RtlTimeline, CountsEdgesFromTheEndOfTheReset) {
  Block block("no_idle");
  block.timeline.catch_up(99'999_ps);
  EXPECT_EQ(block.timeline.cycles(), 9u);
  block.timeline.catch_up(100_ns);
  EXPECT_EQ(block.timeline.cycles(), 10u);
  EXPECT_EQ(block.timeline.time(), 100_ns);
  EXPECT_EQ(block.timeline.next_edge(), 110_ns);
  block.timeline.start(105_ns);
  block.timeline.catch_up(125_ns);
  EXPECT_EQ(block.timeline.cycles(), 2u);
}

TEST(RtlTimeline, AClockWhosePeriodIsNotAWholePicosecondKeepsItsRate) {
  RtlInstance rtl(variant("no_idle"), "node.block");
  RtlTimeline timeline(rtl, {.clock = 24_MHz}, {});
  rtl.reset();
  timeline.start(0_ps);
  timeline.catch_up(10_ms);
  EXPECT_EQ(timeline.cycles(), 240'000u);
  EXPECT_EQ(timeline.time(), 10_ms);
  EXPECT_EQ(timeline.next_edge(), 10_ms + 41'667_ps);
}

TEST(RtlTimeline, AnIdleBlockIsNotSteppedAndRequestsNoEvent) {
  Block block;
  block.write(control, 0);
  EXPECT_EQ(block.timeline.next_event(), 30_ns);  // an input has changed
  block.timeline.catch_up(30_ns);
  EXPECT_EQ(block.timeline.next_event(), std::nullopt);
  block.timeline.catch_up(100'000_s);  // 10^13 cycles
  EXPECT_EQ(block.timeline.cycles(), 10'000'000'000'000u);
}

TEST(RtlTimeline, ABlockWithoutVisibleOutputsRequestsNoEvent) {
  Block block("no_interrupt");
  block.write(timer, 5);
  EXPECT_EQ(block.timeline.next_event(), std::nullopt);
}

TEST(RtlTimeline, SaysWhenTheNextOutputChanges) {
  Block block;
  block.write(timer, 1000);
  block.timeline.catch_up(30_ns);
  EXPECT_EQ(block.timeline.next_event(), 20_ns + 1000 * 10_ns);
  block.timeline.catch_up(10'019'999_ps);
  EXPECT_TRUE(block.changes.empty());
  block.timeline.catch_up(50_us);
  EXPECT_THAT(block.changes, testing::ElementsAre(10'020_ns));
  EXPECT_EQ(block.timeline.next_event(), std::nullopt);
}

TEST(RtlTimeline, OfABlockThatKnowsNoNextEventAQuantumIsTried) {
  for (const char* name : {"no_idle", "no_event"}) {
    Block block(name);
    block.write(timer, 1000);
    block.timeline.catch_up(30_ns);
    const auto state = block.state();
    EXPECT_EQ(block.timeline.next_event(), 1'030_ns);
    EXPECT_EQ(block.timeline.next_check(), 1'030_ns);
    EXPECT_EQ(block.timeline.cycles(), 3u);
    EXPECT_EQ(block.state(), state);
    block.timeline.catch_up(9'500_ns);
    EXPECT_EQ(block.timeline.next_event(), 10'020_ns) << "the event is the edge itself";
    EXPECT_EQ(block.timeline.next_check(), 10'500_ns);
    EXPECT_TRUE(block.changes.empty());
    block.timeline.catch_up(50_us);
    EXPECT_THAT(block.changes, testing::ElementsAre(10'020_ns)) << "the change has the time of its edge";
  }
}

// The line is high for one cycle of 100. Each of its edges needs an event, however long the quantum is and
// whichever cycles are skipped.
TEST(RtlTimeline, APulseOfOneCycleHasAnEventForEachOfItsEdges) {
  std::vector<Picoseconds> expected;
  for (Picoseconds at = 1'020_ns; at <= 21_us; at += 1_us) expected.insert(expected.end(), {at, at + 10_ns});
  for (const Picoseconds quantum : {10_ns, 1_us, 100_us})
    for (const RtlOptions& options :
         {RtlOptions{}, RtlOptions{.skip = false}, RtlOptions{.check_idle = true}}) {
      Block block("pulse", options, quantum);
      block.write(timer, 100);
      std::vector<Picoseconds> looks;
      for (auto at = block.timeline.next_event(); *at <= 21_us; at = block.timeline.next_event()) {
        const std::size_t before = block.changes.size();
        block.timeline.catch_up(*at);
        if (block.changes.size() > before) looks.push_back(*at);
      }
      EXPECT_EQ(block.changes, expected);
      EXPECT_EQ(looks, expected);
    }
}

TEST(RtlTimeline, AnInputThatChangesEndsWhatWasTried) {
  Block block("pulse");
  block.write(timer, 50);
  block.timeline.catch_up(100_ns);
  EXPECT_EQ(block.timeline.next_event(), 520_ns);
  block.write(timer, 10);
  block.timeline.catch_up(130_ns);
  EXPECT_EQ(block.timeline.next_event(), 220_ns);
}

// Does the same random work for a seed, and returns the states at random times.
std::vector<RtlInstance::Snapshot> random_work(Block& block, std::uint64_t seed) {
  Random random(seed);
  std::vector<RtlInstance::Snapshot> states;
  Picoseconds now = 0_ps;
  for (int i = 0; i < 300; ++i) {
    now = std::max(now + Picoseconds(random.below(20'000'000)), block.timeline.time());
    block.timeline.catch_up(now);
    switch (random.below(4)) {
      case 0:
        block.write(timer, static_cast<std::uint32_t>(random.below(3000)));
        break;
      case 1:
        block.write(control, static_cast<std::uint32_t>(random.below(2)));
        break;
      case 2:
        block.write(0x0C, 1);
        break;
      default:
        break;
    }
    block.timeline.step();
    states.push_back(block.state());
  }
  return states;
}

TEST(RtlTimeline, SteppingEveryCycleGivesTheSameBytesAndTimes) {
  for (const char* name : {"good", "no_event", "no_idle", "pulse"}) {
    Block lazy(name), all(name, {.skip = false}), checked(name, {.check_idle = true});
    const auto states = random_work(lazy, 1);
    EXPECT_EQ(random_work(all, 1), states) << name;
    EXPECT_EQ(random_work(checked, 1), states) << name;
    EXPECT_GT(lazy.changes.size(), 20u);
    EXPECT_EQ(all.changes, lazy.changes);
    EXPECT_EQ(checked.changes, lazy.changes);
  }
}

std::string error_of(Block& block, Picoseconds until) {
  return thrown<RtlError>([&] { block.timeline.catch_up(until); });
}

TEST(RtlTimeline, AnIdleThatLiesIsFoundByOneClockMore) {
  Block block("lying_idle", {.check_idle = true});
  block.write(timer, 0);
  EXPECT_EQ(error_of(block, 30_ns), "none");
  EXPECT_THAT(
      error_of(block, 40_ns),
      testing::StartsWith("node.block: idle_o lies at 0.030000 us: state changed in a cycle in which it "
                          "claimed to be idle (1 of "));
  Block honest("good", {.check_idle = true});
  honest.write(timer, 0);
  EXPECT_EQ(error_of(honest, 1_ms), "none");
}

TEST(RtlTimeline, ANextEventThatLiesIsFound) {
  Block lying("lying_event", {.check_idle = true});
  lying.write(timer, 100);
  EXPECT_EQ(error_of(lying, 2_us),
            "node.block: next_event_o lies at 1.020000 us: irq_o changed 2 cycles earlier than it said");
  Block no_skip("lying_event", {.skip = false});
  no_skip.write(timer, 100);
  EXPECT_NE(error_of(no_skip, 2_us), "none");
}

TEST(RtlTimeline, AMomentComesBackWithItsPortsAndClaims) {
  Block block;
  block.write(timer, 100);
  block.timeline.catch_up(500_ns);
  const auto state = block.state();
  RtlTimeline::Moment moment;
  block.timeline.keep(moment);
  block.timeline.set_quiet(true);
  block.write(timer, 3);
  block.timeline.catch_up(2_us);
  block.timeline.return_to(moment);
  block.timeline.set_quiet(false);
  EXPECT_EQ(block.state(), state);
  EXPECT_TRUE(block.changes.empty());
  EXPECT_EQ(block.timeline.next_event(), 1'020_ns);
  block.timeline.catch_up(2_us);
  EXPECT_THAT(block.changes, testing::ElementsAre(1'020_ns));
}

TEST(RtlTimeline, VariantsLiveSideBySide) {
  Block good, late("late");
  good.write(timer, 100);
  late.write(timer, 100);
  good.timeline.catch_up(10_us);
  late.timeline.catch_up(10_us);
  EXPECT_THAT(good.changes, testing::ElementsAre(1'020_ns));
  EXPECT_THAT(late.changes, testing::ElementsAre(1'320_ns));
}

}  // namespace
}  // namespace asterism
