// Counts of the plug-in `drain`, which copies checkpoints from PCRAM to the DIMM-SSD: whenever it is idle it
// takes the newest one, so that some are left out if checkpoints are frequent.
#pragma once

#include <stdint.h>

typedef struct {
  uint64_t checkpoints, bytes, failed;
} DrainCounts;

DrainCounts drain_counts(void);
