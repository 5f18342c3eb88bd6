// Asynchronous checkpoints: the last checkpoint_begun_limit versions that were begun, and the status of each.
// The device makes pending versions durable in the order in which they were handed over.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/store.h"

// Sets the store that reports the status of versions; NULL for the DIMM-SSD. No version may be pending.
void asynchronous_use_store(const CheckpointStore* store);
// Each DIMM-SSD has versions of its own; those of the first one are selected at first.
void asynchronous_select(unsigned dimm_ssd);
// Removes all entries.
void asynchronous_clear(void);
// Adds a version. `reported` suppresses a report of its failure by asynchronous_unreported_failure(). If the
// list is full and its oldest version is pending, the function waits for that version.
void asynchronous_add(uint64_t version, CheckpointStatus status, bool reported);
void asynchronous_update(void);  // updates all entries with the progress of the device
void asynchronous_finish(void);  // sleeps until no version is pending

bool asynchronous_is_pending(uint64_t version);
// The status of a version; checkpoint_not_found if it is not in the list. A failure counts as reported
// afterwards.
CheckpointStatus asynchronous_status(uint64_t version);
// Sleeps while the version is pending, then returns its status as above.
CheckpointStatus asynchronous_wait(uint64_t version);
// The oldest failure that was not reported, or checkpoint_ok. All failures count as reported afterwards.
CheckpointStatus asynchronous_unreported_failure(void);
