// What a guest does and how its instructions are counted and timed does not depend on how often the host is
// called, nor on whether it continues in the same engine or in another one.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/a64/oracle/guest.h"

namespace asterism::a64::oracle {
namespace {

constexpr std::uint64_t length = 40'000;  // instructions

void expect_same(const GuestResult& result, const GuestResult& expected) {
  EXPECT_EQ(result.instructions, expected.instructions);
  EXPECT_TRUE(result.state == expected.state);
  EXPECT_TRUE(result.code == expected.code);
  EXPECT_TRUE(result.data == expected.data);
  EXPECT_TRUE(result.seen == expected.seen);
  EXPECT_EQ(result.irq, expected.irq);
  EXPECT_EQ(result.time, expected.time);
}

class A64Invariance : public testing::TestWithParam<unsigned> {};

TEST_P(A64Invariance, OfTheQuantum) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const GuestResult beginning = GuestHost::beginning(make_guest(seed, GetParam()));
    const GuestResult expected = GuestHost(beginning, seed).run(length, 100'000);
    EXPECT_EQ(expected.instructions, length);
    EXPECT_GT(expected.seen.size(), 20u);
    EXPECT_GT(expected.time, 300 * length);
    for (const std::uint64_t interval : {1, 7, 137, 1000}) {
      SCOPED_TRACE(interval);
      expect_same(GuestHost(beginning, seed).run(length, interval), expected);
    }
  }
}

TEST_P(A64Invariance, OfASnapshotThatContinuesInAnotherEngine) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const GuestResult beginning = GuestHost::beginning(make_guest(seed, GetParam()));
    const GuestResult expected = GuestHost(beginning, seed).run(length, 1000);
    Random random(seed);
    GuestResult at = beginning;
    std::vector<Seen> seen;
    while (at.instructions < length) {
      const std::uint64_t to = std::min(length, at.instructions + 1 + random.below(5000));
      GuestHost host(at, seed);
      at = host.run(to, 1000);
      seen.insert(seen.end(), at.seen.begin(), at.seen.end());
    }
    at.seen = seen;
    expect_same(at, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Level, A64Invariance, testing::Values(0u, 1u),
                         [](const auto& info) { return "El" + std::to_string(info.param); });

}  // namespace
}  // namespace asterism::a64::oracle
