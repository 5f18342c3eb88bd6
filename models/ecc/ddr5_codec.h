// Codes over the x4 chips of a DDR5 rank, for blocks of 64 bytes in the layout of ddr5_block.h.
//
//   rs_10_8           RS(10,8) over GF(2^8): eight codewords of two beats each, one symbol a chip. Each
//                     codeword corrects one symbol, whichever chip it is in
//   rs_10_8_chip      the same, and all codewords that correct must agree on the chip
//   rs_40_32          RS(40,32): two codewords of eight beats each, a symbol for each pin. Corrects all four
//                     symbols of one chip, on which both codewords must agree
//   chip_guard        a parity chip and a hash: one codeword of the whole burst. Corrects all bits of a chip
//   rs_36_32          nine chips. RS(36,32): two codewords of eight beats each, a symbol for each pin. Each
//                     codeword corrects any two symbols
//   rs_36_32_bounded  the same, but corrects only two pins of one chip, on which both codewords must agree:
//                     bounded faults and nothing else
//
// Position i of a Reed-Solomon code has the locator alpha^i; row j of the parity-check matrix is alpha^(i*j)
// (reed_solomon.h). Symbol w of a chip in RS(10,8) is byte w of its word. In RS(40,32) and RS(36,32) bit k of
// the symbol of pin p of chip c, at position 4c + p, is beat 8w + k.
//
// Chip Guard (Bennett, arXiv 2301.07271) protects 8 + 2 x4 chips with bursts of 64 bits so that all bounded
// faults of a chip are corrected, and fails for unbounded faults of one chip, or misses faults of several,
// with a probability below 10^-12. This construction has these properties; its details are our own. Chip 8
// is the XOR of all other chips. Chip 9 holds metadata (its upper bits; here 0) and `hash_bits` check bits,
// which make sum of H_c(word of chip c) = 0, where H_c(x) is the lower hash_bits of g_c * x in GF(2^64), with
// the polynomial x^64 + x^4 + x^3 + x + 1. The parity's syndrome is then the error itself, and the hash names
// its chip. g_8 is 0. The others are random numbers (base/random.h) of the least seed with which no bounded
// error (below) of a chip has the hash of the same error of another one, and, from 44 bits on, no errors in
// one pin of each of two chips look like those of a third chip. With 64 bits no error of a chip is
// ambiguous.
//
// A bounded fault is confined to two pins, or to a half of the burst: 32 of the 64 bits (Criss et al., MEMSYS
// 2020, as summarized by Bennett's RS_boundedFaultReliability).
//
// All codes are decoded in one way. A codeword's syndrome is a linear function of its bits; the errors that
// the code corrects are some spaces of bits, its candidates. Exactly one correctable error must have the
// syndrome. If a codeword has none, or several, the block is uncorrectable and stays as received.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/enum_names.h"
#include "ecc/binary_space.h"
#include "ecc/ddr5_block.h"

namespace asterism {

enum class Ddr5Code { rs_10_8, rs_10_8_chip, rs_40_32, chip_guard, rs_36_32, rs_36_32_bounded };
constexpr auto enum_names(Ddr5Code) {
  using enum Ddr5Code;
  return std::to_array<EnumName<Ddr5Code>>(
      {{rs_10_8, "rs_10_8", "ten chips: eight codewords, each corrects a symbol of any chip"},
       {rs_10_8_chip, "rs_10_8_chip", "ten chips: the same, if all that correct agree on the chip"},
       {rs_40_32, "rs_40_32", "ten chips: two codewords, which correct all symbols of the same chip"},
       {chip_guard, "chip_guard", "ten chips: a parity chip and a hash, which correct one chip"},
       {rs_36_32, "rs_36_32", "nine chips: two codewords, each corrects two symbols anywhere"},
       {rs_36_32_bounded, "rs_36_32_bounded",
        "nine chips: the same, if they are two pins of the same chip"}});
}

constexpr unsigned chips_of(Ddr5Code code) {
  return code == Ddr5Code::rs_36_32 || code == Ddr5Code::rs_36_32_bounded ? 9 : ddr5_chips;
}

struct Ddr5Result {
  enum class Outcome { clean, corrected, uncorrectable };
  Outcome outcome = Outcome::clean;
  std::uint32_t chips = 0;  // bit c: bits of chip c were changed. 0 when uncorrectable

  bool operator==(const Ddr5Result&) const = default;
};

// Masks of a chip's 64 bits.
constexpr std::uint64_t pin_bits(unsigned pin) { return 0x1111'1111'1111'1111u << pin; }
// The errors to which bounded faults are confined: two pins, or a half of the burst.
std::vector<std::uint64_t> bounded_masks();

class Ddr5Codec {
 public:
  static constexpr unsigned default_hash_bits = 44;

  // `hash_bits`, 40 to 64, are those of chip_guard. Throws std::invalid_argument outside this range.
  explicit Ddr5Codec(Ddr5Code code, unsigned hash_bits = default_hash_bits);

  Ddr5Code code() const { return code_; }
  unsigned chips() const { return chips_; }
  unsigned codewords() const { return 64 / codeword_bits_; }
  unsigned codeword_bits() const { return codeword_bits_; }  // of a chip
  bool must_agree() const { return must_agree_; }

  // Sets the check bits from the data; metadata stay.
  void encode(Ddr5Block& block) const;
  Ddr5Result decode(Ddr5Block& block) const;
  // Zero for a block without errors; of each codeword.
  BinaryVector syndrome(const Ddr5Block& block, unsigned codeword) const;

  // What the counting of errors needs (ddr5_coverage.h); bits are those of codeword 0. A part is a symbol, or
  // all bits of a chip.
  struct Part {
    unsigned chip;
    std::uint64_t mask;
  };
  BinaryVector column(unsigned chip, unsigned bit) const { return columns_[chip][bit]; }
  const std::vector<Part>& parts() const { return parts_; }
  // Two parts that may be wrong together. If there are none, only single parts are corrected.
  const std::vector<std::pair<unsigned, unsigned>>& pairs() const { return pairs_; }

 private:
  struct Row {
    BinaryVector syndrome;
    std::uint64_t errors[2];
    unsigned pivot;
  };
  // A space of correctable errors, in at most two chips.
  struct Candidate {
    unsigned chips[2];
    std::vector<Row> rows;  // by falling pivot
  };
  struct Fix {
    unsigned chips[2] = {0, 0};
    std::uint64_t errors[2] = {0, 0};
    bool operator==(const Fix&) const = default;
  };

  void make_reed_solomon(unsigned checks, bool symbol_per_pin);
  void make_chip_guard(unsigned hash_bits);
  Candidate candidate(const std::vector<Part>& parts) const;
  static std::optional<Fix> explain(const Candidate& candidate, BinaryVector syndrome);
  // The only correctable error with this syndrome.
  std::optional<Fix> fix(const BinaryVector& syndrome) const;

  Ddr5Code code_;
  unsigned chips_, codeword_bits_ = 64;
  bool must_agree_ = false;
  std::array<std::array<BinaryVector, 64>, ddr5_chips> columns_{};
  std::vector<Part> parts_;
  std::vector<std::pair<unsigned, unsigned>> pairs_;
  std::vector<Candidate> candidates_;
  Candidate checks_;  // the check bits, as if they were wrong
};

}  // namespace asterism
