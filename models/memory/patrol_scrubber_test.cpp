#include "memory/patrol_scrubber.h"

#include "memory/ecc_memory_test.h"

namespace asterism {
namespace {

using enum MemoryFaultKind;
using enum Persistence;

constexpr std::uint64_t blocks = 32768;

struct PatrolScrubberTest : testing::Test {
  SmallEccMemory small;
  PatrolScrubber scrubber{small.memory, 10_ns};

  void inject(Picoseconds now, std::uint64_t block, Persistence persistence = stuck) {
    small.memory.inject(now, fault_at(bit, small.mapping.locate(block), 3, persistence));
  }
};

TEST_F(PatrolScrubberTest, IsIdleWhileThereIsNoFaultAndCountsItsPassesAllTheSame) {
  EXPECT_EQ(scrubber.next_event(), std::nullopt);
  const Picoseconds pass = blocks * 10_ns;
  EXPECT_EQ(scrubber.passes(pass - 1_ps), 0u);
  EXPECT_EQ(scrubber.passes(pass), 1u);
  EXPECT_EQ(scrubber.passes(pass * 1000), 1000u);
  scrubber.advance_to(pass);
  EXPECT_EQ(small.count("scrubs"), 0u);
}

TEST_F(PatrolScrubberTest, ReachesABlockAtItsTimeAndNotAPicosecondBefore) {
  inject(0_ps, 100);
  EXPECT_EQ(scrubber.next_event(), 1010_ns);
  scrubber.advance_to(1010_ns - 1_ps);
  EXPECT_TRUE(small.errors.empty());
  scrubber.advance_to(1010_ns);
  ASSERT_EQ(small.errors.size(), 1u);
  EXPECT_EQ(small.errors[0].at, 1010_ns);
  EXPECT_EQ(small.errors[0].source, ErrorSource::scrub);
  EXPECT_EQ(small.errors[0].offset, Bytes(6400));
  EXPECT_EQ(scrubber.next_event(), 1010_ns + blocks * 10_ns);  // the fault is stuck
}

TEST_F(PatrolScrubberTest, HealsATransientFaultOnceAndIsIdleAgain) {
  inject(0_ps, 100, transient);
  scrubber.advance_to(1_s);
  EXPECT_EQ(small.count("corrected"), 1u);
  EXPECT_TRUE(small.memory.faults().empty());
  EXPECT_EQ(scrubber.next_event(), std::nullopt);
}

TEST_F(PatrolScrubberTest, AFaultBehindItsPlaceWaitsForTheNextPass) {
  inject(995_ns, 99);  // block 99 is scrubbed at 1000 ns
  EXPECT_EQ(scrubber.next_event(), 1000_ns);
  inject(1005_ns, 99);
  inject(1005_ns, 98);
  EXPECT_EQ(scrubber.next_event(), 990_ns + blocks * 10_ns);
}

TEST_F(PatrolScrubberTest, AFaultInTheInstantOfItsScrubWaits) {
  inject(1000_ns, 99);
  EXPECT_EQ(scrubber.next_event(), 1000_ns + blocks * 10_ns);
}

TEST_F(PatrolScrubberTest, VisitsEveryBlockOfADeadChip) {
  small.memory.inject(0_ps, fault_at(chip, {0, 1, 0, 0, 0}));
  scrubber.advance_to(blocks * 10_ns);
  EXPECT_EQ(small.count("scrubs"), blocks / 2);
  EXPECT_EQ(small.errors.front().at, (1024 + 1) * 10_ns);  // eight banks of 128 columns are rank 0
  EXPECT_EQ(small.errors.back().at, blocks * 10_ns);
}

TEST_F(PatrolScrubberTest, AnotherIntervalCountsFromWhereItIs) {
  inject(0_ps, 200);
  scrubber.set_interval(1005_ns, 1_us);  // a hundred blocks have been scrubbed
  EXPECT_EQ(scrubber.next_event(), 1005_ns + 101 * 1_us);
  scrubber.set_interval(2005_ns, 0_ps);  // one more has been scrubbed
  EXPECT_EQ(scrubber.next_event(), std::nullopt);
  scrubber.set_interval(1_ms, 10_ns);
  EXPECT_EQ(scrubber.next_event(), 1_ms + 100 * 10_ns);
  EXPECT_EQ(scrubber.passes(1_ms + (blocks - 101) * 10_ns - 1_ps), 0u);
  EXPECT_EQ(scrubber.passes(1_ms + (blocks - 101) * 10_ns), 1u);
}

TEST_F(PatrolScrubberTest, AnyResetStopsItAtTheBeginning) {
  inject(0_ps, 100);
  scrubber.advance_to(500_ns);
  for (const Reset kind : {Reset::warm, Reset::power_loss, Reset::cold}) {
    scrubber.reset(kind);
    EXPECT_EQ(scrubber.next_event(), std::nullopt);
    EXPECT_EQ(scrubber.passes(1_s), 0u);
    scrubber.set_interval(1_ms, 10_ns);
    EXPECT_EQ(scrubber.next_event(), 1_ms + 1010_ns);
  }
}

TEST_F(PatrolScrubberTest, IsNotDueAfterTheEndOfTime) {
  inject(0_ps, 100);
  scrubber.advance_to(1010_ns);
  scrubber.set_interval(1010_ns, 4_s);
  for (int i = 0; i < 200; ++i)
    if (const auto next = scrubber.next_event()) {
      EXPECT_GT(*next, 1010_ns);
      scrubber.advance_to(*next);
    }
  EXPECT_EQ(scrubber.next_event(), std::nullopt);
}

}  // namespace
}  // namespace asterism
