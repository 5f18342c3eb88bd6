// What the plug-in `drain` has moved from PCRAM to the DIMM-SSD: always the newest checkpoint when the one before is done,
// so that under frequent checkpoints some are left out.
#pragma once

#include <stdint.h>

typedef struct {
  uint64_t checkpoints, bytes, failed;
} DrainCounts;

DrainCounts drain_counts(void);
