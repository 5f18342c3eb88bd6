#include "resilience/first_order.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

const CheckpointLevel memory{Rate(2e-4), Seconds(1), Seconds(25)};

TEST(FirstOrderTest, OptimalIntervalIsYoungs) { EXPECT_DOUBLE_EQ(optimal_interval(memory).count(), 100); }

TEST(FirstOrderTest, CostIsWritingLossAndRestart) {
  EXPECT_DOUBLE_EQ(first_order_cost(memory, Seconds(100)), 0.01 + 0.01 + 0.005);
  EXPECT_DOUBLE_EQ(first_order_cost(memory, Seconds(50)), 0.02 + 0.005 + 0.005);
}

TEST(FirstOrderTest, LevelsMultiply) {
  const CheckpointLevel disk{Rate(2e-6), Seconds(100), Seconds(0)};  // it costs 0.02 at its optimum
  EXPECT_DOUBLE_EQ(first_order_efficiency({{memory}}), 1 / 1.025);
  EXPECT_DOUBLE_EQ(first_order_efficiency({{memory, disk}}), 1 / (1.025 * 1.02));
}

TEST(FirstOrderTest, FreeLevelCostsNothing) {
  EXPECT_EQ(first_order_efficiency({{CheckpointLevel{Rate(1e-3), Seconds(), Seconds()}}}), 1);
}

TEST(FirstOrderTest, RefusesLevelsThatAreNone) {
  const auto problem = [](const std::vector<CheckpointLevel>& levels) {
    return thrown<std::invalid_argument>([&] { first_order_efficiency(levels); });
  };
  EXPECT_EQ(problem({}), "there are 1 to 8 levels of checkpoints");
  EXPECT_EQ(problem(std::vector<CheckpointLevel>(9, memory)), "there are 1 to 8 levels of checkpoints");
  EXPECT_EQ(problem({memory, {Rate(), Seconds(1), Seconds(1)}}), "level 2: a failure rate is above 0");
  EXPECT_EQ(problem({{Rate(1), Seconds(-1), Seconds(1)}}), "level 1: a cost is 0 or more");
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(problem({{Rate(none), Seconds(1), Seconds(1)}}), "level 1: a failure rate is above 0");
  EXPECT_EQ(problem({{Rate(1), Seconds(1), Seconds(none)}}), "level 1: a cost is 0 or more");
}

}  // namespace
}  // namespace asterism
