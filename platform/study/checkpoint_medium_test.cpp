#include "platform/study/checkpoint_medium.h"

#include <gtest/gtest.h>

#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

double gigabytes(Bandwidth rate) { return static_cast<double>(rate.count()) / 1e9; }
MediumBandwidths of(const char* expander, MediumType type = MediumType::cxl) {
  CheckpointMedium medium;
  medium.type = type;
  medium.expander = expander;
  medium.flash.channels = 16;
  return measured(medium, shipped_configs);
}

const StudyUnderTest expander_study(
    R"({"kind": "cxl", "path": "83ns", "channels": 2, "refresh": "by_banks", "hash": true,
                             "read_queue": 64, "requests": 30000})");

TEST(CheckpointMediumTest, AnExpanderHasTheBandwidthsOfItsStudy) {
  for (const char* expander : {"asic", "fpga"}) {
    const std::string key = std::string("expander=") + expander;
    const MediumBandwidths here = of(expander);
    const double write = expander_study.run({key, "program=write"}).number("bandwidth_gbps"),
                 read = expander_study.run({key, "program=read"}).number("bandwidth_gbps");
    EXPECT_NEAR(gigabytes(here.write), write, 1e-6) << expander;
    EXPECT_NEAR(gigabytes(here.read), read, 1e-6) << expander;
  }
}

TEST(CheckpointMediumTest, ACxlSsdHasTheBandwidthsOfItsStudy) {
  const StudyUnderTest ssd(R"({"kind": "cxl_ssd", "path": "83ns", "working_set": "32MiB", "channels": 2,
                               "refresh": "by_banks", "hash": true, "read_queue": 64, "flash": {"channels": 16}})");
  const MediumBandwidths here = of("asic", MediumType::cxl_ssd);
  EXPECT_NEAR(gigabytes(here.write), ssd.run({"program=checkpoint"}).number("bandwidth_gbps"), 1e-6);
  EXPECT_GT(gigabytes(here.read), 1.5);  // as docs/cxl.md has of the study
}

TEST(CheckpointMediumTest, IsTheFirstLevelOfModels) {
  const MediumBandwidths asic = of("asic");
  const auto time = [](Bandwidth rate) { return std::to_string(64 * 1.073741824 / gigabytes(rate)) + "s"; };
  for (const char* kind : {R"({"kind": "first_order"})", R"({"kind": "markov", "counts": [4, 40]})"}) {
    const StudyUnderTest study(kind);
    const Row here = study.run({"medium.type=cxl"});
    const Row given =
        study.run({"cost=[" + time(asic.write) + ",50s,438s]", "restart=[" + time(asic.read) + ",50s,438s]"});
    EXPECT_NEAR(here.number("efficiency"), given.number("efficiency"), 1e-9) << kind;
    EXPECT_GT(here.number("efficiency"), study.run({}).number("efficiency")) << kind;
    EXPECT_NEAR(here.number("medium_write_s"), 64 * 1.073741824 / gigabytes(asic.write), 1e-9) << kind;
    EXPECT_NEAR(here.number("medium_read_s"), 64 * 1.073741824 / gigabytes(asic.read), 1e-9) << kind;
    EXPECT_TRUE(given.is_empty("medium_write_s")) << kind;
    EXPECT_LT(here.number("efficiency"),
              study.run({"medium.type=cxl", "checkpoint=8GiB"}).number("efficiency"));
  }
}

TEST(CheckpointMediumTest, SaysWhichPartCannotBe) {
  const StudyUnderTest study(R"({"kind": "first_order", "medium": {"type": "cxl_ssd"}})");
  EXPECT_NE(study.mistake({"medium.flash.part=micron_2006_slc_2k"})
                .find("medium.flash.part: micron_2006_slc_2k has pages of 2KiB"),
            std::string::npos);
  EXPECT_NE(study.mistake({"medium.expander=asik"}).find("medium.expander: "), std::string::npos);
}

}  // namespace
}  // namespace asterism
