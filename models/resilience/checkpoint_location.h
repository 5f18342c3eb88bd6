// The checkpoint location controller (CLC) of abeyratne2017 section 4.3.3, Algorithm 1: before each
// checkpoint it decides whether the checkpoint goes to the node's SSD, which is durable, or to a ramdisk
// under strong ECC, which is fast.
//
//   lifetime estimation (LE)     the SSD, as long as it lasts longer at the bandwidth written so far than it
//                                is required to (Eqs 4.1, 4.2)
//   performance-loss (PLE)       the ramdisk, when checkpoints have taken more than a share of the time (Eq.
//                                4.3)
//   size                         a checkpoint that is due in the ramdisk and larger than a rank's part of it
//                                is left out
//   forced                       one of so many checkpoints goes to the SSD whatever the estimates say, so
//                                that ranks that decide independently have one in common to return to
//                                (section 4.3.3.3)
//
// What remains of the rating cancels between Eqs 4.1 and 4.2: the SSD is used while the node has written less
// than rating / rated life, 92.6 MB/s for 14.6 PB and 5 years. An SSD without writes left is not used.
//
// The controller keeps no state: what it needs to know of the program and of the device is in the question,
// so that firmware can ask with the device's own counters. Each rank asks for itself, with the bytes of the
// node. The firmware's own controller, sw/checkpoint/location.h, gives the same answers for the same reasons;
// its test asserts that.
#pragma once

#include <cstdint>

#include "base/enum_names.h"
#include "base/units.h"
#include "resilience/seconds.h"

namespace asterism {

struct CheckpointLocationConfig {
  bool lifetime_estimation = true;
  bool performance_estimation = false;
  double bound = 0.1;                                   // share of the time that checkpoints may take
  Bytes rating = Bytes(14'600ull * 1'000'000'000'000);  // PBW_rating: the writes that the SSD endures
  Seconds rated_life = Seconds(5 * 365 * 86'400.0);
  Bytes ramdisk_of_rank = Bytes(UINT64_MAX);  // TMPFS_SIZE / numMPIRanks
  std::uint64_t forced_every = 0;             // 0: none
};

// Throws std::invalid_argument unless bound is within 0 and 1, and rating and life are above 0.
void check_checkpoint_location(const CheckpointLocationConfig& config);

struct CheckpointQuestion {
  std::uint64_t number = 1;    // of the checkpoint: 1, 2, ...
  Bytes size = {};             // of this rank's
  Seconds elapsed = {};        // since the program began, before this checkpoint
  Seconds checkpointing = {};  // T_chk: the part of it that checkpoints took
  Bytes written = {};          // by the node to the SSD since then
  Bytes used = {};             // PBW_used: everything that was ever written to it
};

enum class CheckpointLocation { ssd, ramdisk, nowhere };
constexpr auto enum_names(CheckpointLocation) {
  return std::to_array<EnumName<CheckpointLocation>>({{CheckpointLocation::ssd, "ssd", "on the node's SSD"},
                                                      {CheckpointLocation::ramdisk, "ramdisk", "in DRAM"},
                                                      {CheckpointLocation::nowhere, "nowhere", "left out"}});
}

enum class LocationReason { first, allowed, forced, lifetime, performance, size };
constexpr auto enum_names(LocationReason) {
  return std::to_array<EnumName<LocationReason>>(
      {{LocationReason::first, "first", "on the SSD because nothing was written yet"},
       {LocationReason::allowed, "allowed", "on the SSD because it lasts and the program is not late"},
       {LocationReason::forced, "forced",
        "on the SSD although the estimates say otherwise: it is one of all ranks"},
       {LocationReason::lifetime, "lifetime",
        "in the ramdisk because the SSD would not last as long as required"},
       {LocationReason::performance, "performance",
        "in the ramdisk because checkpoints have taken more than their share of the time"},
       {LocationReason::size, "size",
        "left out because it is due in the ramdisk and larger than a rank's part"}});
}

struct CheckpointDecision {
  CheckpointLocation location = CheckpointLocation::ssd;
  LocationReason reason = LocationReason::allowed;
  Seconds expected = {}, estimated = {};  // L_expected, L_estimated: infinite before the first write
  double slowdown = 0;                    // T_slowdown
};

CheckpointDecision locate_checkpoint(const CheckpointLocationConfig& config,
                                     const CheckpointQuestion& question);

}  // namespace asterism
