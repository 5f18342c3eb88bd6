// The coverage of the codes of DDR5 ranks (ddr5_codec.h) for failures of one chip or of two: the shares of
// blocks that are corrected, uncorrectable or silent, by Monte Carlo with the real decoder and exactly.
//
// A fault covers some of a chip's 64 bits of a block, at a uniform place in a uniform chip; the second chip
// differs from the first. Each covered bit is wrong with probability 1/2, and at least one of them is.
//
//   bit         one bit, as of a cell or a column
//   beat        the four bits of a beat
//   pin         one pin in all 16 beats
//   two_pins    two pins in all beats: a bounded fault
//   half_burst  all pins in beats 0 to 7, or 8 to 15: a bounded fault
//   chip        all bits
//
// With on-die ECC each chip decodes its own word first (on_die_code.h). A fault of the whole chip then also
// reaches the bits that are not delivered, and the check bits.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/enum_names.h"
#include "base/random.h"
#include "ecc/ddr5_codec.h"
#include "ecc/fault_coverage.h"
#include "ecc/on_die_code.h"

namespace asterism {

enum class Ddr5Fault { bit, beat, pin, two_pins, half_burst, chip };
constexpr auto enum_names(Ddr5Fault) {
  using enum Ddr5Fault;
  return std::to_array<EnumName<Ddr5Fault>>({{bit, "bit", "one bit"},
                                             {beat, "beat", "the four bits of a beat"},
                                             {pin, "pin", "one pin in every beat"},
                                             {two_pins, "two_pins", "two pins in every beat"},
                                             {half_burst, "half_burst", "every pin in a half of the burst"},
                                             {chip, "chip", "all bits of the chip"}});
}
// The bits that the fault may cover, a mask for each place.
std::vector<std::uint64_t> places(Ddr5Fault fault);

// Draws the wrong bits among those that are covered; `mask` is not 0.
constexpr std::uint64_t draw_wrong_bits(std::uint64_t mask, Random& random) {
  std::uint64_t errors = 0;
  while (errors == 0) errors = random.next() & mask;
  return errors;
}

// Draws the wrong bits of a chip's whole word with on-die ECC: a fault of the chip, whose mask has
// all bits, also reaches the bits that are not delivered and the check bits.
OnDieWord draw_wrong_word(std::uint64_t mask, Random& random);

struct Ddr5Failure {
  Ddr5Fault first = Ddr5Fault::chip;
  std::optional<Ddr5Fault> second = {};  // in another chip
};

// Draws `trials` blocks, or fewer if it is stopped. The same arguments give the same counts.
CoverageCounts measure_coverage(const Ddr5Codec& codec, const Ddr5Failure& failure, bool on_die,
                                std::uint64_t trials, std::uint64_t seed, const std::stop_token& stop = {});

// The shares to which the counts converge without on-die ECC, by counting over GF(2) (exact_coverage.cpp):
// 2^(d - r) of 2^d errors have a syndrome in a space, if r of their syndromes are independent of each other
// and of the space. An error that two corrections explain is counted by inclusion and exclusion.
CoverageShares exact_coverage(const Ddr5Codec& codec, const Ddr5Failure& failure);

}  // namespace asterism
