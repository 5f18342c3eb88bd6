// A program on one node that alternates between computing and taking checkpoints, and the cost of its
// checkpoints by where they go: the microbenchmark of abeyratne2017 section 4.5.1 and, with other numbers,
// its miniFE and Lulesh.
//
// All ranks of the node compute for the same time, then each writes its checkpoint. The program waits until
// all are written (stop and copy, flushed), at the bandwidth of the node's SSD or of its memory. The ranks
// are alike, so that they decide alike. Nothing fails.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/enum_names.h"
#include "base/units.h"
#include "resilience/checkpoint_location.h"

namespace asterism {

enum class LocationPolicy { none, ramdisk, ssd, ratio, clc };
constexpr auto enum_names(LocationPolicy) {
  return std::to_array<EnumName<LocationPolicy>>(
      {{LocationPolicy::none, "none", "no checkpoints"},
       {LocationPolicy::ramdisk, "ramdisk", "all of them in DRAM"},
       {LocationPolicy::ssd, "ssd", "all of them on the SSD"},
       {LocationPolicy::ratio, "ratio", "one of so many on the SSD, the others in DRAM"},
       {LocationPolicy::clc, "clc", "the checkpoint location controller decides"}});
}

struct CheckpointedProgram {
  std::uint64_t iterations = 100;
  Seconds compute = Seconds(5);           // of an iteration
  Bytes checkpoint = Bytes(100'000'000);  // of a rank
  std::uint32_t ranks = 8;                // of the node
};

struct CheckpointTargets {
  Bandwidth ssd = 250_MBps;                          // of the node
  Bandwidth ramdisk = 6286_MBps;                     // of the node
  std::optional<Bandwidth> ramdisk_read = {};        // of a restart, if it is not that of writing
  Bandwidth ramdisk_writer = Bandwidth(UINT64_MAX);  // of a rank, whose copy to memory is one thread's
  std::uint32_t ramdisk_writes = 1;                  // 2: the thesis's bound for the parity of strong ECC
  Bytes ssd_capacity = Bytes(800'000'000'000);
  Bytes ramdisk_capacity = Bytes(UINT64_MAX);  // TMPFS_SIZE
  double ssd_watts = 50, ramdisk_watts = 79;   // of the node while it writes
};

struct CheckpointedProgramRun {
  Seconds time, checkpointing;
  std::uint64_t on_ssd = 0, in_ramdisk = 0, left_out = 0, forced = 0;
  Bytes written;        // to the SSD
  double joules = 0;    // of the node while it writes checkpoints
  double slowdown = 0;  // time over that without checkpoints
  // The time until the SSD has written its rating, at this rate; infinite if nothing was written to it.
  Seconds lifetime;
  // The mean loss by a failure at any time of the run: the time since the end of the newest checkpoint, or of
  // the newest one on the SSD if that in DRAM is lost, and the time to read it: that to write it, unless
  // there is ramdisk_read. Before the first one, since the beginning.
  Seconds lost_to_newest, lost_to_ssd;

  // The share of the time that is work if a failure of either kind costs its mean loss, also one during
  // repeated work: the first order, good while the expected number of failures between two checkpoints of the
  // SSD is small. 0 if failures leave no time.
  double work_share(Rate readable, Rate lost) const;
};

// With LocationPolicy::ratio, the last of each `ratio_of` checkpoints goes to the SSD. `watch` is called for
// each checkpoint with its number, the time when it begins and the decision. Throws std::invalid_argument as
// check_checkpoint_location() does, without iterations, ranks or time to compute, and for a checkpoint of the
// node that is larger than a target that the policy needs: the SSD or the ramdisk; the controller needs the
// SSD alone.
CheckpointedProgramRun run_checkpointed(
    const CheckpointedProgram& program, const CheckpointTargets& targets, LocationPolicy policy,
    CheckpointLocationConfig controller, std::uint64_t ratio_of = 10, Bytes used = {},
    const std::function<void(std::uint64_t, Seconds, const CheckpointDecision&)>& watch = {});

}  // namespace asterism
