#include "cluster_scale/component_failures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace asterism {
namespace {

ClusterSetup machine() {
  ClusterSetup setup;
  setup.nodes = 1000;
  setup.rates = {Rate(1e-6), Rate(2e-6), Rate(4e-6), Rate(0), Rate(3e-6)};
  return setup;
}

TEST(ComponentFailuresTest, ComeAtTheRateOfAllNodesAndKinds) {
  constexpr int count = 100'000;
  ComponentFailures failures(machine(), 1);
  std::array<int, cluster_failure_kinds> kinds{};
  std::vector<int> nodes(1000);
  Seconds last;
  for (int i = 0; i < count; ++i) {
    const PlacedFailure failure = failures.next().value();
    EXPECT_GT(failure.at, last);
    last = failure.at;
    ++kinds[static_cast<std::size_t>(failure.kind)];
    ++nodes.at(failure.node);
  }
  EXPECT_NEAR(last.count() / count, 100, 5 * 100 / std::sqrt(count));  // five standard deviations
  const std::array<double, cluster_failure_kinds> shares = {0.1, 0.2, 0.4, 0, 0.3};
  for (std::size_t kind = 0; kind < cluster_failure_kinds; ++kind)
    EXPECT_NEAR(kinds[kind], shares[kind] * count, 5 * std::sqrt(shares[kind] * count)) << kind;
  EXPECT_GT(*std::ranges::min_element(nodes), 40);
  EXPECT_LT(*std::ranges::max_element(nodes), 160);
}

TEST(ComponentFailuresTest, FollowTheSeed) {
  ComponentFailures first(machine(), 7), same(machine(), 7), other(machine(), 8);
  const auto failure = first.next();
  EXPECT_EQ(same.next(), failure);
  EXPECT_NE(other.next(), failure);
}

TEST(ComponentFailuresTest, ArePlacedOnesAloneWhereThereAreAny) {
  ClusterSetup setup = machine();
  setup.placed = {{Seconds(5), ClusterFailureKind::gpu, 3}, {Seconds(5), ClusterFailureKind::ssd, 4}};
  ComponentFailures failures(setup, 1);
  EXPECT_EQ(failures.next(), setup.placed[0]);
  EXPECT_EQ(failures.next(), setup.placed[1]);
  EXPECT_EQ(failures.next(), std::nullopt);
}

TEST(ComponentFailuresTest, ABurstIsOfSeveralNodesAtOnce) {
  ClusterSetup setup = machine();
  setup.rates = {};
  setup.rates[static_cast<std::size_t>(ClusterFailureKind::burst)] = Rate(1e-6);
  setup.burst_nodes = 3;
  for (const BurstPlace place : {BurstPlace::neighbours, BurstPlace::anywhere}) {
    setup.burst_place = place;
    ComponentFailures failures(setup, 1);
    const ClusterPlaces places(setup);
    Seconds last;
    for (int i = 0; i < 100; ++i) {
      std::set<std::uint32_t> nodes, switches;
      Seconds at;
      for (int node = 0; node < 3; ++node) {
        const PlacedFailure failure = failures.next().value();
        EXPECT_TRUE(node == 0 || failure.at == at);
        at = failure.at;
        nodes.insert(failure.node);
        switches.insert(places.switch_of(failure.node));
      }
      EXPECT_GT(at, last);
      EXPECT_EQ(nodes.size(), 3u);
      EXPECT_TRUE(place == BurstPlace::anywhere || switches.size() == 1);
      last = at;
    }
  }
}

TEST(ComponentFailuresTest, AnSsdDoesNotSendTheProgramBack) {
  EXPECT_NEAR(failure_rate(machine()).per_second(), 0.01, 1e-15);
  EXPECT_NEAR(setback_rate(machine()).per_second(), 0.008, 1e-15);
}

TEST(ComponentFailuresTest, CorruptionSendsTheProgramBackIfChecksFindIt) {
  ClusterSetup setup = machine();
  setup.rates[static_cast<std::size_t>(ClusterFailureKind::corruption)] = Rate(5e-6);
  EXPECT_NEAR(setback_rate(setup).per_second(), 0.008, 1e-15);
  setup.check_every = 10;
  EXPECT_NEAR(setback_rate(setup).per_second(), 0.013, 1e-15);
}

TEST(ComponentFailuresTest, NewNodesFailMoreOftenIfTheirShapeIsBelowOne) {
  ClusterSetup setup = machine();
  setup.rates = {Rate(1e-7)};
  setup.shape_of_lifetimes = 0.5;
  const auto until = [&](bool fresh) {
    setup.new_machine = fresh;
    ComponentFailures failures(setup, 1);
    int count = 0;
    while (failures.next()->at < Seconds(1e6)) ++count;
    return count;
  };
  EXPECT_NEAR(until(false), 100, 40);
  EXPECT_GT(until(true), 200);
}

}  // namespace
}  // namespace asterism
