#include <gtest/gtest.h>

#include <stop_token>

#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest memory_faults(R"({"kind": "memory_faults", "trials": 200})");

TEST(MemoryFaultsStudyTest, SumsTheRatesOfAllModes) {
  const Row row = memory_faults.run({"code=rs_10_8"});
  EXPECT_NEAR(row.number("faults_fit"), 66.1, 1e-9);
  EXPECT_NEAR(row.number("corrected_fit"), 66.1, 1e-9);
  EXPECT_EQ(row.number("uncorrected_fit"), 0);
}

TEST(MemoryFaultsStudyTest, LosesChipsWithNineOfThem) {
  // Rows, banks and ranks; and a third of the beats, whose four pins are more than two.
  EXPECT_NEAR(memory_faults.run({"code=rs_36_32"}).number("uncorrected_fit"), 24.6 + 1.7 / 3, 1e-3);
  EXPECT_NEAR(memory_faults.run({"code=rs_36_32", "faults=jaguar_ddr2_bounded"}).number("uncorrected_fit"),
              16.2, 1e-3);
  EXPECT_NEAR(memory_faults.run({"code=rs_36_32", "mode=row"}).number("rank_uncorrected_fit"), 9 * 8.4, 1e-3);
}

TEST(MemoryFaultsStudyTest, ReportsTheTimeBetweenErrorsOfTheField) {
  EXPECT_NEAR(memory_faults.run({"faults=h100_delta", "mode=uncorrectable"}).number("mtbe_h"), 88'768, 0.5);
}

TEST(MemoryFaultsStudyTest, HasNoSharesIfItIsStoppedBeforeTheFirstBlock) {
  std::stop_source user;
  user.request_stop();
  const Study study = memory_faults.read({"code=rs_36_32", "on_die=true"});
  const Row row{study.kind, study.points.at(0).point->run(user.get_token())};
  EXPECT_TRUE(row.is_empty("faults_fit"));
  EXPECT_TRUE(row.is_empty("sdc_fit"));
}

TEST(MemoryFaultsStudyTest, RefusesAnUnknownMode) {
  EXPECT_THROW(memory_faults.read({"mode=rank"}), ConfigError);
}

}  // namespace
}  // namespace asterism
