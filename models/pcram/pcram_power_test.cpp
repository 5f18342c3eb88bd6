// The state of the cells after a power failure.
#include "pcram/pcram_rig.h"

namespace asterism {
namespace {

// A line is written at 0. It is on the bus until 1 ns; then pulses begin, of which RESET lasts until 47 ns
// and SET until 107 ns.
struct PowerFailure {
  explicit PowerFailure(Picoseconds at, bool suppress = false) : rig(PcramRig::dimm(suppress)) {
    rig.write(0, noise(1, 1));
    rig.now = 1_ms;
    rig.array.write(rig.now, 0, noise(1, 2), 99);
    rig.fail_power_at(rig.now + at);
  }
  PcramWord cells() const { return rig.array.cells().line(0).word; }
  PcramRig rig;
};
PcramWord word(std::uint64_t seed) {
  const auto bytes = noise(1, seed);
  return PcramWord::encode(std::span(bytes).first<64>());
}

// The number of cells that the write makes 1 (or 0) and that do not hold their new value.
std::uint32_t missing(const PcramWord& cells, bool set) {
  const PcramWord before = word(1), after = word(2);
  const PcramWord wanted = combine(before, after, [set](std::uint64_t old, std::uint64_t next) {
    return set ? next & ~old : ~next & old;
  });
  const PcramWord wrong = combine(cells, after, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
  return count(combine(wanted, wrong, [](std::uint64_t a, std::uint64_t b) { return a & b; }));
}

TEST(PcramPowerTest, ALineWhosePulsesHaveNotBegunIsOld) {
  EXPECT_EQ(PowerFailure(0_ps).cells(), word(1));
  const PowerFailure failure(1_ns);
  EXPECT_EQ(failure.cells(), word(1));
  EXPECT_EQ(failure.rig.array.cells().line(0).wear, 1u);
  EXPECT_EQ(failure.rig.array.counts().lines_torn, 0u);
}

TEST(PcramPowerTest, ALineWhosePulsesHaveEndedIsNew) {
  const PowerFailure failure(107_ns);
  EXPECT_EQ(failure.cells(), word(2));
  EXPECT_EQ(failure.rig.array.counts().lines_torn, 0u);
  EXPECT_EQ(failure.rig.answers.done.at(99), 1_ms + 107_ns);
}

TEST(PcramPowerTest, BothKindsOfCellsAreInDoubtDuringTheShorterPulse) {
  const PowerFailure failure(47_ns - 1_ps);
  EXPECT_GT(missing(failure.cells(), true), 0u);
  EXPECT_GT(missing(failure.cells(), false), 0u);
  EXPECT_EQ(failure.rig.array.counts().lines_torn, 1u);
  EXPECT_EQ(failure.rig.array.cells().line(0).wear, 2u);
  EXPECT_FALSE(failure.rig.answers.done.contains(99));
}

TEST(PcramPowerTest, CellsThatBecomeZeroAreDoneBeforeThoseThatBecomeOne) {
  const PowerFailure failure(47_ns);
  EXPECT_EQ(missing(failure.cells(), false), 0u);
  EXPECT_GT(missing(failure.cells(), true), 0u);
  EXPECT_GT(missing(PowerFailure(107_ns - 1_ps).cells(), true), 0u);
}

TEST(PcramPowerTest, CellsThatDoNotChangeKeepTheirValue) {
  for (std::uint64_t at = 1; at < 107; ++at) {
    const PowerFailure failure(1_ns * at);
    const PcramWord kept =
        combine(word(1), word(2), [](std::uint64_t a, std::uint64_t b) { return ~(a ^ b); });
    const PcramWord wrong =
        combine(failure.cells(), word(1), [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
    EXPECT_EQ(count(combine(kept, wrong, [](std::uint64_t a, std::uint64_t b) { return a & b; })), 0u) << at;
  }
}

TEST(PcramPowerTest, TheComparisonBeforeAWriteChangesNothing) {
  EXPECT_EQ(PowerFailure(19_ns, true).cells(), word(1));
  EXPECT_NE(PowerFailure(20_ns, true).cells(), word(1));
  EXPECT_EQ(PowerFailure(125_ns, true).cells(), word(2));
}

TEST(PcramPowerTest, APowerFailureIsTheSameInEveryRun) {
  EXPECT_EQ(PowerFailure(30_ns).cells(), PowerFailure(30_ns).cells());
  EXPECT_NE(PowerFailure(30_ns).cells(), PowerFailure(31_ns).cells());
}

TEST(PcramPowerTest, ATornLineCanBeWrittenAnew) {
  PowerFailure failure(30_ns);
  failure.rig.read(0, 1);
  EXPECT_GT(failure.rig.answers.reads.at(failure.rig.tag).uncorrectable, 0u);
  failure.rig.write(0, noise(1, 3));
  EXPECT_EQ(failure.rig.contents(0, 1), noise(1, 3));
}

TEST(PcramPowerTest, DropsWhatWasQueued) {
  PcramRig rig = PcramRig::dimm(false);
  for (unsigned i = 0; i < 5; ++i) rig.array.write(0_ps, 0, filled(1, static_cast<std::uint8_t>(i + 1)), i);
  rig.fail_power_at(2 * 106_ns + 1_ns);
  EXPECT_FALSE(rig.array.next_event());
  EXPECT_EQ(rig.contents(0, 1), filled(1, 2));
  EXPECT_EQ(rig.array.cells().line(0).wear, 2u);
  EXPECT_EQ(rig.array.counts().set_cells + rig.array.counts().reset_cells, 2 * 576u);
}

TEST(PcramPowerTest, EveryKindOfResetInterruptsAndKeepsTheRest) {
  for (const Reset kind : {Reset::cold, Reset::warm, Reset::power_loss}) {
    PcramRig rig = PcramRig::dimm(false);
    rig.write(0, noise(18, 1));
    rig.array.write(rig.now, 0, noise(1, 2), 2);
    rig.advance(rig.now + 60_ns);
    rig.array.reset(kind);
    EXPECT_EQ(rig.array.counts().lines_torn, 1u);
    EXPECT_FALSE(rig.array.next_event());
    const auto kept = rig.contents(1, 17);
    EXPECT_TRUE(std::equal(kept.begin(), kept.end(), noise(18, 1).begin() + 64));
  }
}

// After random writes and a power failure, what was reported as written must be there, and every other line
// must be old, new, or one whose pulses were interrupted.
void check_power_failures(PcramRig rig, std::uint64_t lines, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<std::byte>> known(lines, filled(1, 0));
  for (unsigned round = 0; round < 40; ++round) {
    std::map<PcramArray::Tag, std::pair<std::uint64_t, std::vector<std::byte>>> given;
    std::map<std::uint64_t, PcramArray::Tag> newest;
    const std::uint64_t torn_before = rig.array.counts().lines_torn;
    for (unsigned i = 0; i < 60; ++i) {
      const std::uint64_t line = random.below(lines);
      if (newest.contains(line)) continue;
      given[++rig.tag] = {line, noise(1, random.next())};
      newest[line] = rig.tag;
      rig.array.write(rig.now, line, given[rig.tag].second, rig.tag);
      rig.advance(rig.now + Picoseconds(random.below(20'000)));
    }
    rig.fail_power_at(rig.now + Picoseconds(random.below(500'000)));
    std::uint64_t mixed = 0;
    for (const auto& [tag, write] : given) {
      const auto cells = rig.array.peek(write.first);
      const std::vector<std::byte> now(cells.begin(), cells.end());
      if (rig.answers.done.contains(tag)) {
        ASSERT_EQ(now, write.second);
      } else if (now != known[write.first] && now != write.second) {
        ++mixed;
      }
      known[write.first] = write.second;
      rig.write(write.first, write.second);
    }
    ASSERT_LE(mixed, rig.array.counts().lines_torn - torn_before);
    for (std::uint64_t line = 0; line < lines; ++line) ASSERT_EQ(rig.contents(line, 1), known[line]);
  }
}

TEST(PcramPowerTest, WhatWasReportedAsWrittenSurvivesAnyPowerFailure) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    check_power_failures(PcramRig::dimm(seed % 2 == 0, {}, Bandwidth(10'667'000'000)), 300, seed);
    check_power_failures(PcramRig::stack(32_MiB, 1, seed % 2 == 0), 300, seed);
  }
}

}  // namespace
}  // namespace asterism
