#include "fabric/traffic/saturation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/fields.h"

namespace asterism {
namespace {

// The result of a network that carries `capacity`, with a latency of 10 ns that rises as 1 / (1 - load).
SimulationResult fake(double rate, double capacity) {
  SimulationResult result;
  result.rate = rate;
  result.keeps_up = rate <= capacity;
  result.offered.per_ns = rate;
  result.accepted.per_ns = std::min(rate, capacity);
  const double load = std::min(0.99, rate / capacity);
  result.latency.add(Picoseconds(static_cast<std::uint64_t>(10'000 / (1 - load))));
  return result;
}

TEST(Saturation, DescriptionIsSound) { EXPECT_EQ(description_problem<SaturationConfig>(), ""); }

TEST(Saturation, BracketClosesInToTheTolerance) {
  const auto found =
      find_saturation([](double rate) { return fake(rate, 0.0361); }, 0.25, {.tolerance = 0.001});
  EXPECT_LE(found.rate, 0.0361);
  ASSERT_TRUE(found.unsustained);
  EXPECT_GT(*found.unsustained, 0.0361);
  EXPECT_LE(*found.unsustained - found.rate, 0.001 * found.rate);
  EXPECT_EQ(found.accepted.per_ns, found.rate);
  EXPECT_EQ(found.throughput.per_ns, 0.0361);
}

TEST(Saturation, PointsAreInOrderOfRateAndSayWhetherTheyWereSustained) {
  const auto found = find_saturation([](double rate) { return fake(rate, 0.1); }, 0.5, {.low = 0.01});
  ASSERT_GT(found.points.size(), 3u);
  EXPECT_EQ(found.points.front().rate, 0.01);
  EXPECT_EQ(found.points.back().rate, 0.5);
  for (std::size_t i = 1; i < found.points.size(); ++i)
    EXPECT_LT(found.points[i - 1].rate, found.points[i].rate);
  for (const auto& point : found.points) EXPECT_EQ(point.sustained, point.rate <= 0.1);
}

TEST(Saturation, LatencyMayBeTheCriterion) {
  const auto found = find_saturation([](double rate) { return fake(rate, 0.2); }, 1,
                                     {.low = 1e-6, .tolerance = 0.001, .latency_factor = 2.0});
  EXPECT_NEAR(found.rate, 0.1, 0.0002);
  EXPECT_NEAR(found.zero_load_latency, 10'000, 1);
}

TEST(Saturation, FabricThatCarriesEverythingHasNoUnsustainedRate) {
  const auto found = find_saturation([](double rate) { return fake(rate, 1); }, 0.25, {});
  EXPECT_EQ(found.rate, 0.25);
  EXPECT_FALSE(found.unsustained);
  EXPECT_EQ(found.points.size(), 2u);
}

TEST(Saturation, FabricThatCarriesNothingHasRateZero) {
  const auto found = find_saturation([](double rate) { return fake(rate, 1e-6); }, 0.25, {});
  EXPECT_EQ(found.rate, 0);
  EXPECT_EQ(found.unsustained, 0.0005);
}

TEST(Saturation, StoppedSearchKeepsWhatItHas) {
  int runs = 0;
  const auto found = find_saturation(
      [&](double rate) {
        SimulationResult result = fake(rate, 0.1);
        result.stopped = ++runs > 4;
        return result;
      },
      0.25, {});
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(found.points.size(), 4u);
}

TEST(Saturation, BoundsThatAreNoneAreRefused) {
  const auto run = [](double rate) { return fake(rate, 0.1); };
  EXPECT_THROW(find_saturation(run, 0.1, {.low = 0.2}), std::invalid_argument);
  EXPECT_THROW(find_saturation(run, 0.1, {.low = 0}), std::invalid_argument);
  EXPECT_THROW(find_saturation(run, 0.1, {.tolerance = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
