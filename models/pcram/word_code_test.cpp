#include "pcram/word_code.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "pcram/pcram_rig.h"

namespace asterism {
namespace {

using Result = WordCode::Result;

constexpr std::uint64_t bit(unsigned at) { return std::uint64_t{1} << at; }

TEST(WordCodeTest, CellsThatWereNeverWrittenAreACodeWord) {
  std::uint64_t data = 0;
  EXPECT_EQ(WordCode::check(0), 0);
  EXPECT_EQ(WordCode::correct(data, 0), Result::clean);
}

TEST(WordCodeTest, CorrectsEachSingleCell) {
  Random random(1);
  for (unsigned round = 0; round < 50; ++round) {
    const std::uint64_t data = random.next();
    const std::uint8_t check = WordCode::check(data);
    for (unsigned at = 0; at < 72; ++at) {
      std::uint64_t seen = at < 64 ? data ^ bit(at) : data;
      const auto stored = static_cast<std::uint8_t>(at < 64 ? check : check ^ bit(at - 64));
      ASSERT_EQ(WordCode::correct(seen, stored), Result::corrected);
      ASSERT_EQ(seen, data) << at;
    }
  }
}

TEST(WordCodeTest, FindsEachPairOfCells) {
  const std::uint64_t data = 0x0123'4567'89ab'cdef;
  const std::uint8_t check = WordCode::check(data);
  for (unsigned a = 0; a < 72; ++a)
    for (unsigned b = a + 1; b < 72; ++b) {
      std::uint64_t seen = data, flips = 0;
      for (const unsigned at : {a, b}) {
        if (at < 64) seen ^= bit(at);
        if (at >= 64) flips |= bit(at - 64);
      }
      ASSERT_EQ(WordCode::correct(seen, static_cast<std::uint8_t>(check ^ flips)), Result::uncorrectable)
          << a << " " << b;
    }
}

TEST(WordCodeTest, AWordDecodesToWhatWasEncoded) {
  const auto data = noise(1, 7);
  const auto decoded = PcramWord::encode(std::span(data).first<64>()).decode();
  EXPECT_TRUE(std::ranges::equal(decoded.bytes, data));
  EXPECT_EQ(decoded.corrected + decoded.uncorrectable, 0u);
}

}  // namespace
}  // namespace asterism
