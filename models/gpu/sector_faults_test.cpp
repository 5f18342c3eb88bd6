#include "gpu/sector_faults.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

using Shape = GpuMemoryShape;

struct SectorFaultsTest : testing::Test {
  SectorFaults faults{SectorCode::symbol, 1};
  bool has(std::uint64_t sector) const {
    SectorBits pattern{};
    return faults.errors(sector, pattern);
  }
};

TEST_F(SectorFaultsTest, AnErrorIsTheSameAtEachRead) {
  faults.inject(Shape::sector, 5, 0, false);
  SectorBits first{}, second{};
  EXPECT_TRUE(faults.errors(5, first));
  EXPECT_TRUE(faults.errors(5, second));
  EXPECT_EQ(first, second);
  EXPECT_NE(first, SectorBits{});
}

TEST_F(SectorFaultsTest, ARowEndsSectorBySector) {
  faults.inject(Shape::row, 70, 0, false);
  EXPECT_FALSE(has(63));
  EXPECT_TRUE(has(64));
  EXPECT_TRUE(has(95));
  EXPECT_FALSE(has(96));
  faults.written(60, 10);
  EXPECT_FALSE(has(64));
  EXPECT_TRUE(has(70));
  faults.written(70, 100);
  EXPECT_TRUE(faults.empty());
}

TEST_F(SectorFaultsTest, WritingDoesNotHealStuckCells) {
  faults.inject(Shape::bit, 5, 3, true);
  faults.written(0, 100);
  EXPECT_TRUE(has(5));
  faults.reset(Reset::cold);
  EXPECT_TRUE(has(5));
  faults.replaced(0, 6);
  EXPECT_TRUE(faults.empty());
}

TEST_F(SectorFaultsTest, APinIsInAllSectorsAndCannotBeReplaced) {
  faults.inject(Shape::pin, 5, 3, false);
  EXPECT_TRUE(has(0));
  EXPECT_TRUE(has(1'000'000));
  faults.replaced(0, 2'000'000);
  EXPECT_TRUE(has(0));
}

TEST_F(SectorFaultsTest, APowerLossEndsTransientFaultsAndAWarmResetNone) {
  faults.inject(Shape::word, 5, 20, false);
  faults.reset(Reset::warm);
  EXPECT_TRUE(has(5));
  faults.reset(Reset::power_loss);
  EXPECT_TRUE(faults.empty());
}

TEST_F(SectorFaultsTest, KnowsWhatItTouches) {
  faults.inject(Shape::row, 64, 0, true);
  EXPECT_FALSE(faults.touches(0, 64));
  EXPECT_TRUE(faults.touches(0, 65));
  EXPECT_TRUE(faults.touches(95, 1));
  EXPECT_FALSE(faults.touches(96, 10));
}

}  // namespace
}  // namespace asterism
