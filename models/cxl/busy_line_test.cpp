#include "cxl/busy_line.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace asterism {
namespace {

TEST(BusyLineTest, UsesOfOneMasterFollowEachOther) {
  BusyLine line;
  EXPECT_EQ(line.reserve(100_ps, 10_ps), 110_ps);
  EXPECT_EQ(line.reserve(100_ps, 10_ps), 120_ps);
  EXPECT_EQ(line.reserve(105_ps, 10_ps), 130_ps);
  EXPECT_EQ(line.reserve(200_ps, 10_ps), 210_ps);
}

TEST(BusyLineTest, AnEarlierUseTakesWhatIsFree) {
  BusyLine line;
  EXPECT_EQ(line.reserve(1000_ps, 100_ps), 1100_ps);
  EXPECT_EQ(line.reserve(0_ps, 10_ps), 10_ps);
  EXPECT_EQ(line.reserve(995_ps, 10_ps), 1105_ps) << "5 before and 5 behind the other use";
  EXPECT_EQ(line.reserve(900_ps, 95_ps), 995_ps) << "exactly the gap";
  EXPECT_EQ(line.reserve(900_ps, 5_ps), 1110_ps);
}

TEST(BusyLineTest, NoTimeIsUsedTwice) {
  BusyLine line;
  Random random(1);
  Picoseconds total, latest;
  for (unsigned i = 0; i < 2000; ++i) {
    const Picoseconds at(random.below(5000)), length(1 + random.below(5));
    total += length;
    const Picoseconds end = line.reserve(at, length);
    EXPECT_GE(end, at + length);
    latest = std::max(latest, end);
  }
  EXPECT_GE(latest, total) << "all uses begin within less time than they take together";
  EXPECT_LE(latest, total + 5000_ps);
  line.forget(latest);
  EXPECT_EQ(line.size(), 0u);
}

TEST(PlaceLineTest, AUseWaitsForTheFirstPlaceThatIsFree) {
  PlaceLine places(2);
  EXPECT_EQ(places.first_free(10_ps), 10_ps);
  places.occupy(10_ps, 30_ps);
  places.occupy(10_ps, 50_ps);
  EXPECT_EQ(places.first_free(10_ps), 30_ps);
  EXPECT_EQ(places.first_free(9_ps), 9_ps) << "a master that lags behind";
  places.occupy(30_ps, 40_ps);
  EXPECT_EQ(places.first_free(35_ps), 40_ps);
  places.forget(40_ps);
  EXPECT_EQ(places.first_free(45_ps), 45_ps);
}

TEST(PlaceLineTest, AUseWithoutAnEndKeepsItsPlaceUntilItHasOne) {
  PlaceLine places(2);
  places.begin(10_ps);
  places.begin(20_ps);
  places.occupy(5_ps, 15_ps);
  EXPECT_EQ(places.first_free(12_ps), 15_ps);
  EXPECT_EQ(places.first_free(25_ps), PlaceLine::never);
  places.forget(30_ps);
  places.end(10_ps, 40_ps);
  EXPECT_EQ(places.first_free(35_ps), 40_ps);
  places.begin(40_ps);
  EXPECT_EQ(places.first_free(50_ps), PlaceLine::never);
  places.end(20_ps, 60_ps);
  places.end(40_ps, 70_ps);
  EXPECT_EQ(places.first_free(45_ps), 60_ps);
  EXPECT_EQ(places.first_free(65_ps), 65_ps);
}

}  // namespace
}  // namespace asterism
