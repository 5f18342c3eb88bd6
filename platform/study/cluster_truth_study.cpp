// Trials of small clusters that lose parts at random and critical moments
// (models/cluster/truth/cluster_trial.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "cluster/truth/cluster_states.h"
#include "cluster/truth/cluster_trial.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

struct ClusterTruthStudy {
  ClusterTrialConfig trial = {};
  std::uint64_t runs = 10'000;
  std::uint64_t seed = 1;
  bool all_states = false;
};
static_assert(member_count<ClusterTruthStudy>() == 4);
void describe(Fields& f, ClusterTruthStudy& c) {
  describe(f, c.trial);
  f("runs", c.runs, "The number of clusters. Each has a seed of its own.", within(1, 1'000'000'000'000));
  f("seed", c.seed, "The seed of the first cluster. Each further cluster has the next seed.");
  f("all_states", c.all_states, "Whether the study fails if a listed state was not reached.");
}

std::string replay(const ClusterTruthStudy& c, std::uint64_t seed) {
  std::string command =
      fmt::format("asterism study cluster_truth runs=1 seed={} aim={}", seed, to_text(c.trial.aim));
  if (c.trial.mutant != BuddyMutant::none) command += fmt::format(" mutant={}", to_text(c.trial.mutant));
  return command;
}

class ClusterTruthPoint final : public StudyPointOf<ClusterTruthStudy> {
 public:
  double share_done() const override {
    return static_cast<double>(runs_) / static_cast<double>(config_.runs);
  }
  bool keeps_a_part() const override { return true; }
  std::string progress() const override { return fmt::format("{} of {} runs", runs_.load(), config_.runs); }

  std::vector<Cell> run(const std::stop_token& stop) override {
    ClusterTrialCounts all;
    std::uint64_t runs = 0;
    for (; runs < config_.runs && !stop.stop_requested(); runs_ = ++runs) {
      const std::uint64_t seed = config_.seed + runs;
      try {
        all += run_cluster_trial(config_.trial, seed, &states_);
      } catch (const ClusterTrialFailure& failure) {
        throw StudyFailure(fmt::format(
            "cluster_truth: the run of seed {} fails, {} before it were right\n  {}\n  replay: {}", seed,
            runs, failure.what(), replay(config_, seed)));
      }
    }
    runs_ = 0;
    const std::vector<std::string> missing = states_.not_reached();
    if (config_.all_states && !missing.empty() && !stop.stop_requested())
      throw StudyFailure(fmt::format("cluster_truth: {} states were not reached in {} runs:\n  {}",
                                     missing.size(), runs, fmt::join(missing, "\n  ")));
    return {runs,
            runs == 0 ? Cell() : Cell(config_.seed + runs - 1),
            all.finished,
            all.not_recoverable,
            all.no_spare,
            all.losses[static_cast<std::size_t>(Loss::node)],
            all.losses[static_cast<std::size_t>(Loss::link)],
            all.losses[static_cast<std::size_t>(Loss::memory)],
            all.losses[static_cast<std::size_t>(Loss::ssd)],
            all.losses[static_cast<std::size_t>(Loss::gpu)],
            all.in_checkpoint,
            all.in_global,
            all.in_recovery,
            all.of_both_buddies,
            all.commits,
            all.global_commits,
            all.epochs,
            all.recoveries,
            all.from_storage,
            all.from_beginning,
            std::uint64_t{states_.listed().size()},
            std::uint64_t{missing.size()},
            fmt::format("{}", fmt::join(missing, "; "))};
  }

  // Every state of the list, with the number of times that it was reached.
  std::string detail() const override {
    nlohmann::ordered_json states = nlohmann::ordered_json::object();
    for (const ClusterStates::State& state : states_.listed()) states[state.name] = state.count;
    return nlohmann::ordered_json{{"states", states}, {"unreached", states_.not_reached()}}.dump();
  }

 private:
  ClusterStates states_;
  std::atomic<std::uint64_t> runs_ = 0;  // while it runs
};

const RegisteredStudy cluster_truth_study{
    {.name = "cluster_truth",
     .meaning =
         "Small clusters that lose nodes, links and copies at bad moments: each ends with the right result, "
         "or correctly reports that it cannot",
     .coordinates = {"aim"},
     .columns = {{"right_runs", "right runs", "", "Clusters that ended as they had to"},
                 {.name = "last_seed",
                  .heading = "last seed",
                  .unit = "",
                  .meaning = "The seed of the last cluster that has ended",
                  .is_label = true},
                 {"finished", "finished", "", "Clusters that ended with the right result"},
                 {"not_recoverable", "lost", "",
                  "Clusters that were not recoverable: no version was held of every rank"},
                 {"no_spare", "no spare", "",
                  "Clusters that were not recoverable: no node was left for a rank"},
                 {"lost_nodes", "nodes", "", "Losses of nodes"},
                 {"lost_links", "links", "", "Losses of links"},
                 {"lost_memories", "memories", "", "Losses of the contents of a node's memory"},
                 {"lost_ssds", "SSDs", "", "Losses of the copies on an SSD"},
                 {"lost_gpus", "GPUs", "", "Losses of a program's state alone"},
                 {"in_checkpoint", "", "", "Losses while a checkpoint was taken"},
                 {"in_global", "", "", "Losses while a global copy was made"},
                 {"in_recovery", "", "", "Losses while the cluster recovered"},
                 {"of_both_buddies", "both buddies", "", "Times that two buddies lost something at once"},
                 {"commits", "commits", "", "Versions committed by rank 0"},
                 {"global_commits", "", "", "Versions committed by the global store"},
                 {"epochs", "", "", "Epochs begun: the first one, and one for each loss that was noticed"},
                 {"recoveries", "recoveries", "", "Times that all ranks resumed from a version"},
                 {"from_storage", "", "", "Rollbacks for which some rank's state came from the global store"},
                 {"from_beginning", "", "", "Rollbacks to the beginning"},
                 {"states", "", "", "States that are listed"},
                 {"states_not_reached", "not reached", "", "Listed states that were not reached"},
                 {"unreached", "", "", "The names of the states that were not reached"}},
     .x = "right_runs",
     .y = "recoveries",
     .bars = {"finished", "not_recoverable", "no_spare"},
     .seeds_of_point = "runs",
     .make = make_study_point<ClusterTruthPoint>}};

}  // namespace
}  // namespace asterism
