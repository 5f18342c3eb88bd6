#include "ecc/dual_mode_codec.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "ecc/reed_solomon.h"

namespace asterism {
namespace {

using Outcome = DecodeResult::Outcome;

MemoryBlock random_block(Random& random, EccMode mode) {
  MemoryBlock block;
  for (auto& byte : block.data) byte = static_cast<std::uint8_t>(random.next());
  DualModeCodec::encode(mode, block);
  return block;
}
MemoryBlock dead_chip(Random& random, unsigned chip) {
  MemoryBlock errors;
  for (unsigned p = 0; p < chip_symbols; ++p)
    errors.flip_symbol(chip, p, static_cast<std::uint8_t>(1 + random.below(255)));
  return errors;
}
// The result of the decoder for `errors` on a block of random data; the difference from the written data
// stays in `errors`.
DecodeResult decode(EccProfile profile, EccMode mode, MemoryBlock& errors) {
  Random random(7);
  const MemoryBlock written = random_block(random, mode);
  errors ^= written;
  const DecodeResult result = DualModeCodec(profile).decode(mode, errors);
  errors ^= written;
  return result;
}

TEST(MemoryBlock, SymbolsOfAChipAreItsNibblesInPairsOfBeats) {
  MemoryBlock block;
  block.data[8 * 2 + 3] = 0xA0;  // beat 2, chip 7
  block.data[8 * 3 + 3] = 0x5F;  // beat 3: chips 6 and 7
  EXPECT_EQ(block.symbol(7, 1), 0x5A);
  EXPECT_EQ(block.symbol(6, 1), 0xF0);
  block.flip_symbol(16, 3, 0x21);
  EXPECT_EQ(block.parity[6], 0x01);
  EXPECT_EQ(block.parity[7], 0x02);
}

TEST(DualModeCodec, PutsCodewordsWhereTheLayoutSays) {
  Random random(1);
  const MemoryBlock normal = random_block(random, EccMode::normal),
                    strong = random_block(random, EccMode::strong);
  for (unsigned w = 0; w < 2; ++w) {
    std::array<std::uint8_t, 36> codeword{};
    for (unsigned c = 0; c < 18; ++c)
      for (unsigned p = 0; p < 2; ++p) codeword[2 * c + p] = normal.symbol(c, 2 * w + p);
    EXPECT_EQ(rs_36_32.syndromes(codeword), Syndromes{});
  }
  for (unsigned w = 0; w < 4; ++w) {
    std::array<std::uint8_t, 19> codeword{};
    for (unsigned c = 0; c < 18; ++c) codeword[c] = strong.symbol(c, w);
    EXPECT_EQ(rs_18_16.syndromes(codeword), Syndromes{});
    codeword[18] = strong.third[w];
    EXPECT_EQ(rs_19_16.syndromes(codeword), Syndromes{});
  }
}

TEST(DualModeCodec, WithoutACodeEverythingIsClean) {
  MemoryBlock errors;
  errors.data[5] = 3;
  EXPECT_EQ(decode(EccProfile::strict, EccMode::none, errors), DecodeResult{});
  EXPECT_EQ(errors.data[5], 3);
}

TEST(DualModeCodec, CorrectsEverySymbolInEveryModeAndProfile) {
  for (const EccProfile profile : {EccProfile::thesis, EccProfile::strict, EccProfile::chip})
    for (const EccMode mode : {EccMode::normal, EccMode::strong})
      for (unsigned chip = 0; chip < block_chips; ++chip)
        for (unsigned p = 0; p < chip_symbols; ++p) {
          MemoryBlock errors;
          errors.flip_symbol(chip, p, 0xC3);
          const DecodeResult result = decode(profile, mode, errors);
          EXPECT_EQ(result.outcome, Outcome::corrected);
          EXPECT_EQ(result.chips, 1u << chip);
          EXPECT_EQ(result.used_third, mode == EccMode::strong);
          EXPECT_EQ(errors, MemoryBlock{});
        }
}

TEST(DualModeCodec, ADeadChipIsUncorrectableInNormalModeUnlessItIsSolvedFor) {
  Random random(2);
  for (unsigned chip = 0; chip < block_chips; ++chip)
    for (const EccProfile profile : {EccProfile::thesis, EccProfile::strict, EccProfile::chip}) {
      const MemoryBlock dead = dead_chip(random, chip);
      MemoryBlock errors = dead;
      const DecodeResult result = decode(profile, EccMode::normal, errors);
      const bool solved = profile == EccProfile::chip;
      EXPECT_EQ(result.outcome, solved ? Outcome::corrected : Outcome::uncorrectable);
      EXPECT_EQ(result.chips, solved ? 1u << chip : 0u);
      EXPECT_EQ(errors, solved ? MemoryBlock{} : dead);
    }
}

TEST(DualModeCodec, ADeadChipIsCorrectedInStrongModeAndTwoAreDetected) {
  Random random(3);
  for (unsigned chip = 0; chip < block_chips; ++chip)
    for (const EccProfile profile : {EccProfile::thesis, EccProfile::strict, EccProfile::chip}) {
      MemoryBlock errors = dead_chip(random, chip);
      EXPECT_EQ(decode(profile, EccMode::strong, errors).outcome, Outcome::corrected);
      EXPECT_EQ(errors, MemoryBlock{});
      errors = dead_chip(random, chip);
      errors ^= dead_chip(random, (chip + 5) % block_chips);
      EXPECT_EQ(decode(profile, EccMode::strong, errors).outcome, Outcome::uncorrectable);
    }
}

TEST(DualModeCodec, AWrongThirdSymbolIsSeenOnlyWhenItIsUsed) {
  MemoryBlock errors;
  errors.third[2] = 0x11;
  EXPECT_EQ(decode(EccProfile::strict, EccMode::strong, errors), DecodeResult{});
  errors.flip_symbol(4, 0, 1);
  const DecodeResult result = decode(EccProfile::strict, EccMode::strong, errors);
  EXPECT_EQ(result.chips, 1u << 18 | 1u << 4);
  EXPECT_EQ(errors, MemoryBlock{});
}

TEST(DualModeCodec, OneUncorrectableCodewordLeavesTheBlockAsReceived) {
  for (const EccProfile profile : {EccProfile::thesis, EccProfile::strict, EccProfile::chip})
    for (const EccMode mode : {EccMode::normal, EccMode::strong}) {
      MemoryBlock errors;
      errors.flip_symbol(1, 0, 7);  // codeword 0: two symbols of two chips
      errors.flip_symbol(2, 0, 9);
      errors.flip_symbol(3, 3, 1);  // the last codeword: one symbol
      const MemoryBlock received = errors;
      const DecodeResult result = decode(profile, mode, errors);
      EXPECT_EQ(result.outcome, Outcome::uncorrectable);
      EXPECT_EQ(result.chips, 0u);
      EXPECT_NE(result.syndromes[mode == EccMode::normal ? 1 : 3], Syndromes{});
      EXPECT_EQ(errors, received);
    }
}

TEST(DualModeCodec, CodewordsHaveToAgreeOnTheChipThatIsSolvedFor) {
  MemoryBlock errors;
  errors.flip_symbol(5, 0, 1);  // codeword 0: both symbols of chip 5
  errors.flip_symbol(5, 1, 2);
  errors.flip_symbol(6, 2, 3);  // codeword 1: one symbol of chip 6
  EXPECT_EQ(decode(EccProfile::chip, EccMode::normal, errors).outcome, Outcome::uncorrectable);
  errors.flip_symbol(6, 2, 3);
  errors.flip_symbol(5, 2, 3);
  EXPECT_EQ(decode(EccProfile::chip, EccMode::normal, errors).chips, 1u << 5);
  EXPECT_EQ(errors, MemoryBlock{});
}

TEST(DualModeCodec, SingleSymbolsOfTwoCodewordsMayLieInTwoChips) {
  for (const EccProfile profile : {EccProfile::thesis, EccProfile::strict, EccProfile::chip}) {
    MemoryBlock errors;
    errors.flip_symbol(5, 0, 1);
    errors.flip_symbol(17, 3, 2);
    EXPECT_EQ(decode(profile, EccMode::normal, errors).chips, 1u << 5 | 1u << 17);
    EXPECT_EQ(errors, MemoryBlock{});
  }
}

TEST(DualModeCodec, ALocationOutsideTheCodeCountsAsCorrectedByTheThesisAlone) {
  // These errors of the four parity symbols have the same syndromes as an error 1 at position 40. Together
  // they are a codeword of the longer cyclic code, and its only data symbol is at position 40.
  MemoryBlock errors;
  Syndromes wanted{};
  for (unsigned j = 0; j < 4; ++j) wanted[j] = gf256::power(40 * j);
  std::array<std::uint8_t, 36> codeword{};
  for (unsigned i = 32; i < 36; ++i) {  // Lagrange's basis for the four locators, at that of position 40
    codeword[i] = 1;
    for (unsigned k = 32; k < 36; ++k)
      if (k != i)
        codeword[i] = gf256::multiply(codeword[i], gf256::divide(gf256::power(40) ^ gf256::power(k),
                                                                 gf256::power(i) ^ gf256::power(k)));
    errors.flip_symbol(i / 2, i % 2, codeword[i]);
  }
  ASSERT_EQ(rs_36_32.syndromes(codeword), wanted);
  const MemoryBlock received = errors;
  const DecodeResult result = decode(EccProfile::thesis, EccMode::normal, errors);
  EXPECT_EQ(result.outcome, Outcome::corrected);
  EXPECT_EQ(result.chips, 0u);
  EXPECT_EQ(errors, received);
  EXPECT_EQ(decode(EccProfile::strict, EccMode::normal, errors).outcome, Outcome::uncorrectable);
  EXPECT_EQ(decode(EccProfile::chip, EccMode::normal, errors).outcome, Outcome::uncorrectable);
}

}  // namespace
}  // namespace asterism
