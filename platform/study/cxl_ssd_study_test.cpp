#include <gtest/gtest.h>

#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest cxl_ssd(
    R"({"kind": "cxl_ssd", "path": "83ns", "size": "16MiB", "cache": "4MiB", "requests": 4000})");

TEST(CxlSsdStudyTest, AWorkingSetThatFitsIsReadAtTheSpeedOfDram) {
  const Row fits = cxl_ssd.run({"working_set=2MiB", "requests=40000"});
  EXPECT_GT(fits.number("hit_rate"), 0.99);
  EXPECT_GT(fits.number("hit_ns"), 83 + 154);
  EXPECT_LT(fits.number("hit_ns"), 83 + 154 + 100);
  const Row exceeds = cxl_ssd.run({"working_set=16MiB"});
  EXPECT_NEAR(exceeds.number("hit_rate"), 0.25, 0.06);
  // The part reads a page in 45 us and sends it in 41 us.
  EXPECT_GT(exceeds.number("miss_ns"), 86'000);
}

TEST(CxlSsdStudyTest, ACheckpointIsBoundByTheProgramsOfFlash) {
  const Row few = cxl_ssd.run({"working_set=8MiB", "program=checkpoint", "flash.channels=1"});
  const Row many = cxl_ssd.run({"working_set=8MiB", "program=checkpoint", "flash.channels=4"});
  EXPECT_EQ(few.number("pages_written"), 512);
  EXPECT_EQ(few.number("new_share"), 1);
  EXPECT_GT(many.number("bandwidth_gbps"), 3 * few.number("bandwidth_gbps"));
}

TEST(CxlSsdStudyTest, LinesAtRandomProgramMostlyOldLines) {
  const Row row = cxl_ssd.run({"working_set=16MiB", "write_permille=300"});
  EXPECT_GT(row.number("pages_written"), 0);
  EXPECT_LT(row.number("new_share"), 0.1);
}

// As many as its queue has places; the others wait in front of the device.
TEST(CxlSsdStudyTest, TheDeviceHoldsRequestsThatWaitForFlash) {
  const auto latency = [](const std::string& outstanding) {
    return cxl_ssd.run({"working_set=16MiB", "outstanding=" + outstanding, "requests=8000"})
        .number("miss_ns");
  };
  EXPECT_GT(latency("192"), 3 * latency("48"));
}

TEST(CxlSsdStudyTest, AWarmCacheIsMeasuredWithManyRequestsUnderWay) {
  const Row row = cxl_ssd.run({"working_set=2MiB", "requests=40000", "outstanding=4096"});
  EXPECT_LT(row.number("bandwidth_gbps"), 32);
  EXPECT_GT(row.number("bandwidth_gbps"), 3);
  const std::string mistake = cxl_ssd.mistake({"working_set=2MiB", "outstanding=1001"});
  EXPECT_NE(mistake.find("outstanding"), std::string::npos) << mistake;
}

TEST(CxlSsdStudyTest, EndsWhenItIsInterrupted) {
  std::stop_source source;
  source.request_stop();
  const Study study = cxl_ssd.read({"working_set=2MiB", "requests=1000000000"});
  EXPECT_TRUE(
      std::holds_alternative<std::monostate>(study.points.at(0).point->run(source.get_token()).at(0)));
}

TEST(CxlSsdStudyTest, NamesTheKeyThatDoesNotFit) {
  EXPECT_EQ(cxl_ssd.mistake({"working_set=1TiB"}),
            "command line: error: working_set: expected at most 16MiB, the `size` of the SSD, got 1TiB");
  EXPECT_NE(cxl_ssd.mistake({"size=1TiB", "cache=512GiB"}).find("cache: the cache of 512GiB"),
            std::string::npos);
  EXPECT_NE(cxl_ssd.mistake({"size=512GiB", "flash.translation.over_provisioning=900"})
                .find("over_provisioning: the flash has"),
            std::string::npos);
  EXPECT_NE(cxl_ssd.mistake({"power_loss_protection=true"}).find("power_loss_protection"), std::string::npos);
}

TEST(CxlSsdStudyTest, RefusesFlashThatCannotBeMapped) {
  const std::string mistake = cxl_ssd.mistake({"working_set=8MiB", "flash.part=micron_2006_slc_2k"});
  EXPECT_NE(mistake.find("flash.part: micron_2006_slc_2k has pages of 2KiB"), std::string::npos) << mistake;
}

}  // namespace
}  // namespace asterism
