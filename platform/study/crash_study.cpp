#include "platform/study/crash_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>

#include "dimm_ssd/crash/crash_states.h"
#include "dimm_ssd/crash/crash_trial.h"

namespace asterism {
namespace {

struct CrashStudy {
  CrashTrialConfig trial = {};
  std::uint64_t cuts = 10'000;
  std::uint64_t seed = 1;
  bool all_states = false;
};
static_assert(member_count<CrashStudy>() == 4);
void describe(Fields& f, CrashStudy& c) {
  describe(f, c.trial);
  f("cuts", c.cuts, "Of all trials; the trial that is under way then ends as any other",
    within(1, 1'000'000'000'000));
  f("seed", c.seed, "Of the first trial; the others have the ones behind it");
  f("all_states", c.all_states,
    "The study fails when a state that is listed was not reached in so many cuts");
}

std::string replay(const CrashStudy& c, std::uint64_t seed) {
  std::string command = fmt::format("asterism study crash cuts=1 seed={} method={} contents={} trial_cuts={}",
                                    seed, to_text(c.trial.method), to_text(c.trial.contents), c.trial.cuts);
  if (c.trial.pages != 0) command += fmt::format(" pages={}", c.trial.pages);
  if (c.trial.blocks != 0) command += fmt::format(" blocks={}", c.trial.blocks);
  if (c.trial.aim != CrashAim::states) command += fmt::format(" aim={}", to_text(c.trial.aim));
  if (c.trial.plant != CrashPlant::none) command += fmt::format(" plant={}", to_text(c.trial.plant));
  return command;
}

class Point final : public StudyPointOf<CrashStudy> {
 public:
  double share_done() const override {
    return std::min(1.0, static_cast<double>(cuts_) / static_cast<double>(config_.cuts));
  }
  bool keeps_a_part() const override { return true; }
  std::string progress() const override {
    return fmt::format("{} of {} cuts survived", cuts_.load(), config_.cuts);
  }

  // Every state that is listed, with how often it was reached.
  std::string detail() const override {
    nlohmann::ordered_json states = nlohmann::ordered_json::object();
    for (const CrashStates::State& state : states_.listed(config_.trial.method))
      states[state.name] = state.count;
    return nlohmann::ordered_json{{"states", states}, {"not_reached", not_reached()}}.dump();
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    CrashCounts all;
    std::uint64_t trials = 0;
    for (; all.cuts < config_.cuts && !stop.stop_requested(); ++trials) {
      const std::uint64_t seed = config_.seed + trials;
      try {
        all += run_crash_trial(config_.trial, seed, &states_);
      } catch (const CrashFailure& failure) {
        throw StudyFailure(fmt::format(
            "crash: the trial of seed {} fails, {} cuts before it were survived\n  {}\n  replay: {}", seed,
            all.cuts, failure.what(), replay(config_, seed)));
      } catch (const std::invalid_argument& error) {
        throw StudyMistake(config_.trial.blocks != 0 ? "blocks" : "pages", error.what());
      }
      cuts_ = all.cuts;
    }
    cuts_ = 0;
    const std::vector<std::string> missing = not_reached();
    if (config_.all_states && !missing.empty() && !stop.stop_requested())
      throw StudyFailure(fmt::format("crash: {} states were not reached in {} cuts:\n  {}", missing.size(),
                                     all.cuts, fmt::join(missing, "\n  ")));
    const std::uint64_t listed = states_.listed(config_.trial.method).size();
    const Cell last_seed = trials == 0 ? Cell() : Cell(config_.seed + trials - 1);
    return {trials,
            all.cuts,
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
            all.given_up,
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
  std::atomic<std::uint64_t> cuts_ = 0;  // while it runs
};

}  // namespace

const StudyKind crash_study{
    .name = "crash",
    .meaning = "a DIMM-SSD whose power is cut at any event: what was durable comes back, byte for byte",
    .coordinates = {"method", "contents"},
    .columns = {{"trials", "trials", "", "Seeds"},
                {"survived_cuts", "cuts", "", "Of the power, in all trials"},
                {"last_seed", "last seed", "", "Of the last trial that has ended"},
                {"in_program", "program", "", "Cuts that tore a page which was being programmed"},
                {"in_erase", "erase", "", "Cuts that tore a block which was being erased"},
                {"in_merge", "merge", "", "Cuts in a merge of checkpoints or a compaction of their pages"},
                {"in_collection", "collection", "", "Cuts while a block of the flash was collected"},
                {"in_recovery", "recovery", "", "Cuts in the recovery from the cut before"},
                {"in_restore", "", "", "Cuts while a version was read back"},
                {"durable", "durable", "", "Versions reported durable"},
                {"newer", "", "", "Recoveries with a version that had not been reported yet"},
                {"restored", "restored", "", "Images read back and compared"},
                {"given_up", "given up", "", "Versions"},
                {"no_space", "", "", "Failures of a full flash"},
                {"worn_out", "", "", "Failures of a worn-out flash"},
                {"memory_errors", "", "", "Reads that memory did not answer"},
                {"aborts", "", "", "By software"},
                {"discards", "", "", "Versions"},
                {"merges", "", "", "Of checkpoints"},
                {"compactions", "", "", "Of data pages with few lines that count"},
                {"collections", "", "", "Blocks"},
                {"blocks_retired", "", "", "Worn out"},
                {"lost", "", "", "Versions, to bit errors beyond the page code"},
                {"audited", "", "", "Images read out of the flash itself and compared"},
                {"states", "", "", "That are listed for this method"},
                {"states_not_reached", "not reached", "", "Of these"},
                {"not_reached", "", "", "Their names"}},
    .x = "survived_cuts",
    .y = "restored",
    .bars = {"survived_cuts", "restored"},
    .make = make_study_point<Point>};

}  // namespace asterism
