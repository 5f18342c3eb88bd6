#include "memory/load_meter.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

constexpr auto length = LoadMeter::bin_length;

struct LoadMeterTest : testing::Test {
  LoadMeter meter{8};
  std::uint64_t ended = 0, reads = 0, writes = 0, masters = 0;

  void commit(LoadMeter::Tick until) {
    meter.commit(until, [this](const LoadMeter::Bin& bin) {
      ++ended;
      reads += bin.reads, writes += bin.writes, masters += bin.masters.size();
    });
  }
  // One use in each of `bins` bins from that of `from` on.
  void use(LoadMeter::Tick from, unsigned bins, const LoadMeter::Use& use) {
    for (unsigned i = 0; i < bins; ++i) meter.add(from + i * length, use);
  }
};

TEST_F(LoadMeterTest, ABinIsEvaluatedOnceItHasEnded) {
  meter.add(0, {.master = 0});
  meter.add(length - 1, {.master = 1});
  meter.add(length, {.master = 0, .is_write = true});
  commit(length - 1);
  EXPECT_EQ(ended, 0u);
  commit(length);
  EXPECT_EQ(ended, 1u);
  EXPECT_EQ(reads, 2u);
  EXPECT_EQ(masters, 2u);
  commit(3 * length);
  EXPECT_EQ(ended, 3u);
  EXPECT_EQ(writes, 1u);
  EXPECT_EQ(reads, 2u);
}

TEST_F(LoadMeterTest, ASingleMasterMeetsNobody) {
  for (unsigned i = 0; i < 1000; ++i) {
    const LoadMeter::Tick at = i * i;
    meter.add(at, {.place = i % 8, .waited = 3, .place_waited = 4});
    commit(at);
    ASSERT_EQ(meter.met(0).reads, 0);
    ASSERT_EQ(meter.met(0).waiting, 0);
    ASSERT_EQ(meter.met(0).place_reads, 0);
    ASSERT_EQ(meter.met(0).place_waiting, 0);
  }
  EXPECT_GT(meter.met(0).own_reads, 0);
}

TEST_F(LoadMeterTest, AMasterMeetsTheOthersOfItsBins) {
  use(0, 200, {.master = 0, .place = 1});
  use(0, 200, {.master = 1, .place = 1, .waited = 64, .place_waited = 32});
  use(0, 200, {.master = 2, .place = 2});
  commit(200 * length);
  EXPECT_NEAR(meter.met(0).reads, 2.0 / length, 1e-5);
  EXPECT_NEAR(meter.met(0).waiting, 64.0 / length, 1e-5);
  EXPECT_NEAR(meter.met(0).place_reads, 1.0 / length, 1e-4);
  EXPECT_NEAR(meter.met(0).place_waiting, 32.0 / length, 1e-3);
  EXPECT_NEAR(meter.met(2).reads, 2.0 / length, 1e-5);
  EXPECT_EQ(meter.met(2).place_reads, 0);
  EXPECT_NEAR(meter.rates().reads, 3.0 / length, 1e-5);
}

TEST_F(LoadMeterTest, MastersThatAlternateDoNotMeet) {
  for (unsigned i = 0; i < 400; ++i) meter.add(i * length, {.master = i % 2, .place = 1});
  commit(400 * length);
  EXPECT_LT(meter.met(0).reads, 0.2 / length);
  EXPECT_EQ(meter.met(0).place_reads, 0);
  EXPECT_NEAR(meter.rates().reads, 1.0 / length, 1e-5);
}

// The second master's uses become known a quantum later than those of the first.
TEST_F(LoadMeterTest, TheOrderOfTheCallsWithinAQuantumDoesNotMatter) {
  LoadMeter in_order(8);
  constexpr unsigned bins = 64;
  for (unsigned m = 0; m < 2; ++m) use(0, bins, {.master = m, .place = m, .waited = 5});
  for (unsigned i = 0; i < bins; ++i)
    for (unsigned m = 0; m < 2; ++m) in_order.add(i * length, {.master = m, .place = m, .waited = 5});
  commit(bins * length);
  in_order.commit(bins * length, [](const LoadMeter::Bin&) {});
  for (unsigned m = 0; m < 2; ++m) {
    EXPECT_EQ(meter.met(m).reads, in_order.met(m).reads);
    EXPECT_EQ(meter.met(m).waiting, in_order.met(m).waiting);
  }
}

TEST_F(LoadMeterTest, WritesInThePlacesOfAMasterAreMetIncludingItsOwn) {
  use(0, 200, {.master = 0, .place = 3});
  use(0, 200, {.master = 0, .place = 3, .is_write = true, .opens = true});
  use(0, 200, {.master = 1, .place = 4, .is_write = true});
  commit(200 * length);
  EXPECT_NEAR(meter.met(0).place_writes, 1.0 / length, 1e-4);
  EXPECT_NEAR(meter.met(0).own_writes, 1.0 / length, 1e-5);
  EXPECT_NEAR(meter.rates().writes, 2.0 / length, 1e-5);
  EXPECT_NEAR(meter.rates().opening_writes, 1.0 / length, 1e-5);
}

TEST_F(LoadMeterTest, TheLoadOfAMasterThatHasStoppedFades) {
  use(0, 100, {.master = 0});
  use(0, 200, {.master = 1});
  commit(100 * length);
  const double before = meter.met(1).reads;
  EXPECT_NEAR(before, 1.0 / length, 1e-4);
  commit(200 * length);
  EXPECT_LT(meter.met(1).reads, before / 100);
  commit(10'000 * length);
  EXPECT_EQ(meter.rates().reads, 0);
}

// Bins that nobody has used because everybody waits say nothing about the load.
TEST_F(LoadMeterTest, BinsBeforeTheLatestUseDoNotFadeTheLoad) {
  use(0, 100, {.master = 0});
  use(0, 100, {.master = 1});
  meter.add(200 * length, {.master = 0});
  meter.add(200 * length, {.master = 1});
  commit(200 * length);
  EXPECT_NEAR(meter.rates().reads, 2.0 / length, 1e-4);
  EXPECT_NEAR(meter.met(0).reads, 1.0 / length, 1e-4);
}

TEST_F(LoadMeterTest, MastersCountUntilTheyHaveNotUsedItForSixteenBins) {
  use(0, 20, {.master = 0});
  meter.add(3 * length, {.master = 1});
  meter.add(4 * length, {.master = 1, .is_write = true});
  commit(4 * length);
  EXPECT_EQ(meter.masters(), 2u);
  commit(20 * length);
  EXPECT_EQ(meter.masters(), 2u);
  use(20 * length, 2, {.master = 0});
  commit(21 * length);
  EXPECT_EQ(meter.masters(), 1u);
  meter.add(22 * length, {.master = 1});
  commit(23 * length);
  EXPECT_EQ(meter.masters(), 2u);
  meter.reset(30 * length);
  EXPECT_EQ(meter.masters(), 0u);
}

TEST_F(LoadMeterTest, AResetForgetsEverything) {
  use(0, 100, {.master = 0});
  use(0, 100, {.master = 1});
  commit(50 * length);
  meter.reset(60 * length);
  commit(200 * length);
  EXPECT_EQ(meter.met(0).reads, 0);
  EXPECT_EQ(meter.rates().reads, 0);
}

}  // namespace
}  // namespace asterism
