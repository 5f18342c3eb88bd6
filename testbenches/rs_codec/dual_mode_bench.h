// The dual-mode code for testbenches of its RTL (testbenches/codec/codec_pair.h).
#pragma once

#include "ecc/gf256.h"
#include "testbenches/codec/codec_pair.h"

namespace asterism {

struct DualModeBench : DualModeContract {
  using Contract = DualModeContract;
  static constexpr const char* block = "rs_codec";
  static constexpr std::array wheres = {EccMode::normal, EccMode::strong};
  static constexpr unsigned symbols = (block_chips + 1) * chip_symbols;  // the third parity is the last

  static Block random_block(Random& random) {
    Block block;
    for (auto& byte : block.data) byte = static_cast<std::uint8_t>(random.next());
    for (auto& byte : block.parity) byte = static_cast<std::uint8_t>(random.next());
    for (auto& byte : block.third) byte = static_cast<std::uint8_t>(random.next());
    return block;
  }
  static void disturb(Block& errors, unsigned symbol, std::uint8_t value) {
    const unsigned chip = symbol / chip_symbols, p = symbol % chip_symbols;
    if (chip == block_chips)
      errors.third[p] ^= value;
    else
      errors.flip_symbol(chip, p, value);
  }
  // A bit, a pin, a word, the whole chip or a symbol of a chip, or third parity symbols.
  static void fault(Random& random, Block& errors) {
    const auto chip = static_cast<unsigned>(random.below(block_chips + 1));
    const auto beat = static_cast<unsigned>(random.below(block_beats));
    if (chip == block_chips) return disturb(errors, chip_symbols * chip + beat / 2, error_value(random));
    const auto pin = static_cast<std::uint8_t>(1 << random.below(4));
    switch (random.below(5)) {
      case 0:
        return errors.flip_nibble(chip, beat, pin);
      case 1:
        for (unsigned b = 0; b < block_beats; ++b)
          if (random.below(2)) errors.flip_nibble(chip, b, pin);
        return;
      case 2:
        return errors.flip_nibble(chip, beat, static_cast<std::uint8_t>(1 + random.below(15)));
      case 3:
        for (unsigned p = 0; p < chip_symbols; ++p)
          errors.flip_symbol(chip, p, static_cast<std::uint8_t>(random.next()));
        return;
      default:
        return errors.flip_symbol(chip, beat / 2, error_value(random));
    }
  }
  static void encode(const Model&, EccMode mode, Block& block) { DualModeCodec::encode(mode, block); }
  static bool special_errors(CodecPair<DualModeBench>& pair, EccMode mode);
};

// Adds errors in the parity of codeword w that look like one faulty symbol at a location beyond the end of
// the shortened code. They come from Lagrange's polynomials, which are 1 at the locator of one parity symbol
// and 0 at those of the others.
inline void look_like(MemoryBlock& errors, EccMode mode, unsigned w, unsigned location, std::uint8_t value) {
  using namespace gf256;
  const bool normal = mode == EccMode::normal;
  const unsigned first = normal ? 32 : 16, count = normal ? 4 : 2;
  std::uint8_t third = multiply(value, power(2 * location));
  for (unsigned k = 0; k < count; ++k) {
    std::uint8_t error = value;
    for (unsigned m = 0; m < count; ++m)
      if (m != k)
        error =
            multiply(error, divide(power(location) ^ power(first + m), power(first + k) ^ power(first + m)));
    third ^= multiply(error, power(2 * (first + k)));
    if (normal)
      errors.flip_symbol(16 + k / 2, 2 * w + k % 2, error);
    else
      errors.flip_symbol(16 + k, w, error);
  }
  if (!normal) errors.third[w] ^= third;
}

// Tests each of those locations in each codeword, alone and with a faulty symbol in another codeword.
inline bool DualModeBench::special_errors(CodecPair<DualModeBench>& pair, EccMode mode) {
  Random random(4);
  const MemoryBlock written = pair.random_codeword(random, mode);
  const bool normal = mode == EccMode::normal;
  for (unsigned location = normal ? 36 : 18; location < 255; ++location)
    for (unsigned w = 0; w < (normal ? 2u : 4u); ++w) {
      MemoryBlock errors;
      look_like(errors, mode, w, location, error_value(random));
      if (!pair.decode(mode, written, errors)) return false;
      errors.flip_symbol(location % data_chips, normal ? 2 * (1 - w) : (w + 1) % 4, error_value(random));
      if (!pair.decode(mode, written, errors)) return false;
    }
  return pair.finish();
}

}  // namespace asterism
