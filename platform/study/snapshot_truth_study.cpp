// Snapshots of GPUs in random interleavings, compared byte for byte (models/gpu/truth/snapshot_trial.h).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "gpu/truth/snapshot_trial.h"
#include "platform/study/study_kinds.h"

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
    "Snapshots begun, in all trials; the trial that is under way then ends as any other",
    within(1, 1'000'000'000'000));
  f("seed", c.seed, "Of the first trial; the others have the ones behind it");
}

std::string replay(const SnapshotTruthStudy& c, std::uint64_t seed) {
  std::string command =
      fmt::format("asterism study snapshot_truth interleavings=1 seed={} config={} trial_snapshots={}", seed,
                  to_text(c.trial.config), c.trial.snapshots);
  if (c.trial.gpus != 0) command += fmt::format(" gpus={}", c.trial.gpus);
  if (c.trial.mutant != SnapshotMutant::none) command += fmt::format(" mutant={}", to_text(c.trial.mutant));
  return command;
}

class Point final : public StudyPointOf<SnapshotTruthStudy> {
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
            all.no_room,
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

}  // namespace

const StudyKind snapshot_truth_study{
    .name = "snapshot_truth",
    .meaning = "snapshots of GPUs in random interleavings: each is the memory as it was, byte for byte",
    .coordinates = {"config"},
    .columns = {{"trials", "trials", "", "Seeds"},
                {"right_interleavings", "interleavings", "", "Snapshots begun, in all trials"},
                {"last_seed", "last seed", "", "Of the last trial that has ended"},
                {"taken_full", "full", "", "Snapshots taken"},
                {"taken_increments", "increments", "", "Snapshots taken"},
                {"in_place_of_increments", "", "",
                 "Full snapshots begun for want of room, of a snapshot before, or after one that failed"},
                {"with_kernels", "with kernels", "", "Snapshots during which kernels were launched"},
                {"aborted", "aborted", "", "Snapshots, by the host"},
                {"timed_out", "timed out", "", "Snapshots, by the watchdog of a waiting write"},
                {"host_refused", "", "", "Snapshots whose zones the host's memory refused"},
                {"no_room", "", "", "Snapshots not begun: the preservation buffer had no room"},
                {"losses", "losses", "", "Of GPUs, with all that they had under way"},
                {"lost_in_snapshot", "", "", "Losses while a snapshot was open"},
                {"lost_in_restore", "", "", "Losses while zones were copied back"},
                {"restored", "restored", "", "GPUs, to their newest snapshot"},
                {"restored_increments", "", "", "Restores from a chain with increments"},
                {"silent_drivers", "silent", "", "Drivers that fell silent while a snapshot was open"},
                {"timed_out_silent", "", "", "Snapshots timed out whose drivers had fallen silent"},
                {"kernels", "kernels", "", "Run, or begun"},
                {"stalled_writes", "stalls", "", "Writes that a zone monitor let wait"},
                {"stopped_pipelines", "", "", "Times that a pipeline stood still for a full queue"},
                {"duplicates", "duplicates", "", "Zones that a device copied for a write that waited"},
                {"hints", "hints", "", "From drivers"},
                {"preferred_zones", "", "", "Zones that a driver copied first for a write that waited"},
                {"table_writebacks", "", "", "Sectors of zone tables that went back to memory"},
                {"images", "images", "", "Chains compared with memory as it was"}},
    .x = "right_interleavings",
    .y = "images",
    .bars = {"right_interleavings", "images"},
    .make = make_study_point<Point>};

}  // namespace asterism
