// Where a checkpoint goes: the Checkpoint Location Controller of abeyratne2017 section 4.3.3, Algorithm 1, as
// a function without devices. The ramdisk is level 1 of the checkpoint library, the SSD level 2.
//
//   lifetime (Eqs. 4.1, 4.2)     the SSD takes the checkpoint while, at the bandwidth that this run has written
//                                to it so far, it lasts longer than its wear leaves it by plan:
//                                (rated - used) / bandwidth > (rated - used) * lifetime / rated
//   performance loss (Eq. 4.3)   and while checkpoints take no more of the run's time than the bound
//   size                         what then is to go to the ramdisk and does not fit into a rank's part of it is
//                                not written at all
//   forced intervals             every n-th checkpoint goes to the SSD whatever the estimates say. Ranks decide
//                                by their own times and sizes; forced are those with the same number on all,
//                                so that there is one that every rank has, after a loss of power too
//
// So the first checkpoint goes to the SSD, and the bandwidth is held at rated / lifetime. A year has 365 days:
// 14.6 PB over 5 years are 92.6 MB/s, as published. The algorithm as printed has no forced intervals; the text
// names them.
#pragma once

#include <stdint.h>

typedef struct {
  double lifetime_years;    // that the SSD is to last; 0: its lifetime is not looked at
  double overhead_percent;  // of the time that checkpoints may take, as SCR_CHECKPOINT_OVERHEAD; 0: no bound
  unsigned ranks;           // that share the ramdisk in equal parts; 0 is 1
  unsigned forced_every;    // every n-th checkpoint is forced; 0: none
} CheckpointPolicy;

typedef struct {
  uint64_t number;         // of the checkpoint: 1, 2, ...
  uint64_t bytes;          // of it, of the rank that has most
  uint64_t ramdisk_bytes;  // of all ranks
  double elapsed;          // seconds since the program began
  double checkpointing;    // of them, spent on checkpoints
  uint64_t ssd_bytes;      // written to the SSD since then
  uint64_t rated,
      used;  // bytes that the SSD is rated for and that it has taken in its life; rated 0: not stated, and
             // its lifetime is not looked at
} LocationState;

typedef enum { location_ramdisk = 1, location_ssd = 2, location_none = 3 } Location;

typedef enum {
  reason_first = 1,     // SSD: nothing was written yet
  reason_allowed = 2,   // SSD: neither estimate speaks against it
  reason_lifetime = 3,  // ramdisk: the SSD would not last
  reason_loss = 4,      // ramdisk: checkpoints took more than the bound
  reason_size = 5,      // none: the estimates speak against the SSD, and the ramdisk is too small
  reason_forced = 6,    // SSD: in spite of the estimates
} LocationReason;

typedef struct {
  Location location;
  LocationReason reason;
} LocationDecision;

LocationDecision location_decide(const CheckpointPolicy* policy, const LocationState* state);

// The estimates that it decides by: seconds, seconds and a part of 1.
double location_expected_lifetime(const CheckpointPolicy* policy, const LocationState* state);
double location_estimated_lifetime(const LocationState* state);  // infinite while nothing was written
double location_slowdown(const LocationState* state);
