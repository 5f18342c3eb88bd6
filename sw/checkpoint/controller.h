// The Checkpoint Location Controller at work: what location_decide() asks for, from the DIMM-SSD's registers
// and the timer, and what it decides, told to the platform (power controller, event checkpoint_location).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/location.h"

typedef struct {
  unsigned (*ranks)(void);
  Location (*decide)(uint64_t version,
                     uint64_t bytes);  // of the next checkpoint; bytes: of the rank that has most
  // Between them a checkpoint is written: the program stands.
  void (*checkpoint_begins)(void);
  void (*checkpoint_ends)(void);
} Controller;

// From now on the run counts: time, what is written to the SSD, the numbers of checkpoints.
const Controller* controller_use(const CheckpointPolicy* policy, uint64_t ramdisk_bytes);
