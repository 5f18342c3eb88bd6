#include "core/misses_in_flight.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

using enum CacheAccess;
constexpr std::uint64_t x(unsigned n) { return std::uint64_t{1} << n; }

struct MissesInFlightTest : testing::Test {
  MissesInFlight misses{{.window = 100, .buffers = 4, .stores = 2}, 0_ns};
  static constexpr Picoseconds latency = 50_ns;

  // Of an access behind `count` instructions at a time; returns its end.
  Picoseconds miss(std::uint64_t count, Picoseconds now, AccessRegisters registers = {},
                   CacheAccess what = load) {
    const Picoseconds end = misses.begin({registers, what, count}, now) + latency;
    misses.end(end);
    return end;
  }
};

TEST_F(MissesInFlightTest, IndependentLoadsAreInFlightTogether) {
  EXPECT_EQ(miss(10, 5_ns), 55_ns);
  EXPECT_EQ(miss(20, 8_ns), 58_ns);
  EXPECT_EQ(misses.waits_behind(), 110u);
  EXPECT_EQ(misses.waits_until(109, 30_ns), 30_ns);
  EXPECT_EQ(misses.waits_until(110, 30_ns), 55_ns);
  EXPECT_EQ(misses.waits_behind(), 120u);
  EXPECT_EQ(misses.waits_until(120, 57_ns), 58_ns);
  EXPECT_EQ(misses.waits_behind(), MissesInFlight::never);
  EXPECT_EQ(misses.last_end(), 58_ns);
  EXPECT_EQ(misses.last_load_end(), 0_ns);
}

TEST_F(MissesInFlightTest, LoadsThatHaveEndedAreForgotten) {
  miss(10, 0_ns);
  miss(20, 0_ns);
  EXPECT_EQ(misses.waits_until(30, 50_ns), 50_ns);
  EXPECT_EQ(misses.waits_behind(), MissesInFlight::never);
}

TEST_F(MissesInFlightTest, ALoadWhoseAddressWasLoadedBeginsAtTheEndOfTheOther) {
  const Picoseconds end = miss(10, 0_ns, {.loaded = x(1), .of_address = x(2)});
  // In the next iteration of a loop of 5 instructions, by X1 as of its begin.
  EXPECT_EQ(miss(15, 1_ns, {.loaded = x(1), .of_address = x(1), .before = 2}), end + latency);
  // In the same basic block, 3 instructions behind the second one.
  EXPECT_EQ(miss(18, 2_ns, {.loaded = x(4), .of_loads = 1 << 2, .before = 5}), end + 2 * latency);
  EXPECT_EQ(miss(19, 2_ns, {.loaded = x(5), .of_address = x(6), .before = 6}), 52_ns);
}

TEST_F(MissesInFlightTest, OfOneRegisterTheLatestLoadCounts) {
  miss(10, 0_ns, {.loaded = x(1)});
  const Picoseconds end = miss(20, 30_ns, {.loaded = x(1)});
  EXPECT_EQ(miss(30, 31_ns, {.of_address = x(1)}), end + latency);
}

TEST_F(MissesInFlightTest, ARegisterLoadedInTheSameBasicBlockIsNotTheOneAtItsBegin) {
  miss(28, 0_ns, {.loaded = x(1)});
  EXPECT_EQ(miss(30, 1_ns, {.of_address = x(1), .before = 5}), 51_ns);
}

TEST_F(MissesInFlightTest, LoadsOfTheSameLineEndWithIt) {
  AccessRegisters registers{.loaded = x(1), .of_address = x(2)};
  registers.companions.push_back({2, 8, x(2)});
  const Picoseconds end = miss(10, 0_ns, registers);
  EXPECT_EQ(miss(15, 1_ns, {.loaded = x(1), .of_address = x(2), .before = 0}), end + latency);
  EXPECT_EQ(miss(13, 1_ns, {.of_loads = 1 << 0, .before = 3}), end + latency);
}

TEST_F(MissesInFlightTest, ALoadWaitsForABuffer) {
  for (const std::uint64_t i : {0, 1, 2, 3}) EXPECT_EQ(miss(i, i * 1_ns), i * 1_ns + latency);
  EXPECT_EQ(miss(4, 4_ns), 100_ns);
  EXPECT_EQ(miss(5, 4_ns), 101_ns);
}

TEST_F(MissesInFlightTest, TheCoreWaitsWhileTheStoreBufferIsFull) {
  miss(1, 0_ns, {}, store);
  miss(2, 1_ns, {}, store);
  EXPECT_EQ(misses.waits_behind(), MissesInFlight::never);
  EXPECT_EQ(miss(3, 2_ns, {}, store), 100_ns);
  EXPECT_LE(misses.waits_behind(), 4u);
  EXPECT_EQ(misses.waits_until(4, 2_ns), 50_ns);
  EXPECT_EQ(misses.waits_behind(), MissesInFlight::never);
}

TEST_F(MissesInFlightTest, BarriersWaitForLoadsOrForAll) {
  miss(1, 0_ns);
  miss(2, 5_ns, {}, store);
  EXPECT_EQ(misses.last_load_end(), 50_ns);
  EXPECT_EQ(misses.last_end(), 55_ns);
}

TEST_F(MissesInFlightTest, AFetchIsWaitedForAtOnce) {
  miss(1, 3_ns, {}, fetch);
  EXPECT_EQ(misses.waits_until(1, 3_ns), 53_ns);
}

TEST_F(MissesInFlightTest, AResetForgetsThem) {
  for (const std::uint64_t i : {0, 1, 2, 3}) miss(i, 0_ns, {.loaded = x(1)});
  miss(5, 0_ns, {}, fetch);
  misses.reset();
  EXPECT_EQ(misses.waits_behind(), MissesInFlight::never);
  EXPECT_EQ(misses.last_end(), 0_ns);
  EXPECT_EQ(miss(6, 0_ns, {.of_address = x(1)}), 50_ns);
}

TEST(MissesInFlight, AMissTakesTheTimeOfAHitFirst) {
  MissesInFlight misses{{.window = 100, .buffers = 2}, 3_ns};
  const auto begun = [&](const MissesInFlight::Miss& miss) {
    const Picoseconds at = misses.begin(miss, 10_ns);
    misses.end(at + 50_ns);
    return at;
  };
  EXPECT_EQ(begun({{.loaded = x(1)}, load, 0}), 13_ns);
  EXPECT_EQ(begun({{.of_address = x(1)}, load, 1}), 66_ns);
  EXPECT_EQ(begun({{}, load, 2}), 63_ns);  // when there is a buffer
}

TEST(MissesInFlight, WithoutAWindowEachMissIsWaitedFor) {
  MissesInFlight misses{{}, 3_ns};
  for (const CacheAccess what : {load, store, fetch}) {
    misses.reset();
    misses.end(misses.begin({{}, what, 7}, 10_ns) + 50_ns);
    EXPECT_LE(misses.waits_behind(), 7u);
    EXPECT_EQ(misses.waits_until(7, 10_ns), 60_ns);
  }
}

}  // namespace
}  // namespace asterism
