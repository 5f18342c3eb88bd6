#include "ecc/long_reed_solomon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "ecc/reed_solomon.h"

namespace asterism {
namespace {

using Symbol = LongReedSolomon::Symbol;
using LongOutcome = LongReedSolomon::Outcome;

struct LongReedSolomonTest : testing::Test {
  Random random{7};

  std::vector<Symbol> codeword(const LongReedSolomon& code, std::uint32_t order) {
    std::vector<Symbol> word(code.length());
    for (Symbol& symbol : word) symbol = static_cast<Symbol>(random.below(order + 1));
    code.encode(word);
    return word;
  }
  std::vector<unsigned> places(const LongReedSolomon& code, unsigned count) {
    std::set<unsigned> chosen;
    while (chosen.size() < count) chosen.insert(static_cast<unsigned>(random.below(code.length())));
    return {chosen.begin(), chosen.end()};
  }
  void spoil(std::vector<Symbol>& word, std::span<const unsigned> wrong, std::uint32_t order) {
    for (const unsigned place : wrong) word[place] ^= static_cast<Symbol>(1 + random.below(order));
  }
};

TEST_F(LongReedSolomonTest, HasTheSyndromesOfTheShortCode) {
  const LongReedSolomon code(GaloisField::of_bytes(), 36, 4);
  std::vector<Symbol> word = codeword(code, 255);
  std::vector<std::uint8_t> bytes(word.begin(), word.end());
  rs_36_32.encode(bytes);
  EXPECT_TRUE(std::ranges::equal(bytes, word));
}

TEST_F(LongReedSolomonTest, CorrectsAnyErrorsAndErasuresWithinItsDistance) {
  const LongReedSolomon code(GaloisField::of_symbols(), 72, 8);
  for (unsigned trial = 0; trial < 300; ++trial) {
    const auto errors = static_cast<unsigned>(random.below(5));
    const auto erasures = static_cast<unsigned>(random.below(8 - 2 * errors + 1));
    const std::vector<Symbol> right = codeword(code, 65535);
    const std::vector<unsigned> wrong = places(code, errors + erasures);
    std::vector<Symbol> word = right;
    spoil(word, wrong, 65535);
    const LongOutcome outcome = code.decode(word, {.erased = std::span(wrong).first(erasures)});
    EXPECT_EQ(outcome, wrong.empty() ? LongOutcome::clean : LongOutcome::corrected);
    EXPECT_EQ(word, right);
  }
}

TEST_F(LongReedSolomonTest, LeavesWhatItDoesNotCorrectToDetection) {
  const LongReedSolomon code(GaloisField::of_bytes(), 36, 4);
  for (unsigned trial = 0; trial < 2000; ++trial) {
    std::vector<Symbol> word = codeword(code, 255);
    spoil(word, places(code, 2 + trial % 2), 255);
    const std::vector<Symbol> received = word;
    EXPECT_EQ(code.decode(word, {.max_errors = 1}), LongOutcome::uncorrectable);
    EXPECT_EQ(word, received);
  }
}

TEST_F(LongReedSolomonTest, MoreErasuresThanChecksAreUncorrectable) {
  const LongReedSolomon code(GaloisField::of_symbols(), 72, 8);
  std::vector<Symbol> word = codeword(code, 65535);
  const std::vector<unsigned> wrong = places(code, 9);
  spoil(word, wrong, 65535);
  EXPECT_EQ(code.decode(word, {.erased = wrong}), LongOutcome::uncorrectable);
}

TEST_F(LongReedSolomonTest, AWriteChangesParityByItsDifference) {
  const LongReedSolomon code(GaloisField::of_symbols(), 72, 8);
  std::vector<Symbol> word = codeword(code, 65535);
  const Symbol change = 0x1234;
  const std::vector<Symbol> parity = code.parity_change(11, change);
  word[11] ^= change;
  for (unsigned i = 0; i < 8; ++i) word[64 + i] ^= parity[i];
  EXPECT_TRUE(std::ranges::all_of(code.syndromes(word), [](Symbol s) { return s == 0; }));
}

TEST_F(LongReedSolomonTest, ConsecutiveLocatorsTakeManyPairsOfBitsForAThirdSymbol) {
  const auto taken = [](unsigned stride) {
    const LongReedSolomon code(GaloisField::of_symbols(), 19, 2, stride);
    unsigned count = 0;
    for (unsigned first = 0; first < 304; ++first)
      for (unsigned second = first + 1; second < 304; ++second) {
        if (first / 16 == second / 16) continue;
        std::vector<Symbol> word(19);
        word[first / 16] ^= static_cast<Symbol>(1u << first % 16);
        word[second / 16] ^= static_cast<Symbol>(1u << second % 16);
        count += code.decode(word, {}) == LongOutcome::corrected ? 1 : 0;
      }
    return count;
  };
  EXPECT_EQ(taken(1), 2611u);
  EXPECT_EQ(taken(3449), 120u);
  EXPECT_EQ(taken(1021), 0u);
}

TEST_F(LongReedSolomonTest, RefusesACodeThatDoesNotExist) {
  EXPECT_THROW(LongReedSolomon(GaloisField::of_bytes(), 256, 4), std::invalid_argument);
  EXPECT_THROW(LongReedSolomon(GaloisField::of_bytes(), 4, 4), std::invalid_argument);
  EXPECT_THROW(LongReedSolomon(GaloisField::of_bytes(), 36, 4, 15), std::invalid_argument);
  EXPECT_THROW(GaloisField(8, 0x11B), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
