#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>

extern "C" {
#include "checkpoint/checksum.h"
}

namespace {

using Words = std::array<std::uint64_t, 64>;

Words random_words(std::mt19937_64& random) {
  Words words;
  for (auto& word : words) word = random();
  return words;
}

void flip(Words& words, std::uint64_t bit) { words[bit / 64] ^= std::uint64_t{1} << bit % 64; }

std::uint64_t sum_of(const Words& words) { return checksum(CHECKSUM_START, words.data(), sizeof words); }

// FNV-1a over words in its original form, without the shift that improves it.
std::uint64_t without_shift(const Words& words) {
  std::uint64_t sum = CHECKSUM_START;
  for (const auto word : words) sum = (sum ^ word) * 0x100000001b3u;
  return sum;
}

TEST(ChecksumTest, DetectsBitsThatFnvCarriesNowhere) {
  std::mt19937_64 random(1);
  const Words words = random_words(random);
  for (std::uint64_t word = 0; word + 1 < words.size(); ++word) {
    Words changed = words;
    flip(changed, word * 64 + 63);
    flip(changed, word * 64 + 127);
    EXPECT_EQ(without_shift(changed), without_shift(words))
        << "FNV-1a alone must miss this change, or the test checks nothing";
    EXPECT_NE(sum_of(changed), sum_of(words)) << word;
  }
}

TEST(ChecksumTest, DetectsAnyBitOfAWordWithAnyBitOfTheNext) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 8; ++i) {
    std::array<std::uint64_t, 2> words{random(), random()};
    const auto sum = checksum(CHECKSUM_START, words.data(), sizeof words);
    for (int first = 0; first < 64; ++first)
      for (int second = 0; second < 64; ++second) {
        auto changed = words;
        changed[0] ^= std::uint64_t{1} << first;
        changed[1] ^= std::uint64_t{1} << second;
        ASSERT_NE(checksum(CHECKSUM_START, changed.data(), sizeof changed), sum) << first << " " << second;
      }
  }
}

// Flips any two bits, chosen at random.
TEST(ChecksumTest, DetectsTwoBitsAnywhere) {
  std::mt19937_64 random(3);
  const Words words = random_words(random);
  const auto sum = sum_of(words);
  unsigned missed_without_shift = 0;
  for (int i = 0; i < 200'000; ++i) {
    const auto first = random() % (64 * words.size()), second = random() % (64 * words.size());
    if (first == second) continue;
    Words changed = words;
    flip(changed, first);
    flip(changed, second);
    ASSERT_NE(sum_of(changed), sum) << first << " " << second;
    missed_without_shift += without_shift(changed) == without_shift(words);
  }
  EXPECT_GT(missed_without_shift, 0u) << "there are too few pairs to find one that FNV-1a alone misses";
}

TEST(ChecksumTest, DoesNotDependOnAlignment) {
  std::mt19937_64 random(4);
  const Words words = random_words(random);
  alignas(8) std::array<char, sizeof words + 8> moved;
  for (std::size_t at = 0; at < 8; ++at) {
    std::memcpy(moved.data() + at, words.data(), sizeof words);
    for (std::size_t bytes = 0; bytes <= 24; ++bytes)
      EXPECT_EQ(checksum(CHECKSUM_START, moved.data() + at, bytes),
                checksum(CHECKSUM_START, words.data(), bytes))
          << at << " " << bytes;
  }
}

TEST(ChecksumTest, APartialLastWordIsPaddedWithZeros) {
  const std::array<std::uint64_t, 2> filled{0x0807060504030201, 0x0b0a09};
  EXPECT_EQ(checksum(CHECKSUM_START, filled.data(), 11), checksum(CHECKSUM_START, filled.data(), 16));
  EXPECT_NE(checksum(CHECKSUM_START, filled.data(), 10), checksum(CHECKSUM_START, filled.data(), 16));
}

}  // namespace
