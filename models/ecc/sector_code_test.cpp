#include "ecc/sector_code.h"

#include <gtest/gtest.h>

#include <bit>

namespace asterism {
namespace {

SectorBits random_sector(SectorCode code, Random& random) {
  SectorBits sector{};
  for (unsigned i = 0; i < sector_data; ++i) sector[i] = static_cast<std::uint8_t>(random.next());
  encode_sector(code, sector);
  return sector;
}

TEST(SectorCode, CorrectsEveryBit) {
  Random random(1);
  for (const SectorCode code : {SectorCode::secded, SectorCode::symbol, SectorCode::reach})
    for (unsigned bit = 0; bit < 8 * sector_bytes(code); ++bit) {
      const SectorBits right = random_sector(code, random);
      SectorBits sector = right;
      sector[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      EXPECT_EQ(decode_sector(code, sector), SectorOutcome::corrected) << bit;
      EXPECT_EQ(sector, right);
    }
}

TEST(SectorCode, ReachFlagsTwoOrThreeWrongBytes) {
  Random random(4);
  for (unsigned trial = 0; trial < 2000; ++trial) {
    SectorBits sector = random_sector(SectorCode::reach, random);
    const auto first = static_cast<unsigned>(random.below(36));
    for (unsigned i = 0; i < 2 + trial % 2; ++i)
      sector[(first + 7 * i) % 36] ^= static_cast<std::uint8_t>(1 + random.below(255));
    ASSERT_EQ(decode_sector(SectorCode::reach, sector), SectorOutcome::uncorrectable);
  }
}

TEST(SectorCode, SecdedDetectsAnyTwoBitsOfABeat) {
  for (unsigned first = 0; first < 64; ++first)
    for (unsigned second = first + 1; second < 64; ++second) {
      SectorBits sector{};
      sector[first / 8] ^= static_cast<std::uint8_t>(1u << first % 8);
      sector[second / 8] ^= static_cast<std::uint8_t>(1u << second % 8);
      EXPECT_EQ(decode_sector(SectorCode::secded, sector), SectorOutcome::uncorrectable);
    }
}

// With the symbols' locators as they are: by chance it would be one pair of 3,855.
TEST(SectorCode, SymbolDetectsAnyTwoBitsOfDifferentWords) {
  for (unsigned first = 0; first < 304; ++first)
    for (unsigned second = first + 1; second < 304; ++second) {
      if (first / 16 == second / 16) continue;
      SectorBits sector{};
      sector[first / 8] ^= static_cast<std::uint8_t>(1u << first % 8);
      sector[second / 8] ^= static_cast<std::uint8_t>(1u << second % 8);
      ASSERT_EQ(decode_sector(SectorCode::symbol, sector), SectorOutcome::uncorrectable);
    }
}

TEST(SectorCode, SymbolCorrectsEveryErrorOfAWord) {
  Random random(2);
  for (unsigned word = 0; word < 19; ++word)
    for (unsigned trial = 0; trial < 200; ++trial) {
      const SectorBits right = random_sector(SectorCode::symbol, random);
      SectorBits sector = right;
      const SectorBits errors =
          draw_sector_errors(fault_bits(SectorCode::symbol, SectorFaultShape::word, 16 * word), random);
      for (unsigned i = 0; i < sector.size(); ++i) sector[i] ^= errors[i];
      EXPECT_EQ(decode_sector(SectorCode::symbol, sector), SectorOutcome::corrected);
      EXPECT_EQ(sector, right);
    }
}

TEST(SectorCode, AFaultCoversTheBitsOfItsShape) {
  const auto count = [](SectorCode code, SectorFaultShape shape, unsigned place) {
    unsigned bits = 0;
    for (const std::uint8_t byte : fault_bits(code, shape, place))
      bits += static_cast<unsigned>(std::popcount(byte));
    return bits;
  };
  EXPECT_EQ(count(SectorCode::symbol, SectorFaultShape::bit, 303), 1u);
  EXPECT_EQ(count(SectorCode::symbol, SectorFaultShape::word, 300), 16u);
  EXPECT_EQ(count(SectorCode::symbol, SectorFaultShape::pin, 40), 8u);
  EXPECT_EQ(count(SectorCode::secded, SectorFaultShape::pin, 70), 4u);
  EXPECT_EQ(count(SectorCode::secded, SectorFaultShape::pin, 257), 4u);
  EXPECT_EQ(count(SectorCode::reach, SectorFaultShape::pin, 40), 9u);
  EXPECT_EQ(count(SectorCode::none, SectorFaultShape::sector, 0), 256u);
  EXPECT_EQ(count(SectorCode::symbol, SectorFaultShape::sector, 0), 304u);
}

TEST(SectorCode, WithoutACodeNothingIsDetected) {
  SectorBits sector{};
  sector[3] = 1;
  EXPECT_EQ(decode_sector(SectorCode::none, sector), SectorOutcome::clean);
  EXPECT_EQ(sector[3], 1);
}

}  // namespace
}  // namespace asterism
