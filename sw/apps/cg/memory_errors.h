// How cg handles memory that fails: its data are in a rank without uncorrectable errors, and poisoned data on
// any core lead to a warm reset, since wrong values may have spread by then. Without a memory controller in
// the device tree none of this happens.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/checkpoint.h"

// Call it before memory_allocate. has_power: whether the power controller exists.
void memory_errors_prepare(bool has_power);
// Reads the error log, so that it has space for further errors, and prints the new ones.
void memory_errors_read(void);
// Called when cg resumes from a checkpoint of this level: reports to the platform if an error was the reason.
void memory_errors_recovered(CheckpointLevel level);
