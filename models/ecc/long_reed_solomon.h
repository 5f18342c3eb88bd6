// Reed-Solomon codes of any length over a GaloisField: errors in unknown places, and erasures in known ones.
// reed_solomon.h has the short codes of the dual-mode memory, which correct one symbol in a few operations.
//
//   LongReedSolomon code(GaloisField::of_symbols(), 72, 8);   RS(72,64)
//   code.encode(codeword);                                    sets the last 8 symbols
//   code.decode(codeword, {.erased = places});                corrects up to 8 erased symbols
//   code.decode(codeword, {.max_errors = 4});                 ... or up to 4 wrong ones
//
// With `checks` parity symbols a word is corrected if 2 * errors + erasures <= checks. A lower max_errors
// leaves the rest of the distance to detection: a word with at most checks - max_errors wrong symbols is
// never taken for another codeword.
//
// Row j of the parity-check matrix is alpha^(i*j*stride), j from 0, at position i; with a stride of 1, as in
// reed_solomon.h. The distance is the same for each stride, but not how often errors of a few bits look like
// another symbol's: with consecutive powers that is far more often than by chance, since bits of a symbol are
// multiplied by powers of alpha, too.
//
// Sources: Blahut, "Theory and Practice of Error Control Codes", 1983: the algorithm of Berlekamp and Massey
// with erasures, and Forney's for the values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ecc/galois_field.h"

namespace asterism {

class LongReedSolomon {
 public:
  using Symbol = std::uint16_t;
  // Throws std::invalid_argument unless 0 < checks < length <= the order of the field, to which the stride is
  // relatively prime.
  LongReedSolomon(const GaloisField& field, unsigned length, unsigned checks, unsigned stride = 1);

  unsigned length() const { return length_; }
  unsigned checks() const { return checks_; }
  unsigned data() const { return length_ - checks_; }

  void encode(std::span<Symbol> codeword) const;
  std::vector<Symbol> syndromes(std::span<const Symbol> codeword) const;

  enum class Outcome : std::uint8_t { clean, corrected, uncorrectable };
  struct How {
    std::span<const unsigned> erased = {};  // positions, each once
    unsigned max_errors = ~0u;              // at others
  };
  // An uncorrectable word stays as received.
  Outcome decode(std::span<Symbol> codeword, const How& how) const;

  // The change of the parity symbols when the data symbol at `position` changes by `change`: the code is
  // linear, so that a write needs the old data and the old parity, but no other data.
  std::vector<Symbol> parity_change(unsigned position, Symbol change) const;

 private:
  using Polynomial = std::vector<Symbol>;  // coefficients, the lowest first
  Polynomial locator(std::span<const Symbol> syndromes, std::span<const unsigned> erased,
                     unsigned& errors) const;
  Symbol locator_of(unsigned position) const { return field_.power(std::uint64_t{stride_} * position); }
  Symbol value(const Polynomial& polynomial, Symbol x) const;
  bool correct(std::span<Symbol> codeword, std::span<const Symbol> syndromes,
               const Polynomial& locator) const;

  const GaloisField& field_;
  unsigned length_, checks_, stride_;
};

}  // namespace asterism
