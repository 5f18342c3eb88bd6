// Snapshots of GPUs in random interleavings, compared byte for byte (models/gpu/truth/snapshot_trial.h).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "gpu/truth/snapshot_trial.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct SnapshotTruthStudy {
  SnapshotTrialConfig trial = {};
  std::uint64_t interleavings = 10'000;
  std::uint64_t seed = 1;
};
static_assert(member_count<SnapshotTruthStudy>() == 3);
void describe(Fields& f, SnapshotTruthStudy& c) {
  describe(f, c.trial);
  f("interleavings", c.interleavings,
    "The number of snapshots begun in all trials together. The last trial is completed.",
    within(1, 1'000'000'000'000));
  f("seed", c.seed, "The seed of the first trial. Each further trial has the next seed.");
}

std::string replay(const SnapshotTruthStudy& c, std::uint64_t seed) {
  std::string command =
      fmt::format("asterism study snapshot_truth interleavings=1 seed={} config={} trial_snapshots={}", seed,
                  to_text(c.trial.config), c.trial.snapshots);
  if (c.trial.gpus != 0) command += fmt::format(" gpus={}", c.trial.gpus);
  if (c.trial.mutant != SnapshotMutant::none) command += fmt::format(" mutant={}", to_text(c.trial.mutant));
  return command;
}

class SnapshotTruthPoint final : public StudyPointOf<SnapshotTruthStudy> {
 public:
  double share_done() const override {
    return std::min(1.0, static_cast<double>(interleavings_) / static_cast<double>(config_.interleavings));
  }
  bool keeps_a_part() const override { return true; }
  std::string progress() const override {
    return fmt::format("{} of {} interleavings", interleavings_.load(), config_.interleavings);
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    SnapshotTrialCounts all;
    std::uint64_t trials = 0;
    for (; all.snapshots < config_.interleavings && !stop.stop_requested(); ++trials) {
      const std::uint64_t seed = config_.seed + trials;
      try {
        all += run_snapshot_trial(config_.trial, seed);
      } catch (const SnapshotTrialFailure& failure) {
        throw StudyFailure(
            fmt::format("snapshot_truth: the trial of seed {} fails, {} interleavings before it were right\n "
                        " {}\n  replay: {}",
                        seed, all.snapshots, failure.what(), replay(config_, seed)));
      }
      interleavings_ = all.snapshots;
    }
    interleavings_ = 0;
    const Cell last_seed = trials == 0 ? Cell() : Cell(config_.seed + trials - 1);
    return {trials,
            all.snapshots,
            last_seed,
            all.taken_full,
            all.taken_increments,
            all.in_place_of_increments,
            all.with_kernels,
            all.aborted,
            all.timed_out,
            all.host_refused,
            all.no_space,
            all.losses,
            all.lost_in_snapshot,
            all.lost_in_restore,
            all.restored,
            all.restored_increments,
            all.silent_drivers,
            all.timed_out_silent,
            all.kernels,
            all.stalled_writes,
            all.stopped_pipelines,
            all.duplicates,
            all.hints,
            all.preferred_zones,
            all.table_writebacks,
            all.images};
  }

 private:
  std::atomic<std::uint64_t> interleavings_ = 0;  // while it runs
};

const RegisteredStudy snapshot_truth_study{
    {.name = "snapshot_truth",
     .meaning = "Snapshots of GPUs in random interleavings: each is the memory as it was, byte for byte",
     .coordinates = {"config"},
     .columns = {{"trials", "trials", "", "Trials, each with a seed of its own"},
                 {"right_interleavings", "interleavings", "", "Snapshots begun, in all trials"},
                 {.name = "last_seed",
                  .heading = "last seed",
                  .unit = "",
                  .meaning = "The seed of the last trial that has ended",
                  .is_label = true},
                 {"taken_full", "full", "", "Full snapshots taken"},
                 {"taken_increments", "increments", "", "Increments taken"},
                 {"in_place_of_increments", "", "",
                  "Full snapshots begun because there was no space, no earlier snapshot, or the earlier one "
                  "had failed"},
                 {"with_kernels", "with kernels", "", "Snapshots during which kernels were launched"},
                 {"aborted", "aborted", "", "Snapshots aborted by the host"},
                 {"timed_out", "timed out", "", "Snapshots ended by the watchdog of a waiting write"},
                 {"host_refused", "", "", "Snapshots whose zones the host's memory refused"},
                 {"no_space", "", "", "Snapshots not begun because the preservation buffer had no space"},
                 {"losses", "losses", "", "GPUs lost, with all that they had under way"},
                 {"lost_in_snapshot", "", "", "Losses while a snapshot was open"},
                 {"lost_in_restore", "", "", "Losses while zones were copied back"},
                 {"restored", "restored", "", "GPUs restored to their newest snapshot"},
                 {"restored_increments", "", "", "Restores from a chain with increments"},
                 {"silent_drivers", "silent", "",
                  "Drivers that stopped responding while a snapshot was open"},
                 {"timed_out_silent", "", "", "Snapshots timed out whose drivers had stopped responding"},
                 {"kernels", "kernels", "", "Kernels run or begun"},
                 {"stalled_writes", "stalls", "", "Writes that a zone monitor stalled"},
                 {"stopped_pipelines", "", "", "Times that a pipeline was stalled by a full queue"},
                 {"duplicates", "duplicates", "", "Zones that a device copied for a write that waited"},
                 {"hints", "hints", "", "Hints from drivers"},
                 {"preferred_zones", "", "", "Zones that a driver copied first for a write that waited"},
                 {"table_writebacks", "", "", "Sectors of zone tables written back to memory"},
                 {"images", "images", "", "Chains compared with the memory as it was"}},
     .x = "right_interleavings",
     .y = "images",
     .bars = {"right_interleavings", "images"},
     .seeds_of_point = "interleavings",
     .make = make_study_point<SnapshotTruthPoint>}};

}  // namespace
}  // namespace asterism
