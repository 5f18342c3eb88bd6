// Times, energy and wear of a PCRAM-DIMM.
#include "pcram/pcram_rig.h"

namespace asterism {
namespace {

constexpr std::uint64_t gigabytes_2 = 2'000'000'000 / 64;  // lines

Picoseconds bursts(std::uint64_t count) { return 1_ns * count; }  // their time on the rig's bus

TEST(PcramDimmTest, EighteenChipsOf1024MbHold2GiBOfData) {
  PcramRig rig = PcramRig::dimm(false);
  EXPECT_EQ(rig.array.capacity(), 2_GiB);
}

// According to dong2011 section 3, exactly 18 * 64 B / 106 ns = 10.87 GB/s, so that 2e9 bytes take 184 ms.
TEST(PcramDimmTest, WritesAtTheRateOfEighteenOverlappingPulses) {
  PcramRig rig = PcramRig::dimm(false);
  EXPECT_EQ(rig.array.timing().bandwidth(), Bandwidth(10'867'924'528));
  // A hundredth of 2e9 bytes is written.
  const std::uint64_t rounds = (gigabytes_2 / 100 + 17) / 18;
  EXPECT_EQ(rig.write(0, noise(gigabytes_2 / 100, 1)),
            bursts(1) + 106_ns * (rounds - 1) + 106_ns + bursts(1));
  EXPECT_EQ((106_ns * ((gigabytes_2 + 17) / 18)) / 1_ms, 184u);
}

TEST(PcramDimmTest, AConventionalChipWouldBeEighteenTimesSlower) {
  PcramRig rig = PcramRig::dimm(false);
  for (unsigned i = 0; i < 4; ++i) rig.array.write(0_ps, 18 * i, noise(1, i), i);
  rig.finish();
  EXPECT_EQ(rig.now, bursts(1) + 4 * 106_ns);
}

// The paper considers its 10.8 GB/s compatible with the bus, but 18 bursts of 6 ns take 108 ns.
TEST(PcramDimmTest, Ddr3_1333IsALittleSlowerThanTheChips) {
  PcramRig rig = PcramRig::dimm(false, {}, Bandwidth(10'667'000'000));
  EXPECT_EQ(rig.write(0, noise(1800, 1)), 1800 * 6_ns + 106_ns);
}

TEST(PcramDimmTest, ReadsAtTheRateOfTheBus) {
  PcramRig rig = PcramRig::dimm(false, {}, Bandwidth(10'667'000'000));
  EXPECT_EQ(rig.read(0, 1800), 18_ns + 1800 * 6_ns);
  EXPECT_EQ(rig.read(5, 1), 18_ns + 6_ns);
}

TEST(PcramDimmTest, ReadsWhatWasWrittenBeforeThem) {
  PcramRig rig = PcramRig::dimm(true);
  const auto data = noise(100, 3);
  rig.array.write(0_ps, 7, data, 1);
  rig.array.read(0_ps, 7, 100, 2);
  rig.array.write(0_ps, 7, noise(100, 4), 3);
  rig.finish();
  EXPECT_EQ(rig.answers.data.at(2), data);
  EXPECT_EQ(rig.contents(7, 100), noise(100, 4));
}

TEST(PcramDimmTest, LinesThatWereNeverWrittenAreZero) {
  PcramRig rig = PcramRig::dimm(true);
  EXPECT_EQ(rig.contents(33'554'431, 1), filled(1, 0));
  EXPECT_THROW(rig.array.read(0_ps, 33'554'432, 1, 1), std::out_of_range);
  EXPECT_THROW(rig.array.write(0_ps, 33'554'431, filled(2, 1), 1), std::out_of_range);
  EXPECT_EQ(rig.array.cells().pages(), 0u);
}

TEST(PcramDimmTest, ALineThatBecomesZeroTakesTheShorterPulse) {
  PcramRig rig = PcramRig::dimm(true);
  EXPECT_EQ(rig.write(0, filled(1, 0xff)), bursts(1) + 18_ns + 106_ns);
  EXPECT_EQ(rig.write(0, filled(1, 0)), bursts(1) + 18_ns + 46_ns);
  EXPECT_EQ(rig.write(0, filled(1, 0)), bursts(1) + 18_ns);
}

TEST(PcramDimmTest, SuppressionCountsOnlyCellsThatDiffer) {
  PcramRig rig = PcramRig::dimm(true);
  auto data = filled(1, 0);
  data[0] = std::byte{0x01};
  rig.write(0, data);
  EXPECT_EQ(rig.array.counts().set_cells, 1u + 3u);  // the bit, and the check bits of its column
  EXPECT_EQ(rig.array.counts().reset_cells, 0u);
  rig.write(0, data);
  EXPECT_EQ(rig.array.counts().lines_redundant, 1u);
  EXPECT_EQ(rig.array.counts().set_cells, 4u);
  rig.write(0, filled(1, 0));
  EXPECT_EQ(rig.array.counts().reset_cells, 4u);
  EXPECT_EQ(rig.array.cells().line(0).wear, 2u);
}

TEST(PcramDimmTest, WithoutSuppressionEachCellGetsAPulse) {
  PcramRig rig = PcramRig::dimm(false);
  for (unsigned round = 0; round < 2; ++round) rig.write(0, filled(1, 0));
  EXPECT_EQ(rig.array.counts().reset_cells, 2 * 576u);
  EXPECT_EQ(rig.array.write_energy(), 2 * Picojoules(31'500));
  EXPECT_EQ(rig.array.cells().line(0).wear, 2u);
  EXPECT_EQ(rig.array.counts().lines_redundant, 0u);
}

// According to dong2011 section 3, 25.6 nJ for each line (25.55, rounded) at 10.87 GB/s are 4.347 W; the
// leakage is 18 * 60.8 mW.
TEST(PcramDimmTest, WritePowerIsThePublishedOne) {
  PcramRig rig = PcramRig::dimm(false);
  EXPECT_EQ(rig.array.part().line_energy(), Picojoules(25'550));
  EXPECT_EQ(rig.array.timing().leakage(), Microwatts(1'094'400));
  const double lines_a_second = static_cast<double>(rig.array.timing().bandwidth().count()) / 64;
  EXPECT_NEAR(25.6e-9 * lines_a_second, 4.347, 5e-4);
  const Picoseconds time = rig.write(0, noise(180'000, 1));
  const double watts =
      static_cast<double>(rig.array.write_energy().count()) / static_cast<double>(time.count());
  EXPECT_NEAR(watts, 4.347, 0.012);
}

// According to dong2011 section 2.2, 10^8 writes, one every 10 s, last more than 30 years.
TEST(PcramDimmTest, LastsThirtyYearsOfCheckpointsEveryTenSeconds) {
  const double seconds = static_cast<double>(PcramPart{}.endurance) * 10;
  EXPECT_GT(seconds / (365.25 * 86400), 30);
}

PcramPart rated(std::uint64_t endurance) {
  PcramPart part;
  part.endurance = endurance;
  return part;
}

// The number of writes that changed the line before one did not.
std::uint64_t life_of(PcramRig& rig, std::uint64_t line) {
  for (std::uint64_t writes = 0;; ++writes) {
    rig.write(line, filled(1, writes % 2 == 0 ? 0xff : 0));
    if (rig.answers.worn.at(rig.tag) != 0) return writes;
  }
}

TEST(PcramDimmTest, LinesFailWithinATenthOfTheRating) {
  PcramRig rig = PcramRig::dimm(true, rated(40));
  std::uint64_t least = ~0u, most = 0;
  for (std::uint64_t line = 0; line < 100; ++line) {
    const std::uint64_t life = life_of(rig, line);
    EXPECT_EQ(life, rig.array.endurance_of(line));
    least = std::min(least, life);
    most = std::max(most, life);
  }
  EXPECT_EQ(least, 36u);
  EXPECT_EQ(most, 44u);
}

TEST(PcramDimmTest, AWornLineKeepsItsContentsAndReportsIt) {
  PcramRig rig = PcramRig::dimm(true, rated(3));
  for (unsigned value = 1; value <= 3; ++value) rig.write(0, filled(1, static_cast<std::uint8_t>(value)));
  rig.write(0, filled(2, 9));
  EXPECT_EQ(rig.answers.worn.at(rig.tag), 1u);
  EXPECT_EQ(rig.contents(0, 1), filled(1, 3));
  EXPECT_EQ(rig.contents(1, 1), filled(1, 9));
  rig.write(0, filled(1, 3));  // changes nothing
  EXPECT_EQ(rig.answers.worn.at(rig.tag), 0u);
}

TEST(PcramDimmTest, SuppressionSavesWear) {
  PcramRig rig = PcramRig::dimm(true, rated(3));
  for (unsigned round = 0; round < 100; ++round) rig.write(0, filled(1, 0x5a));
  EXPECT_EQ(rig.array.cells().max_wear(), 1u);
}

TEST(PcramDimmTest, APageHasTheWearOfItsMostWornLine) {
  PcramRig rig = PcramRig::dimm(true, rated(100));
  for (unsigned value = 1; value <= 3; ++value) rig.write(65, filled(1, static_cast<std::uint8_t>(value)));
  rig.write(64, filled(1, 7));
  rig.write(0, filled(1, 7));
  PageMap::Counts wear{"wear"};
  rig.array.cells().report_wear(wear);
  EXPECT_EQ(wear.runs, (std::vector<PageMap::Counts::Run>{{0, 1, 1}, {1, 1, 3}}));
}

TEST(PcramDimmTest, ModulesShareTheBus) {
  const PcramPart part;
  PcramArray two(part, std::make_unique<DimmTiming>(part, 2, Bandwidth(10'667'000'000)), false);
  EXPECT_EQ(two.capacity(), 4_GiB);
  PcramRecorder answers;
  two.write(0_ps, 0, noise(18, 1), 1);
  two.write(0_ps, 33'554'432, noise(18, 2), 2);
  two.advance_to(1_ms, answers);
  EXPECT_EQ(answers.done.at(2), 36 * 6_ns + 106_ns);
}

}  // namespace
}  // namespace asterism
