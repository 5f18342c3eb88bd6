// What the faults of memory devices in the field (models/ecc/fault_rates.h) do behind the codes of DDR5
// ranks and of HBM.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ecc/fault_pairs.h"
#include "ecc/hbm_faults.h"
#include "platform/config/config.h"
#include "platform/study/study_kind.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

enum class FaultyMemory { ddr5, hbm, counted };
constexpr auto enum_names(FaultyMemory) {
  return std::to_array<EnumName<FaultyMemory>>(
      {{FaultyMemory::ddr5, "ddr5", "the chips of a rank share a code"},
       {FaultyMemory::hbm, "hbm", "each die delivers sectors of 32 bytes with their own code"},
       {FaultyMemory::counted, "counted", "a fleet has counted its errors behind the codes that it has"}});
}

struct MemoryFaultsStudy {
  std::string faults = "jaguar_ddr2";
  std::string mode = "all";
  FaultyMemory memory = FaultyMemory::ddr5;
  SectorCode sector_code = SectorCode::symbol;
  std::uint32_t dies = 40, span_dies = 1;
  Ddr5Code code = Ddr5Code::rs_10_8_chip;
  bool on_die = false;
  LongDuration scrub_interval = long_duration(86'400), service_life = long_duration(5ull * 365 * 86'400);
  std::uint64_t trials = 5'000;
  std::uint64_t seed = 1;
};
static_assert(member_count<MemoryFaultsStudy>() == 12);
void describe(Fields& f, MemoryFaultsStudy& c) {
  const LongDuration century = long_duration(100ull * 365 * 86'400);
  f("faults", c.faults, "The rates: a file in configs/faults.", names_file("faults"));
  f("mode", c.mode,
    "A mode by its name in the file, or all together. With memory=counted it is a class of errors.");
  f("memory", c.memory,
    "What the faults are in. Those that reach all bits which a chip delivers reach all of a sector of HBM.",
    one_of<FaultyMemory>());
  f.when("memory", c.memory, FaultyMemory::ddr5, [&] {
    f("code", c.code, "The code of the rank.", one_of<Ddr5Code>());
    f("on_die", c.on_die,
      "Whether each chip corrects a bit of its own word first. The shares are then drawn, not counted.");
    f("scrub_interval", c.scrub_interval,
      "The time between two scrubs of a block. Until then a transient fault may meet another one.",
      within(long_duration(1), century));
    f("service_life", c.service_life,
      "How long chips are used. A permanent fault may meet others until then; nothing is repaired.",
      within(long_duration(3600), century));
  });
  f.when("memory", c.memory, FaultyMemory::hbm, [&] {
    f("sector_code", c.sector_code, "The code of a sector. Its shares are drawn.", one_of<SectorCode>());
    f.when("sector_code", c.sector_code, SectorCode::reach, [&] {
      f("span_dies", c.span_dies,
        "The number of dies to which the 72 chunks of a span are dealt. Up to eight dies, a fault of a row "
        "covers more chunks than the eight of parity fill in; nine are in two stacks of eight.",
        within(1, 72));
    });
    f("dies", c.dies, "The number of dies of a GPU: five stacks of eight have 40.", within(1, 1000));
    f.check([&] { return c.sector_code != SectorCode::reach || c.span_dies <= c.dies; }, "span_dies",
            "is at most `dies`");
  });
  f.when("memory", c.memory, {FaultyMemory::ddr5, FaultyMemory::hbm}, [&] {
    f("trials", c.trials,
      "The number of blocks drawn for each shape of a fault with on_die or of HBM, and for each two shapes.",
      within(1, 100'000'000'000));
    f("seed", c.seed, "The seed of the random numbers. Another one shows how much of the result is chance.");
  });
}

class MemoryFaultsPoint final : public StudyPointOf<MemoryFaultsStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    rates_ = load_config<FaultRates>(library, "faults", config_.faults);
    const HbmProtection protection{.code = config_.sector_code, .span_dies = config_.span_dies};
    of_hbm_.emplace(protection, config_.trials, config_.seed);
    std::string known;
    bool is_known = false;
    const auto add = [&](const std::string& name) {
      is_known = is_known || config_.mode == name;
      known += (known.empty() ? "" : ", ") + name;
    };
    if (is_counted()) {
      for (const FieldErrors& errors : rates_.errors) add(errors.name);
    } else {
      if (rates_.modes.empty())
        throw StudyMistake("faults", "expected a file with modes of faults, got " + config_.faults +
                                         ", whose errors were counted in the field; these are "
                                         "memory=counted, as in the study gpu_memory_errors");
      add("all");
      for (const FaultMode& mode : rates_.modes) add(mode.name);
    }
    if (!is_known)
      throw StudyMistake("mode", "expected one of the " + std::string(is_counted() ? "errors" : "modes") +
                                     " of " + config_.faults + " (" + known + "), got \"" + config_.mode +
                                     "\"");
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    if (is_counted()) return counted();
    const Ddr5Codec codec(config_.code);
    double fit = 0, corrected = 0, due = 0, sdc = 0;
    Interval of_due{0, 0}, of_sdc{0, 0};
    std::vector<double> corrected_shares;
    for (const FaultMode& mode : rates_.modes) {
      if (config_.mode != "all" && config_.mode != mode.name) continue;
      const std::optional<Shares> drawn = of(codec, mode, stop);
      if (!drawn) return empty_row("memory_faults");
      const Shares& shares = *drawn;
      corrected_shares.push_back(shares.mean.corrected);
      fit += mode.fit();
      corrected += mode.fit() * shares.mean.corrected;
      due += mode.fit() * shares.mean.uncorrectable;
      sdc += mode.fit() * shares.mean.silent;
      of_due.low += mode.fit() * shares.uncorrectable.low;
      of_due.high += mode.fit() * shares.uncorrectable.high;
      of_sdc.low += mode.fit() * shares.silent.low;
      of_sdc.high += mode.fit() * shares.silent.high;
    }
    double of_rank = (is_hbm() ? config_.dies : codec.chips()) * (due + sdc);
    std::vector<Cell> row(2);
    if (has_pairs()) {
      const PairRates pairs = pairs_of(codec, corrected_shares, stop);
      if (stop.stop_requested()) return empty_row("memory_faults");
      of_rank += pairs.due_fit + pairs.sdc_fit;
      row = {pairs.due_fit, pairs.sdc_fit};
    }
    row.insert(
        row.end(),
        {of_rank, due, sdc, of_due.low, of_due.high, of_sdc.low, of_sdc.high, due + sdc, fit, corrected, {}});
    return row;
  }

 private:
  struct Shares {
    CoverageShares mean;
    Interval uncorrectable, silent;
  };
  // Nothing if the study is stopped before the first block is drawn.
  std::optional<Shares> of(const Ddr5Codec& codec, const FaultMode& mode, const std::stop_token& stop) {
    if (is_hbm()) return with_interval(of_hbm_->of(mode, stop));
    const Ddr5Fault fault = mode.covers;
    const auto known = shares_.find(fault);
    if (known != shares_.end()) return known->second;
    std::optional<Shares> shares;
    if (config_.on_die) {
      shares = with_interval(measure_coverage(codec, {fault, {}}, true, config_.trials, config_.seed, stop));
      if (!shares) return shares;
    } else {
      const CoverageShares exact = exact_coverage(codec, {fault, {}});
      shares = Shares{exact, {exact.uncorrectable, exact.uncorrectable}, {exact.silent, exact.silent}};
    }
    shares_.emplace(fault, *shares);
    return shares;
  }
  static std::optional<Shares> with_interval(const CoverageCounts& counts) {
    if (counts.trials() == 0) return std::nullopt;
    return Shares{shares_of(counts), confidence_interval(counts.uncorrectable, counts.trials()),
                  confidence_interval(counts.silent, counts.trials())};
  }

  // Of a block with a fault in each of two chips.
  PairRates pairs_of(const Ddr5Codec& codec, const std::vector<double>& corrected,
                     const std::stop_token& stop) {
    std::map<std::pair<Ddr5Fault, Ddr5Fault>, CoverageShares> known;
    const auto shares = [&](Ddr5Fault a, Ddr5Fault b) {
      const auto [at, is_new] = known.try_emplace(std::minmax(a, b));
      if (!is_new) return at->second;
      const CoverageCounts counts =
          measure_coverage(codec, {a, b}, config_.on_die, config_.trials, config_.seed, stop);
      return at->second = shares_of(counts);
    };
    const auto hours = [](LongDuration time) { return seconds(time).count() / 3600; };
    return fault_pairs(rates_, codec.chips(), {hours(config_.scrub_interval), hours(config_.service_life)},
                       corrected, shares);
  }

  std::vector<Cell> counted() const {
    std::vector<Cell> row = empty_row("memory_faults");
    for (const FieldErrors& errors : rates_.errors)
      if (config_.mode == errors.name && errors.count != 0)
        row.back() = static_cast<double>(rates_.device_hours) / static_cast<double>(errors.count);
    return row;
  }

  static CoverageShares shares_of(const CoverageCounts& counts) {
    const auto share = [&](std::uint64_t count) {
      return counts.trials() == 0 ? 0 : static_cast<double>(count) / static_cast<double>(counts.trials());
    };
    return {share(counts.corrected), share(counts.uncorrectable), share(counts.silent)};
  }

  bool is_hbm() const { return config_.memory == FaultyMemory::hbm; }
  bool is_counted() const { return config_.memory == FaultyMemory::counted; }
  // All modes together, as each mode meets every other one.
  bool has_pairs() const { return !is_hbm() && config_.mode == "all" && rates_.array; }

  FaultRates rates_;
  std::map<Ddr5Fault, Shares> shares_;  // of DDR5
  std::optional<HbmCoverage> of_hbm_;
};

const RegisteredStudy memory_faults_study{
    {.name = "memory_faults",
     .meaning = "What faults of memory chips, at rates from the field, do behind the codes of DDR5 ranks and "
                "of HBM",
     .coordinates = {"faults", "memory", "code", "on_die", "sector_code", "mode"},
     .columns =
         {{"pair_due_fit", "pairs", "FIT",
           "Two faults that meet in a block of a rank, of which each alone is corrected, and that make "
           "it uncorrectable",
           3, with_exponent},
          {"pair_sdc_fit", "silent", "FIT", "Those that make it wrong without being detected", 3,
           with_exponent},
          {"rank_uncorrected_fit", "rank", "FIT",
           "What is left of all chips of a rank and of pairs, or of all dies of a GPU", 2},
          {"due_fit", "DUE", "FIT", "Faults of a device in 10^9 hours that make blocks uncorrectable", 2},
          {"sdc_fit", "SDC", "FIT", "Those that make blocks wrong without being detected", 4, with_exponent},
          {"due_low_fit", "", "FIT",
           "The lower end of due_fit: of shares that are drawn, the sum of 95% intervals (Wilson), "
           "otherwise exact"},
          {"due_high_fit", "", "FIT", "The upper end of due_fit"},
          {"sdc_low_fit", "", "FIT", "The lower end of sdc_fit, likewise"},
          {"sdc_high_fit", "", "FIT", "The upper end of sdc_fit"},
          {"uncorrected_fit", "", "FIT", "due_fit and sdc_fit together", 2},
          {"faults_fit", "faults", "FIT", "Faults of a device in 10^9 hours", 2},
          {"corrected_fit", "", "FIT", "Those that are corrected", 2},
          {"mtbe_h", "MTBE", "h",
           "The mean time of a device between errors of a class that were counted in the field", 0}},
     .x = "",
     .y = "",
     .bars = {"rank_uncorrected_fit", "sdc_fit", "pair_sdc_fit", "mtbe_h"},
     .logarithmic = {"rank_uncorrected_fit", "sdc_fit", "pair_sdc_fit"},
     .intervals = {{"due_fit", "due_low_fit", "due_high_fit"}, {"sdc_fit", "sdc_low_fit", "sdc_high_fit"}},
     .make = make_study_point<MemoryFaultsPoint>}};

}  // namespace
}  // namespace asterism
