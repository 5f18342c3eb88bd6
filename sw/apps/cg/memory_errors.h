// What cg does about memory that fails: its data lie in a rank without uncorrectable errors, and poisoned
// data on any core end in a warm reset, since wrong values may have spread by then. On a machine that does
// not tell of its memory nothing of this happens.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/checkpoint.h"

// Before memory_allocate. has_power: the power controller is there.
void memory_errors_prepare(bool has_power);
// Reads the error log, so that it has room for what comes, and says what is new in it.
void memory_errors_read(void);
// cg goes on from a checkpoint of this level: the platform is told when an error was the reason.
void memory_errors_recovered(CheckpointLevel level);
