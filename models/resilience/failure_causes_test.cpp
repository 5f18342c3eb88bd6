#include "resilience/failure_causes.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

// The expected shares are those of dong2011 section 4.3.
TEST(FailureCausesTest, SplitIsAsPublished) {
  EXPECT_EQ(FailureCauses{}.total(), 23739u);
  EXPECT_NEAR(100 * failure_split({}, 1).locally_recoverable, 65.2, 0.05);
  EXPECT_NEAR(100 * failure_split({}, 4).locally_recoverable, 83.9, 0.05);
  EXPECT_DOUBLE_EQ(failure_split({}, 1).failures, 1);
}

TEST(FailureCausesTest, SoftErrorsAloneScale) {
  const FailureCauses ten{.hardware = 5,
                          .software = 2,
                          .network = 1,
                          .human = 0,
                          .facilities = 0,
                          .undetermined = 2,
                          .soft_share = 0.4};  // 2 soft, 3 hard
  const FailureSplit split = failure_split(ten, 11);
  EXPECT_DOUBLE_EQ(split.failures, 3);
  EXPECT_DOUBLE_EQ(split.locally_recoverable, 25.0 / 30);
  EXPECT_DOUBLE_EQ(failure_split(ten, 0).failures, 0.8);
}

TEST(FailureCausesTest, RefusesWhatCannotBe) {
  const auto problem = [](const FailureCauses& causes, double factor) {
    return thrown<std::invalid_argument>([&] { failure_split(causes, factor); });
  };
  EXPECT_EQ(problem({}, -1), "the factor of soft errors is 0 or more");
  EXPECT_EQ(problem({.soft_share = 1.5}, 1), "the share of soft errors is from 0 to 1");
  EXPECT_EQ(problem({0, 0, 0, 0, 0, 0}, 1), "there is a failure");
}

}  // namespace
}  // namespace asterism
