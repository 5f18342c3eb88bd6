// A Monte Carlo simulation of a training run (training_job.h), failure by failure: which nodes are lost,
// which copies are left without them, and which class of failures costs how much time.
//
// Nodes fail as NodeFailures has it, with the lifetimes that the profile's shape gives, also while the run is
// down: then the restart begins again, and the nodes lost in the meantime are lost together. Several nodes
// that fail at once are drawn from the whole machine. A spare takes over for each lost node as soon as one is
// there.
//
// Data that are corrupted make all checkpoints wrong that are taken until a check finds it, after an
// exponential time. Then the run goes back to the newest checkpoint of the file system before it; the file
// system keeps all. After other failures the run goes back to a checkpoint in memory or to the newest of the
// file system, whichever costs less with the time to read it. A slow GPU slows the run down until it is
// found, in an exponential time; its node is then replaced. Of two that overlap, the second is found with the
// first, and counted but not charged.
//
// A run is given up after a given time (time_until_given_up), and after a million failures in which it comes
// no further.
//
// Left out: failures of spares; switches or racks that take certain nodes with them; corruption that a
// restart from a wrong checkpoint would reveal earlier.
//
// Results are reproducible by seed on one machine, since logarithms and powers are needed.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "resilience/training_job.h"

namespace asterism {

enum class TrainingRecovery { memory, file_system, start };
constexpr std::size_t training_recoveries = 3;

struct TrainingRunSettings {
  Seconds work{30 * 86'400.0};
  std::uint64_t seed = 1;
  bool new_machine = false;
  Seconds give_up{1e10};
  std::stop_token stop = {};
};

// What happened to the failures of a class. `lost` is all time between a failure and the moment when the run
// is again where it was, and what a slow GPU costs.
struct ClassOutcome {
  std::uint64_t failures = 0;
  Seconds lost;
};

// time = work + checkpoints + slow + detection + spare_wait + restart + rework, except for rounding.
struct TrainingOutcome {
  bool finished = false;  // otherwise it was given up
  Seconds time, work;
  Seconds checkpoints, slow, detection, spare_wait, restart, rework;
  std::uint64_t failures = 0, interruptions = 0;  // interruptions: the times at which the run stopped
  std::array<std::uint64_t, training_recoveries> recoveries{};
  std::vector<ClassOutcome> classes;  // in the order of the profile

  double goodput() const { return time > Seconds() ? work / time : 0; }
};

// 50 times its work; five times if the closed form has less than 2%, since such a run hardly ever finishes.
Seconds time_until_given_up(Seconds work, const TrainingPrediction& prediction);

// Throws as predict_training() does. The intervals are those of the prediction.
TrainingOutcome simulate_training(const TrainingJob& job, const FailureProfile& profile,
                                  const TrainingRunSettings& settings);

}  // namespace asterism
