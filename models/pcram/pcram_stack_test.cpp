// Times, energy and power of 3D-PCRAM.
#include "pcram/pcram_rig.h"

namespace asterism {
namespace {

// The paper (dong2011) counts 2 GB as 1000 mats of 2 MB. This part has banks of 500 mats, whose first 2e6
// bytes are used.
PcramPart thousand_mats() {
  PcramPart part = stack_part();
  part.mats = 500;
  part.capacity = 500 * 2_MiB;
  return part;
}

TEST(PcramStackTest, MatsMakeTheBandwidth) {
  const StackTiming timing(thousand_mats(), 1000 * 2_MiB, 1);
  EXPECT_EQ(timing.bandwidth(), Bandwidth(2'500'000'000'000));
  EXPECT_EQ(StackTiming(stack_part(), 2_GiB, 1).mats(), 1024u);
}

// According to dong2011 Table VI, copying 2e9 bytes of 1000 mats takes exactly 0.8 ms; the pulses of the last
// line end 76.8 ns later.
TEST(PcramStackTest, AMatOf2MegabytesIsCopiedIn800Microseconds) {
  PcramRig rig = PcramRig::stack(1000 * 2_MiB, 1, false, thousand_mats());
  const std::uint64_t lines = 2'000'000 / 64;
  for (std::uint64_t line = 0; line < lines; line += 64)  // the pages of mat 0
    rig.array.write(0_ps, line * 1000, noise(std::min<std::uint64_t>(64, lines - line), line), line);
  rig.finish();
  EXPECT_EQ(rig.now, 800_us + 3 * Picoseconds(25'600));
}

TEST(PcramStackTest, AllMatsTakeTheTimeOfOne) {
  PcramRig one = PcramRig::stack(32_MiB), sixteen = PcramRig::stack(32_MiB);
  const Picoseconds page = 67 * Picoseconds(25'600);
  EXPECT_EQ(one.write(0, noise(64, 1)), page);
  EXPECT_EQ(sixteen.write(0, noise(16 * 64, 1)), page);
  EXPECT_EQ(sixteen.write(0, noise(17 * 64, 1)), page + 64 * Picoseconds(25'600));
}

// According to dong2011 section 5.1, exactly 700 W for 0.8 ms are 0.56 J.
TEST(PcramStackTest, PeakPowerIsThatOfAllMats) {
  const PcramPart part = thousand_mats();
  const StackTiming timing(part, 1000 * 2_MiB, 1);
  EXPECT_EQ(timing.power_of(1000), Microwatts(700'000'000));
  EXPECT_EQ(part.line_energy() * (2'000'000'000 / 64), Picojoules(560'000'000'000));
}

TEST(PcramStackTest, CountsTheMatsAtWorkAtOnce) {
  PcramRig rig = PcramRig::stack(32_MiB);
  const auto& timing = dynamic_cast<const StackTiming&>(rig.array.timing());
  rig.write(0, noise(64, 1));
  rig.write(64, noise(64, 2));
  EXPECT_EQ(timing.max_mats(), 1u);
  rig.write(0, noise(9 * 64, 3));
  EXPECT_EQ(timing.max_mats(), 9u);
  EXPECT_EQ(timing.peak_power(), Microwatts(6'300'000));
}

// With Table III's pulses of 106 ns, four at a time, a mat would take 0.83 ms instead of the published 0.8
// ms.
TEST(PcramStackTest, PulsesOfTheChipsWouldBeALittleSlower) {
  const double seconds = 2'000'000.0 / 64 / 4 * 106e-9;
  EXPECT_NEAR(seconds, 0.828e-3, 1e-6);
}

TEST(PcramStackTest, ReadingBeforeWritingLengthensTheSlotOfASubarray) {
  PcramRig rig = PcramRig::stack(32_MiB, 1, true);
  // Each line takes (102.4 + 18) / 4 = 30.1 ns.
  EXPECT_EQ(rig.write(0, noise(64, 1)), 63 * Picoseconds(30'100) + 18_ns + Picoseconds(102'400));
  EXPECT_EQ(rig.write(0, noise(64, 1)), 63 * Picoseconds(30'100) + 18_ns);
}

TEST(PcramStackTest, LayersAreCopiesOfTheWholeMemory) {
  PcramRig rig = PcramRig::stack(32_MiB, 3);
  EXPECT_EQ(rig.array.capacity(), 96_MiB);
  const std::uint64_t layer = 32_MiB / 64_B;
  for (std::uint64_t i = 0; i < 3; ++i) rig.write(i * layer + 5, noise(1, i));
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(rig.contents(i * layer + 5, 1), noise(1, i));
}

}  // namespace
}  // namespace asterism
