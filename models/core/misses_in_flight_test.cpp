#include "core/misses_in_flight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/random.h"

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
    const Picoseconds end = *misses.begin({registers, what, count}, now) + latency;
    misses.end(end);
    return end;
  }
};

TEST_F(MissesInFlightTest, IndependentLoadsAreInFlightTogether) {
  EXPECT_EQ(miss(10, 5_ns), 255_ns);
  EXPECT_EQ(miss(20, 25_ns), 275_ns);
  EXPECT_EQ(misses.pass(104_ns).until, 104_ns);
  EXPECT_EQ(misses.after_waits(105_ns), 255_ns);
  EXPECT_EQ(misses.pass(106_ns).until, 256_ns);  // the instructions behind the wait have been executed, too
  EXPECT_EQ(misses.pass(274_ns).until, 274_ns);
  EXPECT_EQ(misses.pass(300_ns).until, 300_ns);  // ended before the core would have waited
  EXPECT_EQ(misses.last_end(), 275_ns);
  EXPECT_EQ(misses.last_load_end(), 0_ns);
}

TEST_F(MissesInFlightTest, WaitsAreTheSameWheneverTheyAreAskedFor) {
  const auto all = [&](Picoseconds step) {
    misses.reset();
    miss(10, 5_ns), miss(20, 45_ns), miss(30, 85_ns);
    Picoseconds now = 90_ns;
    for (Picoseconds executed{}; executed < 400_ns; executed += step) now = misses.pass(now + step).until;
    return now;
  };
  EXPECT_EQ(all(400_ns), 640_ns);  // 150 ns at 105 ns; at 295, nothing; at 335, nothing
  EXPECT_EQ(all(1_ns), 640_ns);
  EXPECT_EQ(all(50_ns), 640_ns);
}

TEST_F(MissesInFlightTest, AWaitForSomethingElseIsNotAPartOfTheWindow) {
  miss(10, 0_ns);
  misses.shift(90_ns);
  EXPECT_EQ(misses.pass(189_ns).until, 189_ns);
  EXPECT_EQ(misses.pass(190_ns).until, 250_ns);
}

TEST_F(MissesInFlightTest, TheWindowLastsAsLongAsTheInstructionsOfTheBasicBlock) {
  misses.end(*misses.begin({{.pace = 500}, load, 0}, 0_ns) + latency);
  EXPECT_EQ(misses.pass(49_ns).until, 49_ns);
  EXPECT_EQ(misses.pass(50_ns).until, 250_ns);
}

TEST_F(MissesInFlightTest, LoadsThatHaveEndedAreForgotten) {
  miss(10, 0_ns);
  EXPECT_EQ(misses.last_load_end(), 250_ns);
  misses.shift(250_ns);
  EXPECT_EQ(misses.pass(250_ns).until, 250_ns);
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
  registers.companions.add({2, 8, x(2)});
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
  EXPECT_EQ(misses.pass(2_ns).until, 2_ns);
  EXPECT_EQ(miss(3, 2_ns, {}, store), 500_ns);
  EXPECT_EQ(misses.pass(2_ns).until, 250_ns);
  EXPECT_EQ(misses.pass(1000_ns).until, 1000_ns);
}

TEST_F(MissesInFlightTest, BarriersWaitForLoadsOrForAll) {
  miss(1, 0_ns);
  miss(2, 5_ns, {}, store);
  EXPECT_EQ(misses.last_load_end(), 250_ns);
  EXPECT_EQ(misses.last_end(), 255_ns);
}

TEST_F(MissesInFlightTest, AFetchIsWaitedForAtOnce) {
  miss(1, 3_ns, {}, fetch);
  EXPECT_EQ(misses.pass(3_ns).until, 253_ns);
}

TEST_F(MissesInFlightTest, AResetForgetsThem) {
  for (const std::uint64_t i : {0, 1, 2, 3}) miss(i, 0_ns, {.loaded = x(1)});
  miss(5, 0_ns, {}, fetch);
  misses.reset();
  EXPECT_EQ(misses.pass(1000_ns).until, 1000_ns);
  EXPECT_EQ(misses.last_end(), 0_ns);
  EXPECT_EQ(miss(6, 0_ns, {.of_address = x(1)}), latency);
}

