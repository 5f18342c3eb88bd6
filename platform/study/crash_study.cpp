// Power failures of a DIMM-SSD at random events, and what is recovered afterwards
// (models/dimm_ssd/crash/crash_trial.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>

#include "dimm_ssd/crash/crash_states.h"
#include "dimm_ssd/crash/crash_trial.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct CrashStudy {
  CrashTrialConfig trial = {};
  std::uint64_t power_failures = 10'000;
  std::uint64_t seed = 1;
  bool all_states = false;
};
static_assert(member_count<CrashStudy>() == 4);
void describe(Fields& f, CrashStudy& c) {
  describe(f, c.trial);
  f("power_failures", c.power_failures,
    "The number of power failures in all trials together. The last trial is completed.",
    within(1, 1'000'000'000'000));
  f("seed", c.seed, "The seed of the first trial. Each further trial has the next seed.");
  f("all_states", c.all_states, "Whether the study fails if a listed state was not reached.");
}

std::string replay(const CrashStudy& c, std::uint64_t seed) {
  std::string command = fmt::format(
      "asterism study crash power_failures=1 seed={} method={} contents={} trial_power_failures={}", seed,
      to_text(c.trial.method), to_text(c.trial.contents), c.trial.power_failures);
  if (c.trial.pages != 0) command += fmt::format(" pages={}", c.trial.pages);
  if (c.trial.blocks != 0) command += fmt::format(" blocks={}", c.trial.blocks);
  if (c.trial.aim != CrashAim::states) command += fmt::format(" aim={}", to_text(c.trial.aim));
  if (c.trial.mutant != CrashMutant::none) command += fmt::format(" mutant={}", to_text(c.trial.mutant));
  return command;
}

class CrashPoint final : public StudyPointOf<CrashStudy> {
 public:
  double share_done() const override {
    return std::min(1.0, static_cast<double>(power_failures_) / static_cast<double>(config_.power_failures));
  }
  bool keeps_a_part() const override { return true; }
  std::string progress() const override {
    return fmt::format("{} of {} power failures survived", power_failures_.load(), config_.power_failures);
  }

  // Every state of the list, with the number of times that it was reached.
  std::string detail() const override {
    nlohmann::ordered_json states = nlohmann::ordered_json::object();
    for (const CrashStates::State& state : states_.listed(config_.trial.method))
      states[state.name] = state.count;
    return nlohmann::ordered_json{{"states", states}, {"not_reached", not_reached()}}.dump();
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    CrashCounts all;
    std::uint64_t trials = 0;
    for (; all.power_failures < config_.power_failures && !stop.stop_requested(); ++trials) {
      const std::uint64_t seed = config_.seed + trials;
      try {
        all += run_crash_trial(config_.trial, seed, &states_);
      } catch (const CrashFailure& failure) {
        throw StudyFailure(
            fmt::format("crash: the trial of seed {} fails, {} power failures before it were survived\n  "
                        "{}\n  replay: {}",
                        seed, all.power_failures, failure.what(), replay(config_, seed)));
      } catch (const std::invalid_argument& error) {
        throw StudyMistake(config_.trial.blocks != 0 ? "blocks" : "pages", error.what());
      }
      power_failures_ = all.power_failures;
    }
    power_failures_ = 0;
    const std::vector<std::string> missing = not_reached();
    if (config_.all_states && !missing.empty() && !stop.stop_requested())
      throw StudyFailure(fmt::format("crash: {} states were not reached in {} power failures:\n  {}",
                                     missing.size(), all.power_failures, fmt::join(missing, "\n  ")));
    const std::uint64_t listed = states_.listed(config_.trial.method).size();
    const Cell last_seed = trials == 0 ? Cell() : Cell(config_.seed + trials - 1);
    return {trials,
            all.power_failures,
            last_seed,
            all.in_program,
            all.in_erase,
            all.in_merge,
            all.in_collection,
            all.in_recovery,
            all.in_restore,
            all.durable,
            all.newer,
            all.restored,
            all.abandoned,
            all.no_space,
            all.worn_out,
            all.memory_errors,
            all.aborts,
            all.discards,
            all.merges,
            all.compactions,
            all.collections,
            all.blocks_retired,
            all.lost,
            all.audited,
            listed,
            std::uint64_t{missing.size()},
            fmt::format("{}", fmt::join(missing, "; "))};
  }

 private:
  std::vector<std::string> not_reached() const { return states_.not_reached(config_.trial.method); }

  CrashStates states_;
  std::atomic<std::uint64_t> power_failures_ = 0;  // while it runs
};

const RegisteredStudy crash_study{
    {.name = "crash",
     .meaning = "Power failures of a DIMM-SSD at any event: what was durable is recovered, byte for byte",
     .coordinates = {"method", "contents"},
     .columns = {{"trials", "trials", "", "Trials, each with a seed of its own"},
                 {"survived_power_failures", "power failures", "", "Power failures in all trials"},
                 {.name = "last_seed",
                  .heading = "last seed",
                  .unit = "",
                  .meaning = "The seed of the last trial that has ended",
                  .is_label = true},
                 {"in_program", "program", "", "Power failures that tore a page which was being programmed"},
                 {"in_erase", "erase", "", "Power failures that tore a block which was being erased"},
                 {"in_merge", "merge", "",
                  "Power failures in a merge of checkpoints or a compaction of their pages"},
                 {"in_collection", "collection", "",
                  "Power failures while a block of the flash was collected"},
                 {"in_recovery", "recovery", "", "Power failures in the recovery from the one before"},
                 {"in_restore", "", "", "Power failures while a version was read back"},
                 {"durable", "durable", "", "Versions reported durable"},
                 {"newer", "", "", "Recoveries with a version that had not been reported yet"},
                 {"restored", "restored", "", "Images read back and compared"},
                 {"abandoned", "abandoned", "", "Versions abandoned"},
                 {"no_space", "", "", "Failures of a full flash"},
                 {"worn_out", "", "", "Failures of a worn-out flash"},
                 {"memory_errors", "", "", "Reads that memory did not answer"},
                 {"aborts", "", "", "Aborts by software"},
                 {"discards", "", "", "Versions discarded"},
                 {"merges", "", "", "Merges of checkpoints"},
                 {"compactions", "", "", "Compactions of data pages with few valid lines"},
                 {"collections", "", "", "Blocks collected"},
                 {"blocks_retired", "", "", "Blocks that wore out"},
                 {"lost", "", "", "Versions lost to bit errors beyond the page code"},
                 {"audited", "", "", "Images read from the flash image and compared"},
                 {"states", "", "", "States that are listed for this method"},
                 {"states_not_reached", "not reached", "", "Listed states that were not reached"},
                 {"not_reached", "", "", "Names of the states that were not reached"}},
     .x = "survived_power_failures",
     .y = "restored",
     .bars = {"survived_power_failures", "restored"},
     .seeds_of_point = "power_failures",
     .make = make_study_point<CrashPoint>}};

}  // namespace
}  // namespace asterism
