// What codes of HBM do to a share of wrong bits, and what they cost: the code on the die, one long
// Reed-Solomon code in the controller, and the two-level code of REACH.
//
//   on_die   RS(19,17) over GF(2^16) (sector_code.h): 32 bytes are decoded alone, and nothing else is
//            transferred
//   long_rs  one code over a span, of the same rate as the two-level one: RS(1296,1024) over GF(2^16). Every
//            read needs all of it
//   reach    two_level_span.h
//
// Wrong bits are independent. The probabilities follow from the distances of the codes by binomial sums, per
// read of 32 bytes. Silent errors are those of words that are taken for another codeword; their share is that
// of wrong symbols with uniform values, by the weights of a code with the greatest possible distance
// (MacWilliams and Sloane, chapter 11). For `long_rs` it is below 1/136! and left out, and for `reach` it is
// that of the inner code.
//
// Costs are counted in transfers of 32 bytes, and throughput is relative to a memory that transfers nothing
// but data, which is `on_die` without errors. Decoders keep up with the memory.
#pragma once

#include <cstdint>
#include <stop_token>

#include "base/enum_names.h"
#include "ecc/two_level_span.h"

namespace asterism {

enum class HbmCode : std::uint8_t { on_die, long_rs, reach };
constexpr auto enum_names(HbmCode) {
  return std::to_array<EnumName<HbmCode>>(
      {{HbmCode::on_die, "on_die", "RS(19,17) on the die of HBM3, 16-bit symbols"},
       {HbmCode::long_rs, "long_rs", "one Reed-Solomon code over the whole span, in the controller"},
       {HbmCode::reach, "reach", "a code of each 32 bytes, and erasures over the span, in the controller"}});
}

// Which chunks of a span a sequential read transfers: the parity with the data, or only if one is flagged.
enum class ParityReads : std::uint8_t { always, on_failure };
constexpr auto enum_names(ParityReads) {
  return std::to_array<EnumName<ParityReads>>(
      {{ParityReads::always, "always", "The parity is read with the data of its span."},
       {ParityReads::on_failure, "on_failure", "The parity is read if a chunk has been flagged."}});
}

struct HbmCodeConfig {
  HbmCode code = HbmCode::reach;
  TwoLevelConfig span = {};
  ParityReads parity_reads = ParityReads::always;
};

struct HbmFailures {
  double uncorrectable = 0, silent = 0;  // reads of 32 bytes
  double flagged = 0;                    // chunks that need the outer code
};
HbmFailures hbm_failures(const HbmCodeConfig& config, double bit_errors);

// The highest share of wrong bits at which at most `failures` of the reads are uncorrectable or silent.
double tolerated_bit_errors(const HbmCodeConfig& config, double failures);

// Shares of the data that are accessed in each way; the rest is read sequentially.
struct HbmAccesses {
  double random_reads = 0, random_writes = 0;
};
// Bytes of data by bytes transferred.
double hbm_throughput(const HbmCodeConfig& config, const HbmAccesses& accesses, double bit_errors);

// Reads of one chunk of a span that was written, with these wrong bits; all are encoded and decoded.
struct HbmTrials {
  std::uint64_t trials = 0, correct = 0, rebuilt = 0, uncorrectable = 0, silent = 0;
};
HbmTrials try_hbm_code(const HbmCodeConfig& config, double bit_errors, std::uint64_t trials,
                       std::uint64_t seed, const std::stop_token& stop = {});

// The share of words with `wrong` wrong symbols that a code of `length` symbols with `checks` check symbols
// over GF(order + 1) takes for another codeword, if it corrects `corrects` symbols.
double miscorrected_share(unsigned length, unsigned checks, double order, unsigned corrects, unsigned wrong);

}  // namespace asterism