TEST(MissesInFlight, AMissTakesTheTimeOfAHitFirst) {
  MissesInFlight misses{{.window = 100, .buffers = 2}, 3_ns, units};
  const auto begun = [&](const MissesInFlight::Miss& miss) {
    const Picoseconds at = *misses.begin(miss, 10_ns);
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
    misses.end(*misses.begin({{}, what, 7}, 10_ns) + 50_ns);
    EXPECT_EQ(misses.pass(10_ns).until, 60_ns);
  }
}

// ---- open misses ----

TEST_F(MissesInFlightTest, TheCoreWaitsForAnOpenLoadAtTheEndOfTheWindow) {
  ASSERT_EQ(misses.begin({{.pace = 1000}, load, 10}, 5_ns), 5_ns);
  const auto id = misses.end_later();
  EXPECT_TRUE(misses.pass(104_ns).is_known);
  EXPECT_FALSE(misses.pass(106_ns).is_known);
  EXPECT_EQ(misses.after_waits(106_ns), 106_ns);
  EXPECT_EQ(misses.last_load_end(), std::nullopt);
  EXPECT_EQ(misses.last_end(), std::nullopt);
  misses.end(id, 180_ns);
  EXPECT_EQ(misses.next_begun(170_ns), std::nullopt);
  EXPECT_EQ(misses.last_load_end(), 180_ns);
  EXPECT_EQ(misses.last_end(), 180_ns);
  EXPECT_EQ(misses.after_waits(106_ns), 181_ns);
  EXPECT_EQ(misses.pass(106_ns).until, 181_ns);
}

TEST_F(MissesInFlightTest, AnAddressThatDependsOnOpenLoadsIsKnownAtTheirEnds) {
  misses.begin({{.loaded = x(1)}, load, 1}, 0_ns);
  const auto first = misses.end_later();
  misses.begin({{.loaded = x(2)}, load, 2}, 0_ns);
  const auto second = misses.end_later();
  EXPECT_EQ(misses.begin({{.of_address = x(1) | x(2)}, load, 3}, 1_ns), std::nullopt);
  const auto third = misses.end_later();
  misses.end(second, 70_ns);
  EXPECT_EQ(misses.next_begun(60_ns), std::nullopt);
  misses.end(first, 65_ns);
  const auto begun = misses.next_begun(60_ns);
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->miss, third);
  EXPECT_EQ(begun->at, 70_ns);
  EXPECT_EQ(misses.next_begun(60_ns), std::nullopt);
}

TEST_F(MissesInFlightTest, AnOpenFetchAndAFullStoreBufferAreWaitedForAtOnce) {
  misses.begin({{}, fetch, 1}, 3_ns);
  const auto fetched = misses.end_later();
  EXPECT_FALSE(misses.pass(3_ns).is_known);
  misses.end(fetched, 40_ns);
  EXPECT_EQ(misses.pass(3_ns).until, 40_ns);
  std::vector<MissesInFlight::Id> stores;
  for (const std::uint64_t i : {2, 3, 4}) {
    EXPECT_EQ(misses.begin({{}, store, i}, 40_ns).has_value(), i < 4);
    stores.push_back(misses.end_later());
    EXPECT_EQ(misses.pass(40_ns).is_known, i < 4);
  }
  misses.end(stores[1], 90_ns);
  EXPECT_EQ(misses.next_begun(80_ns), std::nullopt);  // the other one may end before
  EXPECT_EQ(misses.next_event(), 90_ns);
  misses.end(stores[0], 85_ns);
  const auto begun = misses.next_begun(85_ns);
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->at, 85_ns);
  EXPECT_EQ(misses.pass(40_ns).until, 85_ns);
}

// A program of random misses on a core, and a memory in which each has its own latency.
struct RandomMisses {
  struct Access {
    MissesInFlight::Miss miss;
    Picoseconds before, latency, announced;  // before its end
    bool is_known_at_once;
  };
  std::vector<Access> accesses;

