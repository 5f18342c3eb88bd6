#include "core/misses_in_flight.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

using enum CacheAccess;
constexpr std::uint64_t x(unsigned n) { return std::uint64_t{1} << n; }

constexpr InstructionClock units(1_GHz, 1);

struct MissesInFlightTest : testing::Test {
  MissesInFlight misses{{.window = 100, .buffers = 4, .stores = 2}, 0_ns, units};
  static constexpr Picoseconds latency = 250_ns;

  // Of an access behind `count` instructions at a time, in code that takes a cycle for each; returns its end.
  Picoseconds miss(std::uint64_t count, Picoseconds now, AccessRegisters registers = {},
                   CacheAccess what = load) {
    registers.pace = 1000;
    const Picoseconds end = misses.begin({registers, what, count}, now) + latency;
    misses.end(end);
    return end;
  }
};

TEST_F(MissesInFlightTest, IndependentLoadsAreInFlightTogether) {
  EXPECT_EQ(miss(10, 5_ns), 255_ns);
  EXPECT_EQ(miss(20, 25_ns), 275_ns);
  EXPECT_EQ(misses.pass(104_ns), 104_ns);
  EXPECT_EQ(misses.after_waits(105_ns), 255_ns);
  EXPECT_EQ(misses.pass(106_ns), 256_ns);  // the instructions behind the wait have been executed, too
  EXPECT_EQ(misses.pass(274_ns), 274_ns);
  EXPECT_EQ(misses.pass(300_ns), 300_ns);  // ended before the core would have waited
  EXPECT_EQ(misses.last_end(), 275_ns);
  EXPECT_EQ(misses.last_load_end(), 0_ns);
}

TEST_F(MissesInFlightTest, WaitsAreTheSameWheneverTheyAreAskedFor) {
  const auto all = [&](Picoseconds step) {
    misses.reset();
    miss(10, 5_ns), miss(20, 45_ns), miss(30, 85_ns);
    Picoseconds now = 90_ns;
    for (Picoseconds executed{}; executed < 400_ns; executed += step) now = misses.pass(now + step);
    return now;
  };
  EXPECT_EQ(all(400_ns), 640_ns);  // 150 ns at 105 ns; at 295, nothing; at 335, nothing
  EXPECT_EQ(all(1_ns), 640_ns);
  EXPECT_EQ(all(50_ns), 640_ns);
}

TEST_F(MissesInFlightTest, AWaitForSomethingElseIsNotAPartOfTheWindow) {
  miss(10, 0_ns);
  misses.shift(90_ns);
  EXPECT_EQ(misses.pass(189_ns), 189_ns);
  EXPECT_EQ(misses.pass(190_ns), 250_ns);
}

TEST_F(MissesInFlightTest, TheWindowLastsAsLongAsTheInstructionsOfTheBasicBlock) {
  misses.end(misses.begin({{.pace = 500}, load, 0}, 0_ns) + latency);
  EXPECT_EQ(misses.pass(49_ns), 49_ns);
  EXPECT_EQ(misses.pass(50_ns), 250_ns);
}

TEST_F(MissesInFlightTest, LoadsThatHaveEndedAreForgotten) {
  miss(10, 0_ns);
  EXPECT_EQ(misses.last_load_end(), 250_ns);
  misses.shift(250_ns);
  EXPECT_EQ(misses.pass(250_ns), 250_ns);
  EXPECT_EQ(misses.last_load_end(), 0_ns);
}

TEST_F(MissesInFlightTest, ALoadWhoseAddressWasLoadedBeginsAtTheEndOfTheOther) {
  const Picoseconds end = miss(10, 0_ns, {.loaded = x(1), .of_address = x(2)});
  // In the next iteration of a loop of 5 instructions, by X1 as of its begin.
  EXPECT_EQ(miss(15, 1_ns, {.loaded = x(1), .of_address = x(1), .before = 2}), end + latency);
  // In the same basic block, 3 instructions behind the second one.
  EXPECT_EQ(miss(18, 2_ns, {.loaded = x(4), .of_loads = 1 << 2, .before = 5}), end + 2 * latency);
  EXPECT_EQ(miss(19, 2_ns, {.loaded = x(5), .of_address = x(6), .before = 6}), 2_ns + latency);
}

TEST_F(MissesInFlightTest, OfOneRegisterTheLatestLoadCounts) {
  miss(10, 0_ns, {.loaded = x(1)});
  const Picoseconds end = miss(20, 30_ns, {.loaded = x(1)});
  EXPECT_EQ(miss(30, 31_ns, {.of_address = x(1)}), end + latency);
}

TEST_F(MissesInFlightTest, ARegisterLoadedInTheSameBasicBlockIsNotTheOneAtItsBegin) {
  miss(28, 0_ns, {.loaded = x(1)});
  EXPECT_EQ(miss(30, 1_ns, {.of_address = x(1), .before = 5}), 1_ns + latency);
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
  EXPECT_EQ(miss(4, 4_ns), 500_ns);
  EXPECT_EQ(miss(5, 4_ns), 501_ns);
}

TEST_F(MissesInFlightTest, TheCoreWaitsWhileTheStoreBufferIsFull) {
  miss(1, 0_ns, {}, store);
  miss(2, 1_ns, {}, store);
  EXPECT_EQ(misses.pass(2_ns), 2_ns);
  EXPECT_EQ(miss(3, 2_ns, {}, store), 500_ns);
  EXPECT_EQ(misses.pass(2_ns), 250_ns);
  EXPECT_EQ(misses.pass(1000_ns), 1000_ns);
}

TEST_F(MissesInFlightTest, BarriersWaitForLoadsOrForAll) {
  miss(1, 0_ns);
  miss(2, 5_ns, {}, store);
  EXPECT_EQ(misses.last_load_end(), 250_ns);
  EXPECT_EQ(misses.last_end(), 255_ns);
}

TEST_F(MissesInFlightTest, AFetchIsWaitedForAtOnce) {
  miss(1, 3_ns, {}, fetch);
  EXPECT_EQ(misses.pass(3_ns), 253_ns);
}

TEST_F(MissesInFlightTest, AResetForgetsThem) {
  for (const std::uint64_t i : {0, 1, 2, 3}) miss(i, 0_ns, {.loaded = x(1)});
  miss(5, 0_ns, {}, fetch);
  misses.reset();
  EXPECT_EQ(misses.pass(1000_ns), 1000_ns);
  EXPECT_EQ(misses.last_end(), 0_ns);
  EXPECT_EQ(miss(6, 0_ns, {.of_address = x(1)}), latency);
}

TEST(MissesInFlight, AMissTakesTheTimeOfAHitFirst) {
  MissesInFlight misses{{.window = 100, .buffers = 2}, 3_ns, units};
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
  MissesInFlight misses{{}, 3_ns, units};
  for (const CacheAccess what : {load, store, fetch}) {
    misses.reset();
    misses.end(misses.begin({{}, what, 7}, 10_ns) + 50_ns);
    EXPECT_EQ(misses.pass(10_ns), 60_ns);
  }
}

}  // namespace
}  // namespace asterism
