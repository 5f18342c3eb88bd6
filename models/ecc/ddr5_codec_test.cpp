#include "ecc/ddr5_codec.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "base/random.h"
#include "ecc/reed_solomon.h"

namespace asterism {
namespace {

using RankOutcome = Ddr5Result::Outcome;

constexpr Ddr5Code ddr5_codes[] = {Ddr5Code::rs_10_8,    Ddr5Code::rs_10_8_chip, Ddr5Code::rs_40_32,
                                   Ddr5Code::chip_guard, Ddr5Code::rs_36_32,     Ddr5Code::rs_36_32_bounded};

Ddr5Block encoded_block(const Ddr5Codec& codec, std::uint64_t seed) {
  std::array<std::uint8_t, block_bytes> data;
  Random random(seed);
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random.next());
  Ddr5Block block;
  put_data(block, data);
  codec.encode(block);
  return block;
}

TEST(Ddr5BlockTest, HoldsDataByChipsAndBeats) {
  std::array<std::uint8_t, block_bytes> data;
  std::iota(data.begin(), data.end(), std::uint8_t{0x40});
  Ddr5Block block;
  put_data(block, data);
  EXPECT_EQ(block.chips[0] & 0xFF, 0x40u) << "the low nibbles of bytes 0 and 4";
  EXPECT_EQ(block.chips[7] >> 60, 0x7u) << "the high nibble of byte 63";
  EXPECT_EQ(data_of(block), data);
}

TEST(Ddr5CodecTest, LeavesWhatItEncodedAlone) {
  for (const Ddr5Code code : ddr5_codes) {
    const Ddr5Codec codec(code);
    const Ddr5Block truth = encoded_block(codec, 1);
    Ddr5Block block = truth;
    EXPECT_EQ(codec.decode(block).outcome, RankOutcome::clean);
    EXPECT_EQ(block, truth);
  }
}

TEST(Ddr5CodecTest, EncodesAsReedSolomonDoes) {
  const Ddr5Codec codec(Ddr5Code::rs_10_8);
  const Ddr5Block block = encoded_block(codec, 2);
  constexpr ReedSolomon rs_10_8(10, 2);
  for (unsigned w = 0; w < 8; ++w) {
    std::array<std::uint8_t, 10> codeword;
    for (unsigned c = 0; c < 10; ++c) codeword[c] = static_cast<std::uint8_t>(block.chips[c] >> 8 * w);
    auto encoded = codeword;
    rs_10_8.encode(encoded);
    EXPECT_EQ(encoded, codeword);
  }
  // Nine chips of four pins: a block of RS(36,32) for each half of the burst.
  const Ddr5Block nine = encoded_block(Ddr5Codec(Ddr5Code::rs_36_32), 2);
  EXPECT_EQ(nine.chips[9], 0u);
  for (unsigned half = 0; half < 2; ++half) {
    std::array<std::uint8_t, 36> codeword{};
    for (unsigned i = 0; i < 36; ++i)
      for (unsigned beat = 0; beat < 8; ++beat)
        codeword[i] |=
            static_cast<std::uint8_t>((nine.chips[i / 4] >> (4 * (8 * half + beat) + i % 4) & 1) << beat);
    EXPECT_EQ(rs_36_32.syndromes(codeword), Syndromes{});
  }
}

TEST(Ddr5CodecTest, CorrectsEveryBoundedFaultOfAChip) {
  Random random(3);
  for (const Ddr5Code code : ddr5_codes) {
    // Two symbols of each of two codewords are all that RS(36,32) corrects: two pins, not a half of a burst.
    const bool pins_only = code == Ddr5Code::rs_36_32 || code == Ddr5Code::rs_36_32_bounded;
    const Ddr5Codec codec(code);
    const Ddr5Block truth = encoded_block(codec, 4);
    for (const std::uint64_t mask : bounded_masks()) {
      if (pins_only && std::popcount(mask & 0xF) != 2) continue;
      for (unsigned chip = 0; chip < codec.chips(); ++chip) {
        Ddr5Block block = truth;
        block.chips[chip] ^= (random.next() & mask) | (mask & -mask);
        EXPECT_EQ(codec.decode(block), (Ddr5Result{RankOutcome::corrected, 1u << chip}));
        EXPECT_EQ(block, truth);
      }
    }
  }
}

TEST(Ddr5CodecTest, CorrectsAWholeChipOfTen) {
  for (const Ddr5Code code :
       {Ddr5Code::rs_10_8, Ddr5Code::rs_10_8_chip, Ddr5Code::rs_40_32, Ddr5Code::chip_guard}) {
    const Ddr5Codec codec(code);
    const Ddr5Block truth = encoded_block(codec, 5);
    for (unsigned chip = 0; chip < ddr5_chips; ++chip) {
      Ddr5Block block = truth;
      block.chips[chip] = ~block.chips[chip];
      EXPECT_EQ(codec.decode(block), (Ddr5Result{RankOutcome::corrected, 1u << chip}));
      EXPECT_EQ(block, truth);
    }
  }
}

TEST(Ddr5CodecTest, LeavesAnUncorrectableBlockAsReceived) {
  for (const Ddr5Code code : {Ddr5Code::rs_10_8_chip, Ddr5Code::rs_40_32, Ddr5Code::chip_guard}) {
    const Ddr5Codec codec(code);
    Ddr5Block block = encoded_block(codec, 6);
    block.chips[1] ^= 1;
    block.chips[6] ^= std::uint64_t{1} << 63;
    const Ddr5Block received = block;
    EXPECT_EQ(codec.decode(block), (Ddr5Result{RankOutcome::uncorrectable, 0}));
    EXPECT_EQ(block, received);
  }
}

// What sets the two codes of RS(10,8) apart: bits of two chips in two codewords.
TEST(Ddr5CodecTest, CorrectsChipByChipOnlyIfCodewordsNeedNotAgree) {
  const Ddr5Codec codec(Ddr5Code::rs_10_8);
  const Ddr5Block truth = encoded_block(codec, 6);
  Ddr5Block block = truth;
  block.chips[1] ^= 1;
  block.chips[6] ^= std::uint64_t{1} << 63;
  EXPECT_EQ(codec.decode(block), (Ddr5Result{RankOutcome::corrected, 0x42}));
  EXPECT_EQ(block, truth);
}

TEST(Ddr5CodecTest, KeepsMetadataOfChipGuard) {
  const Ddr5Codec codec(Ddr5Code::chip_guard);
  Ddr5Block truth = encoded_block(codec, 7);
  const std::uint64_t metadata = std::uint64_t{0xABCDE} << 44;
  truth.chips[9] = metadata;
  codec.encode(truth);
  EXPECT_EQ(truth.chips[9] >> 44, 0xABCDEu);
  Ddr5Block block = truth;
  block.chips[9] ^= std::uint64_t{0x5A5A5} << 44;
  EXPECT_EQ(codec.decode(block), (Ddr5Result{RankOutcome::corrected, 1u << 9}));
  EXPECT_EQ(block, truth);
}

TEST(Ddr5CodecTest, RefusesAHashThatIsTooShort) {
  EXPECT_THROW(Ddr5Codec(Ddr5Code::chip_guard, 39), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
