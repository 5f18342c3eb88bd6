#include "base/curve_errors.h"

#include <gtest/gtest.h>

#include <vector>

namespace asterism {
namespace {

const std::vector<LoadError> errors{{0.1, true}, {-0.3, true}, {-0.05, false}};

TEST(CurveErrors, AreSummedUpBelowAndAboveTheKnee) {
  const CurveErrors summary = summary_of(errors);
  EXPECT_EQ(summary.latency_mean, 0.2);
  EXPECT_EQ(summary.latency_worst, 0.3);
  EXPECT_EQ(summary.throughput_mean, 0.05);
  EXPECT_EQ(summary.throughput_worst, 0.05);
}

TEST(CurveErrors, ALargeErrorCountsInAMisfitUpToALimit) {
  EXPECT_NEAR(misfit_of(errors), (0.1 + 3 * 0.01 + 0.3 + 3 * 0.09 + 0.05 + 3 * 0.0025) / 3, 1e-12);
  EXPECT_EQ(misfit_of(std::vector<LoadError>{{5, true}}), misfit_of(std::vector<LoadError>{{0.5, true}}));
}

}  // namespace
}  // namespace asterism
