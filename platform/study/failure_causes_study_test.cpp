#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest failure_causes(R"({"kind": "failure_causes"})");

// dong2011 section 4.3.
TEST(FailureCausesStudyTest, HasThePapersShares) {
  const Row counted = failure_causes.run({});
  EXPECT_NEAR(counted.number("q_l_percent"), 65.2, 0.2);
  EXPECT_NEAR(counted.number("q_l_percent") + counted.number("q_g_percent"), 100, 1e-9);
  EXPECT_EQ(counted.number("failures"), 1);
  EXPECT_EQ(counted.number("mttf_s"), 7884);
  EXPECT_NEAR(failure_causes.run({"soft_errors=4"}).number("q_l_percent"), 83.9, 0.1);
}

TEST(FailureCausesStudyTest, SoftErrorsAddFailuresThatALocalCheckpointSurvives) {
  const Row row = failure_causes.run({"hardware=100", "software=0", "network=0", "human=0", "facilities=0",
                                      "undetermined=0", "soft_share=50%", "soft_errors=3", "mttf=1h"});
  EXPECT_DOUBLE_EQ(row.number("failures"), 2);
  EXPECT_DOUBLE_EQ(row.number("q_l_percent"), 75);
  EXPECT_DOUBLE_EQ(row.number("mttf_s"), 1800);
}

TEST(FailureCausesStudyTest, WithoutAnyFailureThereIsNoMttf) {
  const Row row = failure_causes.run({"software=0", "network=0", "human=0", "facilities=0", "undetermined=0",
                                      "soft_share=100%", "soft_errors=0"});
  EXPECT_EQ(row.number("failures"), 0);
  EXPECT_TRUE(row.is_empty("mttf_s"));
}

TEST(FailureCausesStudyTest, RefusesCausesOfNoFailure) {
  EXPECT_NE(
      failure_causes
          .mistake({"hardware=0", "software=0", "network=0", "human=0", "facilities=0", "undetermined=0"})
          .find("command line: error: hardware: expected a value that makes at least one failure "
                "together with the other causes"),
      std::string::npos);
  EXPECT_NE(failure_causes.mistake({"soft_errors=-1"}).find("soft_errors: expected a number from"),
            std::string::npos);
}

}  // namespace
}  // namespace asterism
