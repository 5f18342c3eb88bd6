// The codes of a DDR5 rank for testbenches of its RTL (testbenches/codec/codec_pair.h).
#pragma once

#include "ecc/ddr5_coverage.h"
#include "testbenches/codec/codec_pair.h"

namespace asterism {

struct RankBench : RankContract {
  using Contract = RankContract;
  static constexpr const char* block = "ddr5_codec";
  static constexpr std::array wheres = {Bytes(0)};
  static constexpr unsigned symbols = 8 * ddr5_chips;  // bytes of the chips

  static Block random_block(Random& random) {
    Block block;
    for (std::uint64_t& word : block.chips) word = random.next();
    return block;
  }
  static void disturb(Block& errors, unsigned symbol, std::uint8_t value) {
    errors.chips[symbol / 8] ^= std::uint64_t{value} << symbol % 8 * 8;
  }
  // A fault of a random shape.
  static void fault(Random& random, Block& errors) {
    const auto masks = places(static_cast<Ddr5Fault>(random.below(6)));
    errors.chips[random.below(ddr5_chips)] ^= draw_wrong_bits(masks[random.below(masks.size())], random);
  }
  static void encode(const Model& model, Bytes, Block& block) { model.encode(block); }
  static bool special_errors(CodecPair<RankBench>&, Bytes) { return true; }
};

}  // namespace asterism