  RandomMisses(Random& random, double share_known) {
    std::uint64_t count = 0;
    for (int i = 0; i < 400; ++i) {
      const std::uint64_t instructions = 1 + random.next() % 30;
      count += instructions;
      const std::uint64_t kind = random.next() % 16;
      Access access{};
      access.miss = {{}, kind < 9 ? load : kind < 15 ? store : fetch, count};
      AccessRegisters& registers = access.miss.registers;
      registers.pace = 400;
      if (access.miss.what == load) registers.loaded = x(random.next() % 8);
      if (random.next() % 4 == 0) registers.of_address = x(random.next() % 8);
      if (random.next() % 8 == 0)
        registers.before = 20, registers.of_loads = random.next() % 0x10000 & 0x1111;
      access.before = instructions * 400_ps;
      access.latency = Picoseconds(3'000 + random.next() % 100'000);
      access.announced = random.next() % 2 == 0 ? 0_ps : access.latency / 3;
      access.is_known_at_once = random.next() % 100 < share_known * 100;
      accesses.push_back(access);
    }
  }
};

// Runs it, and returns when each access begins and, at last, the time of the core.
class MissRun {
 public:
  MissRun(const RandomMisses& program, const MissTiming& timing, bool opens)
      : program_(program), misses_(timing, 2_ns, units), opens_(opens), begun_(program.accesses.size()) {}

  std::vector<Picoseconds> begins() {
    Picoseconds local;
    for (std::size_t i = 0; i < program_.accesses.size(); ++i) {
      const RandomMisses::Access& access = program_.accesses[i];
      local = wait(local + access.before);
      const auto begun = misses_.begin(access.miss, local);
      if (begun && (access.is_known_at_once || !opens_)) {
        begun_[i] = *begun;
        misses_.end(*begun + access.latency);
      } else {
        const auto id = misses_.end_later();
        access_of_[id] = i;
        if (begun) ask(id, *begun);
      }
      local = wait(local);
    }
    while (!misses_.last_end()) advance();
    begun_.push_back(std::max(local, *misses_.last_end()));
    return begun_;
  }

 private:
  Picoseconds wait(Picoseconds local) {
    for (;;) {
      const auto [until, is_known] = misses_.pass(local);
      if (is_known) return until;
      local = until;
      advance();
    }
  }
  void ask(MissesInFlight::Id id, Picoseconds at) {
    const std::size_t i = access_of_[id];
    begun_[i] = at;
    const RandomMisses::Access& access = program_.accesses[i];
    EXPECT_GE(at, now_);
    answers_.insert({at + access.latency - access.announced, {id, at + access.latency}});
  }
  // To the next answer, or event.
  void advance() {
    const auto event = misses_.next_event();
    if (event && (answers_.empty() || *event < answers_.begin()->first)) {
      now_ = std::max(now_, *event);
    } else {
      ASSERT_FALSE(answers_.empty());
      const auto answer = answers_.extract(answers_.begin());
      now_ = answer.key();
      misses_.end(answer.mapped().first, answer.mapped().second);
    }
    while (const auto begun = misses_.next_begun(now_)) ask(begun->miss, begun->at);
  }

  const RandomMisses& program_;
  MissesInFlight misses_;
  const bool opens_;
  std::vector<Picoseconds> begun_;
  std::map<MissesInFlight::Id, std::size_t> access_of_;
  std::multimap<Picoseconds, std::pair<MissesInFlight::Id, Picoseconds>> answers_;
  Picoseconds now_;
};

TEST(OpenMisses, EveryTimeIsAsIfAllEndsWereKnownAtOnce) {
  Random random{1};
  for (int i = 0; i < 200; ++i) {
    const MissTiming timing{.window = 1 + static_cast<std::uint32_t>(random.next() % 200),
                            .buffers = 1 + static_cast<std::uint32_t>(random.next() % 12),
                            .stores = static_cast<std::uint32_t>(random.next() % 6)};
    const RandomMisses program(random, i % 3 * 0.3);
    ASSERT_EQ(MissRun(program, timing, true).begins(), MissRun(program, timing, false).begins()) << i;
  }
}

}  // namespace
}  // namespace asterism
