// The Checkpoint Location Controller at work: what location_decide() asks for, from the DIMM-SSD's registers
// and the timer, and what it decides, told to the platform (power controller, event checkpoint_location).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/location.h"

// From now on the run counts: time, what is written to the SSD, the numbers of checkpoints.
void controller_use(const CheckpointPolicy* policy, uint64_t ramdisk_bytes);
void controller_forget(void);
bool controller_is_used(void);
unsigned controller_ranks(void);

// Of the next checkpoint; bytes: of the rank that has most.
Location controller_decide(uint64_t version, uint64_t bytes);

// Between them a checkpoint is written: the program stands.
void controller_checkpoint_begins(void);
void controller_checkpoint_ends(void);
