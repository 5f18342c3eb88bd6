// What the faults of memory devices in the field (models/ecc/fault_rates.h) do behind the codes of DDR5
// ranks and of HBM.
#include <map>
#include <optional>

#include "ecc/fault_rates.h"
#include "ecc/sector_coverage.h"
#include "platform/config/config.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

enum class FaultyMemory { ddr5, hbm };
constexpr auto enum_names(FaultyMemory) {
  return std::to_array<EnumName<FaultyMemory>>(
      {{FaultyMemory::ddr5, "ddr5", "the chips of a rank share a code"},
       {FaultyMemory::hbm, "hbm", "each die delivers sectors of 32 bytes with their own code"}});
}

struct MemoryFaultsStudy {
  std::string faults = "jaguar_ddr2";
  std::string mode = "all";
  FaultyMemory memory = FaultyMemory::ddr5;
  SectorCode sector_code = SectorCode::symbol;
  std::uint32_t dies = 40;
  Ddr5Code code = Ddr5Code::rs_10_8_chip;
  bool on_die = false;
  std::uint64_t trials = 5'000;
  std::uint64_t seed = 1;
};
static_assert(member_count<MemoryFaultsStudy>() == 9);
void describe(Fields& f, MemoryFaultsStudy& c) {
  f("faults", c.faults, "The rates: a file in configs/faults.", names_file("faults"));
  f("mode", c.mode, "The mode or the class of errors by its name in the file, or all modes together.");
  f("memory", c.memory,
    "What the faults are in. Those that reach all bits which a chip delivers reach all of a sector of HBM.",
    one_of<FaultyMemory>());
  f.when("memory", c.memory, FaultyMemory::ddr5, [&] {
    f("code", c.code, "The code of the rank.", one_of<Ddr5Code>());
    f("on_die", c.on_die,
      "Whether each chip corrects a bit of its own word first. The shares are then drawn, not counted.");
  });
  f.when("memory", c.memory, FaultyMemory::hbm, [&] {
    f("sector_code", c.sector_code, "The code of a sector. Its shares are drawn.", one_of<SectorCode>());
    f("dies", c.dies, "The number of dies of a GPU: five stacks of eight have 40.", within(1, 1000));
  });
  f("trials", c.trials, "The number of blocks drawn for each shape of a fault, with on_die or of HBM.",
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
    const double devices = is_hbm() ? config_.dies : codec.chips();
    if (has_mode) row = {fit, corrected, due, sdc, low, high, due + sdc, devices * (due + sdc), {}};
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
    if (!is_hbm() && !config_.on_die) {
      shares.mean = exact_coverage(codec, {fault, {}});
      shares.silent = {shares.mean.silent, shares.mean.silent};
      shares_.emplace(fault, shares);
      return shares;
    }
    const CoverageCounts counts =
        is_hbm() ? measure_sector_coverage(config_.sector_code, sector_shape(fault), config_.trials,
                                           config_.seed, stop)
                 : measure_coverage(codec, {fault, {}}, true, config_.trials, config_.seed, stop);
    if (counts.trials() == 0) return std::nullopt;
    const auto share = [&](std::uint64_t count) {
      return static_cast<double>(count) / static_cast<double>(counts.trials());
    };
    shares.mean = {share(counts.corrected), share(counts.uncorrectable), share(counts.silent)};
    shares.silent = confidence_interval(counts.silent, counts.trials());
    shares_.emplace(fault, shares);
    return shares;
  }

  bool is_hbm() const { return config_.memory == FaultyMemory::hbm; }

  FaultRates rates_;
  std::map<Ddr5Fault, Shares> shares_;
};

const RegisteredStudy memory_faults_study{
    {.name = "memory_faults",
     .meaning = "What faults of memory chips, at rates from the field, do behind the codes of DDR5 ranks and "
                "of HBM",
     .coordinates = {"faults", "memory", "code", "on_die", "sector_code", "mode"},
     .columns = {{"faults_fit", "faults", "FIT", "Faults of a device in 10^9 hours", 2},
                 {"corrected_fit", "", "FIT", "Those that are corrected", 2},
                 {"due_fit", "DUE", "FIT", "Those that make blocks uncorrectable", 2},
                 {"sdc_fit", "SDC", "FIT", "Those that make blocks wrong without being detected", 4, 9},
                 {"sdc_low_fit", "", "FIT",
                  "The lower end of sdc_fit: of shares that are drawn, the sum of 95% intervals (Wilson), "
                  "otherwise exact"},
                 {"sdc_high_fit", "", "FIT", "The upper end of sdc_fit"},
                 {"uncorrected_fit", "", "FIT", "due_fit and sdc_fit together", 2},
                 {"rank_uncorrected_fit", "rank", "FIT",
                  "The same of all chips of a rank, or of all dies of a GPU", 2},
                 {"mtbe_h", "MTBE", "h",
                  "The mean time of a device between errors of a class that were counted in the field", 0}},
     .x = "",
     .y = "",
     .bars = {"due_fit", "sdc_fit"},
     .intervals = {{"sdc_fit", "sdc_low_fit", "sdc_high_fit"}},
     .make = make_study_point<MemoryFaultsPoint>}};

}  // namespace
}  // namespace asterism
