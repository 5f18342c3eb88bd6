#include "ecc/dual_mode_codec.h"

#include <algorithm>
#include <optional>

#include "ecc/reed_solomon.h"

namespace asterism {
namespace {

constexpr unsigned normal_codewords = 2, strong_codewords = chip_symbols;

// A codeword of the block, in the order of its positions.
std::array<std::uint8_t, 36> normal_codeword(const MemoryBlock& block, unsigned w) {
  std::array<std::uint8_t, 36> symbols{};
  for (unsigned i = 0; i < symbols.size(); ++i) symbols[i] = block.symbol(i / 2, 2 * w + i % 2);
  return symbols;
}
std::array<std::uint8_t, 19> strong_codeword(const MemoryBlock& block, unsigned w) {
  std::array<std::uint8_t, 19> symbols{};
  for (unsigned c = 0; c < block_chips; ++c) symbols[c] = block.symbol(c, w);
  symbols[block_chips] = block.third[w];
  return symbols;
}

// Both symbols of one chip, solved from the syndromes of a normal codeword.
struct ChipFix {
  unsigned chip;
  std::array<std::uint8_t, 2> errors;
};

// Only errors at the locators X and aX satisfy S[j+2] = (X + aX) S[j+1] + (X aX) S[j]; no two chips both
// can, because any four columns are independent.
std::optional<ChipFix> solve_chip(const Syndromes& s) {
  using namespace gf256;
  for (unsigned chip = 0; chip < block_chips; ++chip) {
    const std::uint8_t first = power(2 * chip), second = power(2 * chip + 1);
    const std::uint8_t sum = first ^ second, product = multiply(first, second);
    if (s[2] != (multiply(sum, s[1]) ^ multiply(product, s[0]))) continue;
    if (s[3] != (multiply(sum, s[2]) ^ multiply(product, s[1]))) continue;
    const std::uint8_t error = divide(s[1] ^ multiply(first, s[0]), sum);  // of the second symbol
    return ChipFix{chip, {static_cast<std::uint8_t>(s[0] ^ error), error}};
  }
  return std::nullopt;
}

// The fixes of all codewords, or none.
struct BlockFix {
  MemoryBlock errors;
  DecodeResult result;

  void correct(unsigned chip, unsigned p, std::uint8_t error) {
    result.outcome = DecodeResult::Outcome::corrected;
    result.chips |= 1u << chip;
    if (chip < block_chips)
      errors.flip_symbol(chip, p, error);
    else
      errors.third[p] ^= error;
  }
};

using Fixes = std::array<SymbolFix, strong_codewords>;

bool any_uncorrectable(const Fixes& fixes) {
  return std::ranges::any_of(
      fixes, [](const SymbolFix& fix) { return fix.outcome == SymbolFix::Outcome::uncorrectable; });
}

// The chip profile, if a single symbol does not explain each codeword. Returns false if one chip does not
// either.
bool solve_same_chip(BlockFix& fix) {
  std::optional<unsigned> chip;
  for (unsigned w = 0; w < normal_codewords; ++w) {
    if (fix.result.syndromes[w] == Syndromes{}) continue;
    const auto solved = solve_chip(fix.result.syndromes[w]);
    if (!solved || (chip && *chip != solved->chip)) return false;
    chip = solved->chip;
    for (unsigned p = 0; p < 2; ++p) fix.correct(solved->chip, 2 * w + p, solved->errors[p]);
  }
  return true;
}

bool fix_normal(EccProfile profile, const MemoryBlock& block, BlockFix& fix) {
  const Locations locations = profile == EccProfile::thesis ? Locations::any : Locations::of_code;
  Fixes fixes;
  for (unsigned w = 0; w < normal_codewords; ++w) {
    fix.result.syndromes[w] = rs_36_32.syndromes(normal_codeword(block, w));
    fixes[w] = rs_36_32.decode(fix.result.syndromes[w], locations);
  }
  if (any_uncorrectable(fixes)) return profile == EccProfile::chip && solve_same_chip(fix);
  for (unsigned w = 0; w < normal_codewords; ++w) {
    if (fixes[w].outcome == SymbolFix::Outcome::clean) continue;
    fix.result.outcome = DecodeResult::Outcome::corrected;
    if (const unsigned i = fixes[w].position; i < rs_36_32.length())
      fix.correct(i / 2, 2 * w + i % 2, fixes[w].error);
  }
  return true;
}

bool fix_strong(EccProfile profile, const MemoryBlock& block, BlockFix& fix) {
  const Locations locations = profile == EccProfile::thesis ? Locations::any : Locations::of_code;
  for (unsigned w = 0; w < strong_codewords; ++w) {
    fix.result.syndromes[w] = rs_18_16.syndromes(strong_codeword(block, w));
    fix.result.used_third |= fix.result.syndromes[w] != Syndromes{};
  }
  if (!fix.result.used_third) return true;
  Fixes fixes;
  for (unsigned w = 0; w < strong_codewords; ++w) {
    fix.result.syndromes[w] = rs_19_16.syndromes(strong_codeword(block, w));
    fixes[w] = rs_19_16.decode(fix.result.syndromes[w], locations);
  }
  if (any_uncorrectable(fixes)) return false;
  for (unsigned w = 0; w < strong_codewords; ++w) {
    if (fixes[w].outcome == SymbolFix::Outcome::clean) continue;
    fix.result.outcome = DecodeResult::Outcome::corrected;
    if (fixes[w].position < rs_19_16.length()) fix.correct(fixes[w].position, w, fixes[w].error);
  }
  return true;
}

}  // namespace

void DualModeCodec::encode(EccMode mode, MemoryBlock& block) {
  block.parity = {};
  block.third = {};
  if (mode == EccMode::normal) {
    for (unsigned w = 0; w < normal_codewords; ++w) {
      auto codeword = normal_codeword(block, w);
      rs_36_32.encode(codeword);
      for (unsigned i = rs_36_32.data(); i < codeword.size(); ++i)
        block.flip_symbol(i / 2, 2 * w + i % 2, codeword[i]);
    }
  } else if (mode == EccMode::strong) {
    for (unsigned w = 0; w < strong_codewords; ++w) {
      auto codeword = strong_codeword(block, w);
      rs_19_16.encode(codeword);
      for (unsigned c = data_chips; c < block_chips; ++c) block.flip_symbol(c, w, codeword[c]);
      block.third[w] = codeword[block_chips];
    }
  }
}

DecodeResult DualModeCodec::decode(EccMode mode, MemoryBlock& block) const {
  BlockFix fix;
  bool correctable = true;
  if (mode == EccMode::normal) correctable = fix_normal(profile_, block, fix);
  if (mode == EccMode::strong) correctable = fix_strong(profile_, block, fix);
  if (correctable) {
    block ^= fix.errors;
  } else {
    fix.result.outcome = DecodeResult::Outcome::uncorrectable;
    fix.result.chips = 0;
  }
  return fix.result;
}

}  // namespace asterism
