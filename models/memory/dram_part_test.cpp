#include "memory/dram_part.h"

#include <gtest/gtest.h>

#include "base/fields.h"
#include "memory/dram_config.h"

namespace asterism {
namespace {

TEST(DramPartTest, DescriptionsAreComplete) {
  EXPECT_EQ(description_problem<DramPart>(), "");
  EXPECT_EQ(description_problem<DramTiming>(), "");
  EXPECT_EQ(description_problem<DramCurrents>(), "");
  EXPECT_EQ(description_problem<DramConfig>(), "");
}

TEST(DramPartTest, GeometryFollowsFromTheChips) {
  const DramPart x4;  // 1 Gb
  EXPECT_EQ(x4.rows(), 16384u);
  EXPECT_EQ(x4.columns(), 256u);
  EXPECT_EQ(x4.rank_size(), 2_GiB);
  EXPECT_EQ(x4.chips_per_rank(), 18u);
  EXPECT_TRUE(x4.suits_symbol_codes());
  const DramPart x8{.capacity = 256_MiB, .width = 8, .timing = {}, .currents = {}};
  EXPECT_EQ(x8.rows(), 32768u);
  EXPECT_EQ(x8.columns(), 128u);
  EXPECT_EQ(x8.rank_size(), 2_GiB);
  EXPECT_EQ(x8.chips_per_rank(), 9u);
  EXPECT_FALSE(x8.suits_symbol_codes());
}

TEST(DramPartTest, UnloadedLatenciesAreThoseOfDdr3At11_11_11) {
  const DramPart part;
  EXPECT_EQ(part.row_hit(), 18'750_ps);
  EXPECT_EQ(part.closed_bank(), 32'500_ps);
  EXPECT_EQ(part.row_conflict(), 46'250_ps);
  EXPECT_EQ(part.peak(), 12'800_MBps);
}

}  // namespace
}  // namespace asterism
