#include <gmock/gmock.h>

#include <cstdlib>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest media(R"({"kind": "checkpoint_media", "pages": 512})");

TEST(CheckpointMediaStudyTest, TheNetworkIsSlowerThanTheNodesOwnPcram) {
  const Row row = media.run({});
  ASSERT_EQ(row.cells.size(), row.kind->columns.size());
  EXPECT_NEAR(row.number("local_gbps"), 10.6, 0.2);
  EXPECT_GT(row.number("global_us"), 512 * 4120 / 3.5e3);
  EXPECT_NEAR(row.number("global_gbps"), 512 * 4096 / row.number("global_us") / 1e3, 1e-9);
  EXPECT_GT(row.number("global_gbps"), 2.8);
  EXPECT_NEAR(media.run({"network=1.75GB/s"}).number("global_gbps"), 1.75, 0.1);
}

TEST(CheckpointMediaStudyTest, DisksAreABandwidthThatNodesShare) {
  const Row row = media.run({"medium=disk", "disk=50MB/s"});
  EXPECT_TRUE(row.is_empty("local_us"));
  EXPECT_NEAR(row.number("global_gbps"), 0.050, 0.010);
}

TEST(CheckpointMediaStudyTest, RefusesAMediumsKeysForAnother) {
  const auto begins = [](const std::string& key) {
    return "command line: error: " + key + ": this key is valid only if medium is ";
  };
  EXPECT_EQ(media.mistake({"medium=cxl", "network=1GB/s"}).find(begins("network")), 0u);
  EXPECT_EQ(media.mistake({"medium=stack", "disk=50MB/s"}).find(begins("disk")), 0u);
  EXPECT_EQ(media.mistake({"medium=stack,disk", "disk=50MB/s"}), "none");
}

// Between memory and SSD: the copy by the cores, and a restore through the library.
TEST(CheckpointMediaStudyTest, CxlDevicesAreSlowerThanMemoryAndFasterThanTheSsd) {
  const auto on = [](const std::string& medium, const std::string& key = "pages=64") {
    return media.run({"medium=" + medium, "pages=64", key});
  };
  const Row memory = on("memory"), asic = on("cxl"), fpga = on("cxl", "expander=fpga"),
            cxl_ssd = on("cxl_ssd"), ssd = on("dimm_ssd");
  for (const Row* const row : {&memory, &asic, &fpga, &cxl_ssd, &ssd}) {
    EXPECT_TRUE(row->is_empty("global_us"));
    EXPECT_NEAR(row->number("local_gbps"), 64 * 4096 / row->number("local_us") / 1e3, 1e-9);
    EXPECT_NEAR(row->number("read_gbps"), 64 * 4096 / row->number("read_us") / 1e3, 1e-9);
  }
  EXPECT_LT(memory.number("restore_us"), asic.number("restore_us"));
  EXPECT_LT(asic.number("restore_us"), fpga.number("restore_us"));
  EXPECT_LT(fpga.number("restore_us"), ssd.number("restore_us"));
  EXPECT_LT(asic.number("local_us"), fpga.number("local_us"));
  EXPECT_LT(10 * fpga.number("local_us"), cxl_ssd.number("local_us"));
  EXPECT_LT(cxl_ssd.number("local_us"), ssd.number("local_us"));
}

TEST(CheckpointMediaStudyTest, SaysHowARunHasFailed) {
  ASSERT_EQ(setenv("ASTERISM_FIRMWARE", "/nowhere", 1), 0);
  const std::string said = thrown<StudyMistake>([] { media.run({}); });
  unsetenv("ASTERISM_FIRMWARE");
  EXPECT_THAT(said, testing::HasSubstr("the run on two nodes has ended with status 66: "));
}

}  // namespace
}  // namespace asterism
