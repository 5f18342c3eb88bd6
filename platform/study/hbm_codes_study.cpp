// What codes of HBM tolerate and what they cost (models/ecc/hbm_codes.h).
#include <cmath>

#include "ecc/hbm_codes.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct HbmCodesStudy {
  HbmCodeConfig code = {};
  double bit_errors = 0;
  HbmAccesses accesses = {};
  double failures = 4.4e-8;
  std::uint64_t trials = 0;
  std::uint64_t seed = 1;
};
static_assert(member_count<HbmCodesStudy>() == 6 && member_count<HbmCodeConfig>() == 3 &&
              member_count<TwoLevelConfig>() == 3 && member_count<HbmAccesses>() == 2);
void describe(Fields& f, HbmCodesStudy& c) {
  f("code", c.code.code, "The code.", one_of<HbmCode>());
  f("bit_errors", c.bit_errors, "The share of bits that are wrong, each independently.", within(0.0, 0.1));
  f.when("code", c.code.code, {HbmCode::long_rs, HbmCode::reach}, [&] {
    f("data_chunks", c.code.span.data_chunks,
      "The chunks of 32 bytes of data in a span. Longer spans need less parity for the same failures, and "
      "more transfers where a chunk is accessed alone.",
      within(1, 1024));
    f("parity_chunks", c.code.span.parity_chunks,
      "The chunks of parity of a span. Each fills in one chunk that is flagged.", within(1, 256));
  });
  f.when("code", c.code.code, HbmCode::reach, [&] {
    f("inner_corrects", c.code.span.inner_corrects,
      "The wrong bytes that are corrected in a chunk. With more of them fewer chunks are flagged, and more "
      "are "
      "corrected wrongly.",
      at_most(2));
    f("parity_reads", c.code.parity_reads, "When a sequential read transfers the parity of its span.",
      one_of<ParityReads>());
  });
  f("random_reads", c.accesses.random_reads, "The share of data that is read 32 bytes at a time.",
    within(0.0, 1.0));
  f("random_writes", c.accesses.random_writes,
    "The share of data that is written 32 bytes at a time. The rest is read sequentially.", within(0.0, 1.0));
  f.check(c.accesses.random_reads + c.accesses.random_writes <= 1, "random_writes",
          "is at most 1 together with random_reads");
  f("failures", c.failures,
    "The share of reads of 32 bytes that may be uncorrectable or silent, for tolerated_bit_errors. By "
    "default "
    "it is what the code on the die has with one wrong bit in a million.",
    within(1e-30, 0.1));
  f("trials", c.trials,
    "The number of reads that are encoded and decoded beside the sums; 0 leaves them out. A span of long_rs "
    "takes 10 ms.",
    at_most(1'000'000'000));
  f("seed", c.seed, "The seed of the trials.");
}

class HbmCodesPoint final : public StudyPointOf<HbmCodesStudy> {
 public:
  std::vector<Cell> run(const std::stop_token& stop) override {
    const HbmFailures failures = hbm_failures(config_.code, config_.bit_errors);
    const double tolerated = tolerated_bit_errors(config_.code, config_.failures);
    std::vector<Cell> row{100 * hbm_throughput(config_.code, config_.accesses, config_.bit_errors),
                          failures.uncorrectable,
                          failures.silent,
                          failures.flagged,
                          tolerated,
                          tolerated > 0 ? Cell(std::log10(tolerated)) : Cell()};
    const HbmTrials trials =
        try_hbm_code(config_.code, config_.bit_errors, config_.trials, config_.seed, stop);
    if (trials.trials == 0) {
      row.resize(row.size() + 4);
    } else {
      for (const std::uint64_t count : {trials.correct, trials.rebuilt, trials.uncorrectable, trials.silent})
        row.emplace_back(count);
    }
    return row;
  }
};

const RegisteredStudy hbm_codes_study{
    {.name = "hbm_codes",
     .meaning = "The errors that codes of HBM tolerate, and the transfers that they cost",
     .coordinates = {"code", "bit_errors"},
     .columns = {{"throughput_percent", "throughput", "%",
                  "Data by transfers; 100% without a code on the link", 1},
                 {"uncorrectable", "uncorrectable", "", "Share of reads of 32 bytes that are uncorrectable",
                  3, with_exponent},
                 {"silent", "silent", "", "Share of reads of 32 bytes that are wrong without being detected",
                  3, with_exponent},
                 {"flagged", "flagged", "", "Share of chunks that need the outer code", 4, with_exponent},
                 {"tolerated_bit_errors", "tolerated", "",
                  "Share of wrong bits with which at most `failures` of the reads fail", 4, with_exponent},
                 {"tolerated_exponent", "", "", "The logarithm to base 10 of tolerated_bit_errors"},
                 {"correct", "", "", "Trials that delivered the right data"},
                 {"rebuilt", "", "", "Trials that needed the outer code"},
                 {"trials_uncorrectable", "", "", "Trials that were uncorrectable"},
                 {"trials_silent", "", "", "Trials that delivered wrong data"}},
     .x = "bit_errors",
     .y = "throughput_percent",
     .x_key = "bit_errors",
     .bars = {"throughput_percent", "tolerated_bit_errors"},
     .logarithmic = {"bit_errors", "uncorrectable", "silent", "tolerated_bit_errors"},
     .beside_y = {"uncorrectable", "silent"},
     .make = make_study_point<HbmCodesPoint>}};

}  // namespace
}  // namespace asterism
