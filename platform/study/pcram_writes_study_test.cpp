#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest pcram_writes(R"({"kind": "pcram_writes", "size": "1MiB", "bus": "64GB/s"})");

// dong2011 section 3: 18 chips of 64 bytes in the 106 ns of a SET, half of whose cells take 31.5 nJ and half
// 19.6 nJ; 18 chips of 60.8 mW; section 2.2: 1e8 writes, one each 10 s.
TEST(PcramWritesStudyTest, IsTheModuleOfThePaper) {
  const Row row = pcram_writes.run({});
  EXPECT_NEAR(row.number("write_gbps"), 18 * 64 / 106.0, 0.002 * 10.87);
  EXPECT_NEAR(row.number("line_nj"), 25.55, 0.02);
  EXPECT_NEAR(row.number("write_w"), 25.55 / 64 * 10.87, 0.01);
  EXPECT_NEAR(row.number("leakage_w"), 1.0944, 1e-9);
  EXPECT_NEAR(row.number("lifetime_years"), 31.71, 0.01);
  EXPECT_EQ(row.number("cells_percent"), 100);
  EXPECT_EQ(row.number("capacity_gib"), 2);
}

// A chip is read for 18 ns before each of the pulses, which half of the lines need.
TEST(PcramWritesStudyTest, SuppressionSavesEnergyAndCostsARead) {
  const Row all = pcram_writes.run({"suppress=true"});
  EXPECT_NEAR(all.number("write_gbps"), 18 * 64 / 124.0, 0.002 * 9.29);
  EXPECT_NEAR(all.number("cells_percent"), 50, 0.2);
  EXPECT_NEAR(all.number("line_nj"), 25.55 / 2, 0.05);
  const Row half = pcram_writes.run({"suppress=true", "changed=50%"});
  EXPECT_NEAR(half.number("lifetime_years"), 2 * 31.71, 1);
  EXPECT_NEAR(half.number("cells_percent"), 25, 0.4);
  EXPECT_GT(half.number("write_gbps"), all.number("write_gbps"));
  const Row none = pcram_writes.run({"suppress=true", "changed=0%"});
  EXPECT_EQ(none.number("line_nj"), 0);
  EXPECT_TRUE(none.is_empty("lifetime_years"));
}

TEST(PcramWritesStudyTest, ABusBoundsTheChips) {
  EXPECT_NEAR(pcram_writes.run({"bus=1GB/s"}).number("write_gbps"), 1, 0.002);
}

// 16 mats of 2.5 GB/s.
TEST(PcramWritesStudyTest, MatsOfAStackAddUp) {
  const Row row = pcram_writes.run({"part=dong2011_3d", "size=16MiB", "flipped=50%", "changed=1%"});
  EXPECT_NEAR(row.number("write_gbps"), 40, 0.1);
}

TEST(PcramWritesStudyTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(pcram_writes.mistake({"size=4097B"}),
            "command line: error: size: expected a value that is a multiple of 4 KiB, got \"4097B\"");
  EXPECT_EQ(pcram_writes.mistake({"part=dong2011_3d", "dram=33MiB"}),
            "command line: error: part: dong2011_3d has banks of 32MiB: dram is a whole number of them");
  EXPECT_EQ(pcram_writes.mistake({"part=dong2011_3d", "size=64MiB"}),
            "command line: error: size: expected at most the 32MiB of the PCRAM, got 64MiB");
}

}  // namespace
}  // namespace asterism
