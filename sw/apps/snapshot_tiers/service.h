// The service core (li2010): it has the NIC, the PCRAM and the DIMM-SSD. It takes whole snapshots from the
// program, saves them to PCRAM, sends them to the buddy, and receives and stores those of the protected rank;
// it also passes the program's edge words on.
#pragma once

#include <stdint.h>

#include "apps/snapshot_tiers/stores.h"

// For cores_run_auxiliary(); works on the first auxiliary core, and returns when the run has ended.
// `argument`: the uint64_t interval of checkpoints in steps.
void service_run(unsigned core, unsigned cores, void* argument);

// After it has returned.
typedef struct {
  uint64_t gathered, gather_ticks;  // images put together from snapshots
  StoreCounts stores;
  BuddyCounts buddy;
} ServiceCounts;
ServiceCounts service_counts(void);
