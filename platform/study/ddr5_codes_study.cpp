// The codes of DDR5 ranks under failures of one chip and of two (models/ecc/ddr5_coverage.h).
#include <optional>

#include "ecc/ddr5_coverage.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct Ddr5CodesStudy {
  Ddr5Code code = Ddr5Code::chip_guard;
  Ddr5Fault fault = Ddr5Fault::chip;
  std::optional<Ddr5Fault> second_fault = {};
  std::uint32_t hash_bits = Ddr5Codec::default_hash_bits;
  bool on_die = false;
  std::uint64_t trials = 100'000;
  std::uint64_t seed = 1;
};
static_assert(member_count<Ddr5CodesStudy>() == 7);
void describe(Fields& f, Ddr5CodesStudy& c) {
  f("code", c.code, "The code of the rank.", one_of<Ddr5Code>());
  f("fault", c.fault, "What fails in a chip.", one_of<Ddr5Fault>());
  f("second_fault", c.second_fault, "What fails in another chip. Without it, only one chip fails.",
    one_of<Ddr5Fault>());
  f.when("code", c.code, Ddr5Code::chip_guard, [&] {
    f("hash_bits", c.hash_bits,
      "The length of the hash of chip_guard. Each bit less doubles what it misses, and is one more of "
      "metadata.",
      within(40, 64));
  });
  f("on_die", c.on_die,
    "Whether each chip corrects a bit of its own word first. It may add a third wrong bit to two.");
  f("trials", c.trials,
    "The number of blocks drawn. Ten times as many make the confidence interval a third as wide.",
    within(1, 100'000'000'000));
  f("seed", c.seed, "The seed of the random numbers. Another one shows how much of the result is chance.");
}

class Ddr5CodesPoint final : public StudyPointOf<Ddr5CodesStudy> {
 public:
  std::vector<Cell> run(const std::stop_token& stop) override {
    const Ddr5Codec codec(config_.code, config_.hash_bits);
    const Ddr5Failure failure{config_.fault, config_.second_fault};
    const CoverageCounts counts =
        measure_coverage(codec, failure, config_.on_die, config_.trials, config_.seed, stop);
    if (counts.trials() == 0) return empty_row("ddr5_codes");
    const auto share = [&](std::uint64_t count) {
      return static_cast<double>(count) / static_cast<double>(counts.trials());
    };
    const Interval silent = confidence_interval(counts.silent, counts.trials());
    std::vector<Cell> row = {share(counts.corrected), share(counts.uncorrectable), share(counts.silent),
                             silent.low, silent.high};
    if (config_.on_die) {
      row.resize(row.size() + 3);
    } else {
      const CoverageShares exact = exact_coverage(codec, failure);
      row.insert(row.end(), {exact.corrected, exact.uncorrectable, exact.silent});
    }
    row.insert(row.end(), {counts.corrected, counts.uncorrectable, counts.silent});
    return row;
  }
};

const RegisteredStudy ddr5_codes_study{
    {.name = "ddr5_codes",
     .meaning = "How the codes of DDR5 ranks decode failures of one or two chips: measured and exact",
     .coordinates = {"code", "fault", "second_fault"},
     .columns = {{"dce_share", "DCE", "", "The share of blocks whose errors are corrected", 4},
                 {"due_share", "DUE", "", "The share of blocks that are detected as wrong", 4},
                 {"sdc_share", "SDC", "", "The share of blocks that are wrong without being detected", 6},
                 {"sdc_low", "from", "", "95% confidence interval of sdc_share (Wilson)", 6},
                 {"sdc_high", "to", "", "95% confidence interval of sdc_share (Wilson)", 6},
                 {"exact_dce_share", "", "", "The value that dce_share converges to, by counting"},
                 {"exact_due_share", "exact DUE", "", "The value that due_share converges to, by counting", 4,
                  with_exponent},
                 {"exact_sdc_share", "exact SDC", "", "The value that sdc_share converges to, by counting", 4,
                  with_exponent},
                 {"corrected", "", "", "Blocks of dce_share"},
                 {"uncorrectable", "", "", "Blocks of due_share"},
                 {"silent", "", "", "Blocks of sdc_share"}},
     .x = "",
     .y = "",
     .bars = {"sdc_share", "exact_due_share", "exact_sdc_share"},
     .logarithmic = {"exact_due_share", "exact_sdc_share"},
     .intervals = {{"sdc_share", "sdc_low", "sdc_high"}},
     .signs = {{"sdc_share", "", "exact_sdc_share"}},
     .make = make_study_point<Ddr5CodesPoint>}};

}  // namespace
}  // namespace asterism
