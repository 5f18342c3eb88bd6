// A training run on a machine of GPUs: where it keeps its checkpoints, what they cost, and the share of its
// time that it trains (goodput, effective training time ratio), in a closed form. training_run.h simulates
// the same.
//
// The state (weights and optimiser) exists `data_parallel` times in the GPUs. A checkpoint is one copy of it,
// of which each node has an equal part. Protocols:
//
//   file_system    Checkpoints go to the file system.
//   replicas       Each memory checkpoint is in the memory of `group` nodes (replica_placement.h): Gemini.
//   sharded        Each node keeps its own part, and groups of nodes `parity` shards of an erasure code:
//                  REFT.
//   just_in_time   Nothing is written before a failure. Then the replicas of the lost state that are left in
//                  GPUs write it to the file system, and the run repeats the iteration that it was in.
//
// With all protocols, checkpoints also go to the file system at a longer interval, for the failures that the
// others do not survive. Copies to memory are sent in the spans of an iteration in which links are idle, of
// as many iterations as that takes; what does not fit before the next copy stalls the run. `copies_on` is
// where they are kept: its bandwidth bounds copies and restores.
//
// Closed form: the product of single_level_efficiency() (young_daly.h) of two levels, memory and file system.
// The restart of a level has the mean times to detect a failure, to replace nodes, to start the processes and
// to read the checkpoint, and the time by which its checkpoints lag behind. Failures of the other level begin
// a restart again, too. Nodes under repair are a Poisson variable, and the run waits while there are more of
// them than spares. It leaves out failures of several nodes that meet by chance; new nodes that fail early
// are in new_machine.h. The intervals are the best of that product, one after the other, of whole iterations;
// the longer of the two is a multiple of the shorter. A failure that leaves copies in memory is undone from
// the file system all the same where that costs less time: copies that are rare and late are of no use.
//
// Sources: Wang et al., SOSP 2023 (Gemini). Wang et al., arXiv 2310.12670 (REFT). Gupta et al., "Just-In-Time
// Checkpointing", EuroSys 2024. Kokolis et al., HPCA 2025 (effective training time ratio).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "resilience/checkpoint_levels.h"
#include "resilience/failure_profile.h"
#include "resilience/replica_placement.h"
#include "resilience/seconds.h"

namespace asterism {

enum class TrainingProtocol { file_system, replicas, sharded, just_in_time };
constexpr auto enum_names(TrainingProtocol) {
  return std::to_array<EnumName<TrainingProtocol>>(
      {{TrainingProtocol::file_system, "file_system", "checkpoints on the file system alone"},
       {TrainingProtocol::replicas, "replicas", "copies in the memory of a group of nodes, as Gemini's"},
       {TrainingProtocol::sharded, "sharded",
        "one copy in memory and an erasure code over a group, as REFT's"},
       {TrainingProtocol::just_in_time, "just_in_time",
        "the replicas in other GPUs are written after a failure"}});
}

struct TrainingJob {
  std::uint32_t gpus = 16'384, gpus_per_node = 8, spares = 64;
  Seconds iteration{10};
  Bytes state = Bytes(5'670'000'000'000);
  std::uint32_t data_parallel = 128;

  TrainingProtocol protocol = TrainingProtocol::replicas;
  ReplicaPlacement placement = ReplicaPlacement::mixed;
  std::uint32_t group = 2, parity = 1;
  std::optional<Seconds> memory_interval = std::nullopt, file_interval = std::nullopt;  // none: the best
  bool background = true;  // the file system is written while the run goes on

  Bandwidth gpu_link = 25_GBps;               // of a GPU to its host
  Bandwidth node_link = 400_GBps;             // of a node to the others, each way
  Bandwidth copies_on = 100_GBps;             // of the memory or the SSD of a node that holds copies
  std::optional<Bandwidth> copies_read = {};  // at which a restore reads them, if it is another
  Bandwidth file_system = 2000_GBps;          // of all nodes together
  double idle = 0.3;                          // share of an iteration in which the links are free
  Seconds detection{600}, restart{300}, replacement{60}, repair{86'400};

  std::uint32_t nodes() const { return gpus / gpus_per_node; }
  CopyPlacement copies() const;  // of memory checkpoints or, just in time, of the state in GPUs
};

// Throws TrainingMistake unless the GPUs are whole nodes, groups fit, times and bandwidths are above 0
// where they have to be, the idle share is from 0 to 1, and there are replicas if they are written just in
// time.
void check_training(const TrainingJob& job);

// What checkpoints cost, from the sizes and the bandwidths.
struct TrainingCosts {
  Seconds transfer;                  // of a memory checkpoint, alone
  Seconds memory_stall, memory_lag;  // how much of it stalls the run; when it is complete after that
  Seconds memory_read;
  Seconds file_write, file_stall, file_lag, file_read;
  Seconds memory_interval, file_interval;  // memory_interval is 0 without memory checkpoints
};

enum class TrainingLevel { memory, file_system };

// How much time a failure of a class costs on average, and how often the class fails.
struct ClassCost {
  Rate rate;
  double from_memory =
      0;             // the share of failures after which the run comes back from memory or from replicas
  Seconds lost;      // by a failure that no other interrupts
  double share = 0;  // of all time, which the failures of the class cost
};

struct TrainingPrediction {
  TrainingCosts costs;
  // Shares of all time. With those of the classes, they are 1 together.
  double goodput = 0;               // 0 if there is no progress
  double stalls = 0;                // checkpoints
  double waiting = 0;               // for spares
  Rate failures;                    // all that interrupt the run
  std::vector<ClassCost> classes;   // in the order of the profile
  double under_repair = 0;          // nodes, on average
  std::uint32_t spares_needed = 0;  // enough in 99% of the time, if nodes are lost independently
};

// Throws as check_training() does, also if a node of the profile has another number of GPUs, if an interval
// is shorter than an iteration, or if a checkpoint on the file system is not complete when the next one
// begins.
TrainingPrediction predict_training(const TrainingJob& job, const FailureProfile& profile);

}  // namespace asterism
