// What the faults of memory devices in the field (models/ecc/fault_rates.h) do behind the codes of DDR5
// ranks.
#include <map>
#include <optional>

#include "ecc/fault_rates.h"
#include "platform/config/config.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct MemoryFaultsStudy {
  std::string faults = "jaguar_ddr2";
  std::string mode = "all";
  Ddr5Code code = Ddr5Code::rs_10_8_chip;
  bool on_die = false;
  std::uint64_t trials = 5'000;
  std::uint64_t seed = 1;
};
static_assert(member_count<MemoryFaultsStudy>() == 6);
void describe(Fields& f, MemoryFaultsStudy& c) {
  f("faults", c.faults, "The rates: a file in configs/faults.", names_file("faults"));
  f("mode", c.mode, "The mode or the class of errors by its name in the file, or all modes together.");
  f("code", c.code, "The code of the rank.", one_of<Ddr5Code>());
  f("on_die", c.on_die,
    "Whether each chip corrects a bit of its own word first. The shares are then drawn, not counted.");
  f("trials", c.trials, "The number of blocks drawn for each shape of a fault, with on_die.",
    within(1, 100'000'000'000));
  f("seed", c.seed, "The seed of the random numbers. Another one shows how much of the result is chance.");
}

class MemoryFaultsPoint final : public StudyPointOf<MemoryFaultsStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    rates_ = load_config<FaultRates>(library, "faults", config_.faults);
    std::string known = "all";
    bool is_known = config_.mode == "all";
    for (const FaultMode& mode : rates_.modes) {
      is_known = is_known || config_.mode == mode.name;
      known += ", " + mode.name;
    }
    for (const FieldErrors& errors : rates_.errors) {
      is_known = is_known || config_.mode == errors.name;
      known += ", " + errors.name;
    }
    if (!is_known)
      throw StudyMistake("mode", "expected one of the modes or errors of " + config_.faults + " (" + known +
                                     "), got \"" + config_.mode + "\"");
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const Ddr5Codec codec(config_.code);
    double fit = 0, corrected = 0, due = 0, sdc = 0, low = 0, high = 0;
    bool has_mode = false;
    for (const FaultMode& mode : rates_.modes) {
      if (config_.mode != "all" && config_.mode != mode.name) continue;
      const std::optional<Shares> drawn = of(codec, mode.covers, stop);
      if (!drawn) return empty_row("memory_faults");
      const Shares& shares = *drawn;
      has_mode = true;
      fit += mode.fit();
      corrected += mode.fit() * shares.mean.corrected;
      due += mode.fit() * shares.mean.uncorrectable;
      sdc += mode.fit() * shares.mean.silent;
      low += mode.fit() * shares.silent.low;
      high += mode.fit() * shares.silent.high;
    }
    std::vector<Cell> row(9);
    if (has_mode) row = {fit, corrected, due, sdc, low, high, due + sdc, codec.chips() * (due + sdc), {}};
    for (const FieldErrors& errors : rates_.errors)
      if (config_.mode == errors.name && errors.count != 0)
        row.back() = static_cast<double>(rates_.device_hours) / static_cast<double>(errors.count);
    return row;
  }

 private:
  struct Shares {
    CoverageShares mean;
    Interval silent;
  };
  // Nothing if the study is stopped before the first block is drawn.
  std::optional<Shares> of(const Ddr5Codec& codec, Ddr5Fault fault, const std::stop_token& stop) {
    const auto known = shares_.find(fault);
    if (known != shares_.end()) return known->second;
    Shares shares;
    if (!config_.on_die) {
      shares.mean = exact_coverage(codec, {fault, {}});
      shares.silent = {shares.mean.silent, shares.mean.silent};
      shares_.emplace(fault, shares);
      return shares;
    }
    const CoverageCounts counts =
        measure_coverage(codec, {fault, {}}, true, config_.trials, config_.seed, stop);
    if (counts.trials() == 0) return std::nullopt;
    const auto share = [&](std::uint64_t count) {
      return static_cast<double>(count) / static_cast<double>(counts.trials());
    };
    shares.mean = {share(counts.corrected), share(counts.uncorrectable), share(counts.silent)};
    shares.silent = confidence_interval(counts.silent, counts.trials());
    shares_.emplace(fault, shares);
    return shares;
  }

  FaultRates rates_;
  std::map<Ddr5Fault, Shares> shares_;
};

const RegisteredStudy memory_faults_study{
    {.name = "memory_faults",
     .meaning = "What faults of memory chips, at rates from the field, do behind the codes of DDR5 ranks",
     .coordinates = {"faults", "code", "on_die", "mode"},
     .columns = {{"faults_fit", "faults", "FIT", "Faults of a device in 10^9 hours", 2},
                 {"corrected_fit", "", "FIT", "Those that are corrected", 2},
                 {"due_fit", "DUE", "FIT", "Those that make blocks uncorrectable", 2},
                 {"sdc_fit", "SDC", "FIT", "Those that make blocks wrong without being detected", 4, 9},
                 {"sdc_low_fit", "", "FIT",
                  "The lower end of sdc_fit: with on_die the sum of 95% intervals (Wilson), otherwise exact"},
                 {"sdc_high_fit", "", "FIT", "The upper end of sdc_fit"},
                 {"uncorrected_fit", "", "FIT", "due_fit and sdc_fit together", 2},
                 {"rank_uncorrected_fit", "rank", "FIT", "The same of all chips of a rank", 2},
                 {"mtbe_h", "MTBE", "h",
                  "The mean time of a device between errors of a class that were counted in the field", 0}},
     .x = "",
     .y = "",
     .bars = {"due_fit", "sdc_fit"},
     .intervals = {{"sdc_fit", "sdc_low_fit", "sdc_high_fit"}},
     .make = make_study_point<MemoryFaultsPoint>}};

}  // namespace
}  // namespace asterism
