#include <gtest/gtest.h>

#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest ddr5_codes(R"({"kind": "ddr5_codes", "trials": 200})");

TEST(Ddr5CodesStudyTest, PutsExactSharesBesideMeasuredOnes) {
  const Row row = ddr5_codes.run({"code=rs_36_32", "fault=half_burst"});
  EXPECT_EQ(row.count("corrected") + row.count("uncorrectable") + row.count("silent"), 200u);
  EXPECT_NEAR(row.number("exact_sdc_share"), 0.00945, 1e-5);
}

TEST(Ddr5CodesStudyTest, HasNoExactSharesBehindTheChipsOwnCode) {
  const Row row = ddr5_codes.run({"code=rs_10_8", "fault=bit", "second_fault=bit", "on_die=true"});
  EXPECT_EQ(row.number("dce_share"), 1);
  EXPECT_TRUE(row.is_empty("exact_dce_share"));
}

TEST(Ddr5CodesStudyTest, RefusesAHashOfAnotherCode) {
  EXPECT_THROW(ddr5_codes.read({"code=rs_10_8", "hash_bits=48"}), ConfigError);
}

}  // namespace
}  // namespace asterism
