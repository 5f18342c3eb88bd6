// Selects the level of a checkpoint: the Checkpoint Location Controller of abeyratne2017 section 4.3.3,
// Algorithm 1, as a function that accesses no devices. The ramdisk is level 1 of the checkpoint library, the
// SSD is level 2.
//
//   lifetime (Eqs. 4.1, 4.2)     the SSD is selected while, at the bandwidth that this run has written to it
//                                so far, it would last longer than planned for its wear:
//                                (rated - used) / bandwidth > (rated - used) * lifetime / rated
//   performance loss (Eq. 4.3)   and while checkpoints take no more of the run's time than the bound;
//                                otherwise the ramdisk is selected
//   size                         a checkpoint for the ramdisk that does not fit into a rank's part of it is
//                                skipped
//   forced intervals             every n-th checkpoint goes to the SSD whatever the estimates are. Ranks
//                                decide by their own times and sizes, but the forced checkpoints have the
//                                same number on all ranks, so that all ranks have one of them even after a
//                                power loss
//
// So the first checkpoint goes to the SSD, and the bandwidth is held at rated / lifetime. A year has 365
// days: 14.6 PB over 5 years are 92.6 MB/s, as published. The printed algorithm has no forced intervals; the
// text names them.
#pragma once

#include <stdint.h>

typedef struct {
  double lifetime_years;  // how long the SSD is to last; 0: its lifetime is ignored
  // The bound on the share of time spent on checkpoints, like SCR_CHECKPOINT_OVERHEAD; 0: none.
  double overhead_percent;
  unsigned ranks;         // number of ranks that share the ramdisk in equal parts; 0 means 1
  unsigned forced_every;  // every n-th checkpoint is forced; 0: none
} CheckpointPolicy;

typedef struct {
  uint64_t number;         // number of the checkpoint: 1, 2, ...
  uint64_t bytes;          // its size in the rank that has the largest part
  uint64_t ramdisk_bytes;  // for all ranks together
  double elapsed;          // seconds since the program began
  double checkpointing;    // seconds of these spent on checkpoints
  uint64_t ssd_bytes;      // bytes written to the SSD in this time
  // The bytes that the SSD is rated for, and those written to it in its life. If `rated` is 0, it is unknown,
  // and the lifetime is ignored.
  uint64_t rated, used;
} LocationState;

typedef enum { location_ramdisk = 1, location_ssd = 2, location_none = 3 } Location;

typedef enum {
  reason_first = 1,     // SSD: the first checkpoint
  reason_allowed = 2,   // SSD: both estimates allow it
  reason_lifetime = 3,  // ramdisk: the SSD would not last long enough
  reason_loss = 4,      // ramdisk: checkpoints took more time than the bound
  reason_size = 5,      // none: an estimate forbids the SSD, and the ramdisk is too small
  reason_forced = 6,    // SSD: a forced checkpoint, against the estimates
} LocationReason;

typedef struct {
  Location location;
  LocationReason reason;
} LocationDecision;

LocationDecision location_decide(const CheckpointPolicy* policy, const LocationState* state);

// The estimates on which the decision is based: two times in seconds, and a fraction of the run's time.
double location_expected_lifetime(const CheckpointPolicy* policy, const LocationState* state);
double location_estimated_lifetime(const LocationState* state);  // infinite while nothing was written
double location_slowdown(const LocationState* state);
