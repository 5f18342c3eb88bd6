#include "resilience/failure_profile.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace asterism {
namespace {

const FailureProfile three_classes{
    .gpu_hours = 2e6,
    .classes = {{.name = "a", .component = FailedComponent::hbm, .count = 3},
                {.name = "b", .component = FailedComponent::hbm, .count = 1},
                {.name = "c", .component = FailedComponent::software, .count = 4}}};

TEST(FailureProfileTest, RatesAreCountsOverHours) {
  EXPECT_DOUBLE_EQ(three_classes.rate().per_second(), 8 / 2e6 / 3600);
  EXPECT_DOUBLE_EQ(three_classes.rate_of(FailedComponent::hbm).per_second(), 4 / 2e6 / 3600);
  EXPECT_EQ(three_classes.rate_of(FailedComponent::gpu), Rate());
}

TEST(FailureProfileTest, AFitReplacesTheRateOfAComponentAndKeepsItsParts) {
  const FailureProfile stronger = with_fit(three_classes, FailedComponent::hbm, 500);
  EXPECT_DOUBLE_EQ(stronger.rate_of(FailedComponent::hbm).per_second(), 500e-9 / 3600);
  EXPECT_DOUBLE_EQ(stronger.classes[0].count, 3 * stronger.classes[1].count);
  EXPECT_EQ(stronger.classes[2], three_classes.classes[2]);
  EXPECT_THROW(with_fit(three_classes, FailedComponent::network, 1), std::invalid_argument);
}

TEST(FailureProfileTest, AFitIsOfTheClassesThatStopTheRun) {
  FailureProfile profile = three_classes;
  profile.classes[1].effect = FailureEffect::corrupts;
  const FailureProfile stronger = with_fit(profile, FailedComponent::hbm, 500);
  EXPECT_DOUBLE_EQ(stronger.rate(stronger.classes[0]).per_second(), 500e-9 / 3600);
  EXPECT_EQ(stronger.classes[1], profile.classes[1]);
}

}  // namespace
}  // namespace asterism
