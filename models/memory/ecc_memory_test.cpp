#include "memory/ecc_memory.h"

#include "base/random.h"
#include "base/thrown.h"
#include "ecc/fault_pattern.h"
#include "memory/ecc_memory_test.h"

namespace asterism {
namespace {

using enum MemoryFaultKind;
using enum Persistence;

constexpr BlockLocation place{0, 0, 2, 5, 3};  // row 5 of bank 2 of rank 0; its parity is in rank 1

// What a decoder must make of a fault in one chip.
enum class Verdict { corrected, uncorrectable, silent };

EccConfig with(EccMode mode, EccProfile profile) {
  EccConfig config;
  config.mode = mode;
  config.profile = profile;
  return config;
}

Verdict verdict(SmallEccMemory& small, std::uint64_t block) {
  small.write(block, 0x5a);
  std::array<std::byte, block_bytes> data, expected;
  expected.fill(std::byte(0x5a));
  const BlockAccess access = small.read(block, data);
  EXPECT_EQ(data == expected, !access.poisoned && !access.silent);
  return access.poisoned ? Verdict::uncorrectable : access.silent ? Verdict::silent : Verdict::corrected;
}

TEST(EccMemory, WithoutFaultsDeliversWhatWasWrittenAtThePriceOfTheSyndromes) {
  for (const auto& [mode, decoding] :
       {std::pair(EccMode::none, 0_ps), {EccMode::normal, 480_ps}, {EccMode::strong, 410_ps}}) {
    SmallEccMemory small(with(mode, EccProfile::thesis));
    EXPECT_EQ(small.write(7, 0x5a).decoding, 0_ps);
    EXPECT_TRUE(small.holds(7, 0x5a));
    const BlockAccess access = small.read(7);
    EXPECT_EQ(access.decoding, decoding);
    EXPECT_TRUE(access.extra.empty());
    EXPECT_FALSE(access.poisoned || access.silent);
  }
}

// The rows are those of abeyratne2017 Table 4.4 for single chips, and what the other profiles make of the
// same faults.
TEST(EccMemory, EveryKindOfFaultHasTheVerdictOfItsModeAndProfile) {
  struct Row {
    MemoryFaultKind kind;
    Verdict normal, strong, chip_profile;
  };
  using enum Verdict;
  for (const Row& row :
       {Row{bit, corrected, corrected, corrected},
        Row{MemoryFaultKind::column, corrected, corrected, corrected},
        Row{word, corrected, corrected, corrected}, Row{pin, uncorrectable, corrected, corrected},
        Row{MemoryFaultKind::row, uncorrectable, corrected, corrected},
        Row{chip, uncorrectable, corrected, corrected}})
    for (const EccProfile profile : {EccProfile::thesis, EccProfile::strict, EccProfile::chip})
      for (const EccMode mode : {EccMode::normal, EccMode::strong}) {
        SmallEccMemory small(with(mode, profile));
        small.memory.inject(0_ps, fault_at(row.kind, place));
        const Verdict expected = mode == EccMode::strong       ? row.strong
                                 : profile == EccProfile::chip ? row.chip_profile
                                                               : row.normal;
        EXPECT_EQ(verdict(small, small.block(place)), expected)
            << to_text(row.kind) << " " << to_text(mode) << " " << to_text(profile);
      }
}

TEST(EccMemory, WithoutACodeEveryFaultIsSilent) {
  SmallEccMemory small(with(EccMode::none, EccProfile::thesis));
  small.memory.inject(0_ps, fault_at(bit, place));
  EXPECT_EQ(verdict(small, small.block(place)), Verdict::silent);
  EXPECT_TRUE(small.errors.empty());
  EXPECT_EQ(small.count("silent"), 1u);
}

TEST(EccMemory, ASecondDeadChipIsDetectedAndNotCorrected) {
  for (const EccMode mode : {EccMode::normal, EccMode::strong})
    for (const EccProfile profile : {EccProfile::thesis, EccProfile::strict, EccProfile::chip}) {
      SmallEccMemory small(with(mode, profile));
      small.memory.inject(0_ps, fault_at(chip, place, 3));
      small.memory.inject(0_ps, fault_at(chip, place, 11));
      for (std::uint64_t block = 0; block < 1024; ++block)
        ASSERT_EQ(verdict(small, block), Verdict::uncorrectable) << to_text(mode) << " " << to_text(profile);
    }
}

TEST(EccMemory, ErrorsNameTheirPlaceChipAndSyndrome) {
  SmallEccMemory small;
  small.memory.inject(0_ps, fault_at(bit, place, 3, stuck, 9));
  const std::uint64_t block = small.block(place);
  small.write(block, 1);
  small.read(block);
  ASSERT_EQ(small.errors.size(), 1u);
  const MemoryError& error = *small.memory.log().oldest();
  EXPECT_EQ(error.at, 2_us);
  EXPECT_TRUE(error.corrected);
  EXPECT_EQ(error.source, ErrorSource::demand);
  EXPECT_EQ(error.offset, small.at(block));
  EXPECT_EQ(error.block, place);
  EXPECT_EQ(error.mode, EccMode::normal);
  EXPECT_EQ(error.result.chips, 1u << 3);
  // Bit 9 is bit 1 of symbol 1, at position 7 of codeword 0. With a = 2 and the polynomial 0x11d, the
  // syndromes are 2, 2 a^7, 2 a^14 and 2 a^21.
  EXPECT_EQ(error.result.syndromes[0], (std::array<std::uint8_t, 4>{0x02, 0x1d, 0x26, 0xea}));
  EXPECT_EQ(error.result.syndromes[1], (std::array<std::uint8_t, 4>{}));
}

TEST(EccMemory, CorrectingCostsTimeAndTheDemandScrubAWrite) {
  SmallEccMemory small;
  small.memory.inject(0_ps, fault_at(bit, place, 3, transient));
  const std::uint64_t block = small.block(place);
  const BlockAccess first = small.read(block), second = small.read(block);
  EXPECT_EQ(first.decoding, 950_ps);
  EXPECT_EQ(first.extra, (std::vector<ExtraAccess>{{place, true}}));
  EXPECT_EQ(second.decoding, 480_ps);
  EXPECT_TRUE(second.extra.empty());
  EXPECT_TRUE(small.memory.faults().empty());
  EXPECT_EQ(small.count("scrub_writes"), 1u);
}

TEST(EccMemory, WithoutADemandScrubATransientErrorIsCorrectedAgainAndAgain) {
  EccConfig config;
  config.demand_scrub = false;
  SmallEccMemory small(config);
  small.memory.inject(0_ps, fault_at(bit, place, 3, transient));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(small.read(small.block(place)).extra.empty());
  EXPECT_EQ(small.count("corrected"), 3u);
}

TEST(EccMemory, AStuckFaultIsCorrectedForEverAndLoggedOnce) {
  SmallEccMemory small;
  small.memory.inject(0_ps, fault_at(bit, place));
  for (int i = 0; i < 100; ++i) small.read(small.block(place));
  EXPECT_EQ(small.count("corrected"), 100u);
  EXPECT_EQ(small.memory.log().corrected(), 100u);
  EXPECT_EQ(small.memory.log().oldest()->count, 100u);
  EXPECT_EQ(small.memory.log().lost(), 0u);
  EXPECT_EQ(small.count("log_lost"), 0u);
}

TEST(EccMemory, CountsTheErrorsThatTheLogHasLost) {
  SmallEccMemory small;
  small.memory.inject(0_ps, fault_at(MemoryFaultKind::chip, place));
  for (std::uint64_t block = 0; block < 20; ++block) small.read(block);
  EXPECT_EQ(small.memory.log().lost(), 4u);
  EXPECT_EQ(small.count("log_lost"), 4u);
}

TEST(EccMemory, AnUncorrectableTransientBlockIsHealedByWritingAllOfItInPieces) {
  SmallEccMemory small;
  small.memory.inject(0_ps, fault_at(MemoryFaultKind::row, place, 3, transient));
  const std::uint64_t block = small.block(place);
  small.write(block, 0x11, 0, 32);
  EXPECT_TRUE(small.read(block).poisoned);
  const BlockAccess piece = small.write(block, 0x11, 33, 31);
  EXPECT_FALSE(piece.poisoned);  // a write delivers nothing
  EXPECT_TRUE(small.read(block).poisoned);
  small.write(block, 0x11, 32, 1);
  EXPECT_FALSE(small.read(block).poisoned);
  EXPECT_TRUE(small.holds(block, 0x11));
  EXPECT_TRUE(small.read(block + 1).poisoned);  // the next block of the row is not healed
}

TEST(EccMemory, APartialWriteReadsItsBlockAndHealsWhatCouldBeCorrected) {
  SmallEccMemory small;
  const std::uint64_t block = small.block(place);
  small.write(block, 0x22);
  small.memory.inject(0_ps, fault_at(word, place, 3, transient));
  const BlockAccess access = small.write(block, 0x33, 8, 4);
  EXPECT_EQ(access.decoding, 950_ps);
  EXPECT_EQ(access.extra, (std::vector<ExtraAccess>{{place, false}}));
  EXPECT_TRUE(small.memory.faults().empty());
  EXPECT_EQ(small.count("corrected"), 1u);
  std::array<std::byte, block_bytes> data;
  small.read(block, data);
  EXPECT_EQ(data[7], std::byte(0x22));
  EXPECT_EQ(data[8], std::byte(0x33));
  EXPECT_EQ(data[12], std::byte(0x22));
}

TEST(EccMemory, APartialWriteWithoutACodeReadsNothing) {
  SmallEccMemory small(with(EccMode::none, EccProfile::thesis));
  EXPECT_TRUE(small.write(3, 1, 8, 8).extra.empty());
}

TEST(EccMemory, StuckFaultsSurviveAPowerLossAndTransientOnesDoNot) {
  SmallEccMemory small;
  small.memory.inject(0_ps, fault_at(bit, place, 3, stuck));
  small.memory.inject(0_ps, fault_at(bit, {0, 1, 0, 0, 0}, 4, transient));
  small.memory.reset(Reset::warm);
  EXPECT_EQ(small.memory.faults().size(), 2u);
  small.cells.reset(Reset::power_loss);
  small.memory.reset(Reset::power_loss);
  EXPECT_EQ(small.memory.faults().size(), 1u);
  small.read(small.block({0, 1, 0, 0, 0}));
  EXPECT_EQ(small.count("corrected"), 0u);
  small.read(small.block(place));
  EXPECT_EQ(small.count("corrected"), 1u);
}

TEST(EccMemory, APowerFailureBetweenTwoPiecesLeavesNothingHalfHealed) {
  SmallEccMemory small;
  const std::uint64_t block = small.block(place);
  small.memory.inject(0_ps, fault_at(chip, place, 3, transient));
  small.write(block, 1, 0, 63);
  small.memory.reset(Reset::power_loss);
  small.memory.inject(0_ps, fault_at(chip, place, 3, transient));
  small.write(block, 1, 63, 1);
  EXPECT_TRUE(small.read(block).poisoned);
}

TEST(EccMemory, AColdResetForgetsFaultsAndCounts) {
  SmallEccMemory small;
  small.memory.inject(0_ps, fault_at(bit, place));
  small.read(small.block(place));
  small.memory.reset(Reset::cold);
  EXPECT_TRUE(small.memory.faults().empty());
  for (const char* name : {"reads", "corrected", "extra_writes", "faults_injected"})
    EXPECT_EQ(small.count(name), 0u);
}

TEST(EccMemory, RefusesAFaultOutsideTheDevice) {
  SmallEccMemory small;
  EXPECT_EQ(thrown<std::invalid_argument>([&] {
              small.memory.inject(0_ps, fault_at(chip, {0, 2, 0, 0, 0}));
            }),
            "the fault lies in rank 2, of 2");
  EXPECT_TRUE(small.memory.faults().empty());
  EXPECT_THROW(small.memory.inject(0_ps, fault_at(bit, {0, 0, 0, small_part_rows, 0})),
               std::invalid_argument);
  EXPECT_NO_THROW(small.memory.inject(0_ps, fault_at(bit, {0, 0, 0, small_part_rows - 1, 0})));
}

// An error has the same result on any data, which is why faults can be an overlay.
TEST(EccMemory, VerdictsDoNotDependOnTheData) {
  for (const EccMode mode : {EccMode::normal, EccMode::strong})
    for (const EccProfile profile : {EccProfile::thesis, EccProfile::strict, EccProfile::chip}) {
      const DualModeCodec codec(profile);
      Random random(1);
      for (int trial = 0; trial < 300; ++trial) {
        MemoryBlock errors, encoded;
        for (int faults = 0; faults <= trial % 3; ++faults)
          errors ^= draw_fault(profile, static_cast<FaultShape>(random.below(4)),
                               static_cast<unsigned>(random.below(18)),
                               static_cast<unsigned>(random.below(32)), random);
        for (std::uint8_t& byte : encoded.data) byte = static_cast<std::uint8_t>(random.next());
        DualModeCodec::encode(mode, encoded);
        MemoryBlock on_data = encoded;
        on_data ^= errors;
        MemoryBlock alone = errors;
        EXPECT_EQ(codec.decode(mode, on_data), codec.decode(mode, alone));
        on_data ^= encoded;
        EXPECT_EQ(on_data, alone);
      }
    }
}

}  // namespace
}  // namespace asterism
