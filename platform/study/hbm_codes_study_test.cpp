#include <gtest/gtest.h>

#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest hbm_codes(R"({"kind": "hbm_codes"})");

TEST(HbmCodesStudyTest, TheLongCodeNeedsItsSpanForEveryRead) {
  const auto throughput = [](const std::vector<std::string>& overrides) {
    return hbm_codes.run(overrides).number("throughput_percent");
  };
  EXPECT_NEAR(throughput({"code=reach", "random_reads=1"}), 50, 1e-9);
  EXPECT_NEAR(throughput({"code=long_rs", "random_reads=1"}), 100.0 / 81, 1e-9);
  EXPECT_NEAR(throughput({"code=on_die", "random_reads=0.5", "random_writes=0.5"}), 100, 1e-9);
  EXPECT_NEAR(throughput({"code=reach"}), 100 * 64.0 / 81, 1e-9);
}

TEST(HbmCodesStudyTest, CountsEveryTrialOnce) {
  const Row row = hbm_codes.run({"code=reach", "bit_errors=0.002", "trials=50"});
  EXPECT_EQ(row.count("correct") + row.count("trials_uncorrectable") + row.count("trials_silent"), 50u);
}

TEST(HbmCodesStudyTest, TheDieToleratesOneWrongBitInAMillionByDefault) {
  EXPECT_NEAR(hbm_codes.run({"code=on_die"}).number("tolerated_bit_errors"), 1e-6, 1e-8);
}

}  // namespace
}  // namespace asterism
