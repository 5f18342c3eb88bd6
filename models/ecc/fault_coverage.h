// The coverage of the codes for failures of one or two chips: the shares of blocks in which errors are
// corrected (DCE), detected but not corrected (DUE) or silent (SDC), by Monte Carlo and exactly
// (abeyratne2017 section 4.6.2, Table 4.4).
//
// Chips are drawn uniformly, the second one different from the first. Each fault has a uniform place in its
// chip; its errors are those of fault_pattern.h. The profiles differ as follows:
//
//   thesis        faults that do not reach every codeword are in the same one. A block is SDC if any of its
//                 codewords is miscorrected, even if another one is uncorrectable; otherwise DUE if one is
//                 uncorrectable; otherwise DCE
//   strict, chip  faults are placed independently. A block is DUE if DualModeCodec reports so, DCE if the
//                 delivered data are those written, and otherwise SDC
//
// Codes: RS(36,32) is normal mode. RS(18,16) only detects: any syndrome is DUE. RS(19,16) is strong mode,
// without errors in the third symbols. Chipkill (chipkill.h) is decoded beat by beat, with faults in one of
// 36 chips.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/enum_names.h"
#include "ecc/dual_mode_codec.h"
#include "ecc/fault_pattern.h"

namespace asterism {

enum class CoverageCode { rs_36_32, rs_18_16, rs_19_16, chipkill };
constexpr auto enum_names(CoverageCode) {
  return std::to_array<EnumName<CoverageCode>>(
      {{CoverageCode::rs_36_32, "rs_36_32", "normal mode: two codewords per block"},
       {CoverageCode::rs_18_16, "rs_18_16", "strong mode before the third symbol is read: detection only"},
       {CoverageCode::rs_19_16, "rs_19_16", "strong mode with the third symbol: four codewords per block"},
       {CoverageCode::chipkill, "chipkill", "36 symbols of 4 bits in two ranks: a codeword per beat"}});
}

enum class FailureMode {
  bit,
  pin,
  word,
  chip,
  bit_bit,
  bit_pin,
  bit_word,
  bit_chip,
  pin_word,
  pin_pin,
  pin_chip,
  word_word,
  word_chip,
  chip_chip
};
constexpr auto enum_names(FailureMode) {
  using enum FailureMode;
  return std::to_array<EnumName<FailureMode>>({{bit, "bit", "one bit of one chip"},
                                               {pin, "pin", "one pin of one chip"},
                                               {word, "word", "one word of one chip"},
                                               {chip, "chip", "one chip"},
                                               {bit_bit, "bit+bit", "a bit in each of two chips"},
                                               {bit_pin, "bit+pin", "a bit and a pin of two chips"},
                                               {bit_word, "bit+word", "a bit and a word of two chips"},
                                               {bit_chip, "bit+chip", "a bit and all of another chip"},
                                               {pin_word, "pin+word", "a pin and a word of two chips"},
                                               {pin_pin, "pin+pin", "a pin of each of two chips"},
                                               {pin_chip, "pin+chip", "a pin and all of another chip"},
                                               {word_word, "word+word", "a word of each of two chips"},
                                               {word_chip, "word+chip", "a word and all of another chip"},
                                               {chip_chip, "chip+chip", "two chips"}});
}

struct FailureShapes {
  FaultShape first;
  std::optional<FaultShape> second;
};
FailureShapes shapes_of(FailureMode failure);

struct CoverageCounts {
  std::uint64_t corrected = 0, uncorrectable = 0, silent = 0;

  std::uint64_t trials() const { return corrected + uncorrectable + silent; }
  bool operator==(const CoverageCounts&) const = default;
};

// Draws `trials` blocks, or fewer if it is stopped. The same arguments give the same counts.
CoverageCounts measure_coverage(EccProfile profile, CoverageCode code, FailureMode failure,
                                std::uint64_t trials, std::uint64_t seed, const std::stop_token& stop = {});

struct CoverageShares {
  double corrected = 0, uncorrectable = 0, silent = 0;
};

// The shares to which the counts converge, by counting over GF(2): the errors whose syndromes are those of a
// correction elsewhere form the intersection of two spaces.
CoverageShares exact_coverage(EccProfile profile, CoverageCode code, FailureMode failure);

// The same for two faults that cover these bits (fault_pattern.h) of two chips; a mask of 0 means no fault.
struct PlacedFaults {
  unsigned chips[2] = {0, 1};
  std::uint32_t masks[2] = {0, 0};
};
CoverageShares exact_coverage(EccProfile profile, CoverageCode code, const PlacedFaults& faults);

// The 95% confidence interval of a share after this number of trials (Wilson, 1927).
struct Interval {
  double low = 0, high = 1;
};
Interval confidence_interval(std::uint64_t successes, std::uint64_t trials);

}  // namespace asterism
