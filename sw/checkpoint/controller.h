// The Checkpoint Location Controller: it reads the inputs of location_decide() from the DIMM-SSD's registers
// and the timer, and reports each decision to the platform (power controller, event checkpoint_location).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/location.h"

typedef struct {
  unsigned (*ranks)(void);
  Location (*decide)(uint64_t version,
                     uint64_t bytes);  // of the next checkpoint; bytes: of the rank that has most
  // These enclose the writing of a checkpoint, during which the program is stalled.
  void (*checkpoint_begins)(void);
  void (*checkpoint_ends)(void);
} Controller;

// Starts a run: elapsed time, bytes written to the SSD and checkpoint numbers are counted from now on.
const Controller* controller_use(const CheckpointPolicy* policy, uint64_t ramdisk_bytes);
