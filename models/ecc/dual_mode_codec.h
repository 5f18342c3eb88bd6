// The dual-mode memory code (abeyratne2017 section 4.4): Reed-Solomon codes over GF(2^8), polynomial 0x11D,
// first root alpha^0, on blocks in the layout of memory_block.h.
//
//   normal   two RS(36,32): codeword 0 holds symbols 0 and 1 of each chip, codeword 1 symbols 2 and 3; symbol
//            p of chip c stands at position 2c + p % 2. Corrects one symbol a codeword, detects three.
//   strong   four codewords of two beats each, symbol p of chip c at position c of codeword p. RS(18,16), on
//            the symbols in the rank, only detects errors. If one codeword has an error, the third parity
//            symbols, position 18, are read, and all four RS(19,16) correct one symbol each and detect two.
//            RS(18,16) is embedded: its two syndromes are the first two of RS(19,16) and do not depend on the
//            third symbol.
//
// Position i has the locator alpha^i; row j of a parity-check matrix is alpha^(i*j), and (0, 0, 1) the column
// of position 18 (reed_solomon.h). The profile determines what the decoder corrects with the same storage:
//
//   thesis   a codeword whose syndromes are those of one wrong symbol is corrected. If its location is
//            outside the code, nothing is changed and it counts as corrected
//   strict   such a location is uncorrectable
//   chip     as strict. If a normal codeword is then uncorrectable, each codeword with an error is solved for
//            both symbols of one chip, and all must yield the same chip. It thus corrects all that strict
//            does (single symbols of two codewords may be in two chips). In strong mode a chip has one symbol
//            per codeword, and chip equals strict
//
// In every profile a block with an uncorrectable codeword is uncorrectable as a whole and stays as received:
// the corrections of other codewords are not applied. Outcome, chips and used_third result from all
// codewords; syndromes are given for all.
#pragma once

#include <array>
#include <cstdint>

#include "base/enum_names.h"
#include "ecc/memory_block.h"

namespace asterism {

enum class EccMode { none, normal, strong };
constexpr auto enum_names(EccMode) {
  return std::to_array<EnumName<EccMode>>(
      {{EccMode::none, "none", "no code: every fault is silent"},
       {EccMode::normal, "normal", "RS(36,32): corrects small faults of a chip, detects a dead one"},
       {EccMode::strong, "strong",
        "RS(18,16), then RS(19,16): corrects a dead chip, at the cost of extra accesses"}});
}

enum class EccProfile { thesis, strict, chip };
constexpr auto enum_names(EccProfile) {
  return std::to_array<EnumName<EccProfile>>(
      {{EccProfile::thesis, "thesis",
        "as published: an error location outside the shortened code counts as corrected"},
       {EccProfile::strict, "strict", "an error location outside the shortened code is uncorrectable"},
       {EccProfile::chip, "chip",
        "as strict, and RS(36,32) also corrects both symbols of one chip if the two codewords agree on it"}});
}

struct DecodeResult {
  enum class Outcome { clean, corrected, uncorrectable };
  Outcome outcome = Outcome::clean;
  // Bit c: symbols of chip c were changed; bit 18: third parity symbols. 0 when uncorrectable.
  std::uint32_t chips = 0;
  bool used_third = false;  // strong: RS(18,16) found an error
  // syndromes[w] are those of codeword w: normal 4 symbols, w < 2; strong 3, or 2 if the third was not used.
  // The rest is 0.
  std::array<std::array<std::uint8_t, 4>, 4> syndromes{};

  bool operator==(const DecodeResult&) const = default;
};

class DualModeCodec {
 public:
  explicit DualModeCodec(EccProfile profile) : profile_(profile) {}

  EccProfile profile() const { return profile_; }

  // Sets parity, and in strong mode the third symbols, from the data. Mode none sets them to 0.
  static void encode(EccMode mode, MemoryBlock& block);
  // Corrects in place; an uncorrectable block stays as received. Mode none is always clean.
  DecodeResult decode(EccMode mode, MemoryBlock& block) const;

 private:
  EccProfile profile_;
};

}  // namespace asterism
