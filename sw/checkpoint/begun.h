// The last checkpoint_begun_limit versions that were begun, and what became of them. The device makes
// those that are pending durable in the order in which they were handed over.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/store.h"

// Who knows what became of them; NULL: the DIMM-SSD. None is pending.
void begun_use_store(const CheckpointStore* store);
void begun_forget(void);
// told: nobody needs to be told should it fail. Waits when the oldest of them is pending still.
void begun_add(uint64_t version, CheckpointStatus status, bool told);
void begun_settle(void);  // with what the device says by now
void begun_finish(void);  // sleeps until none is pending

bool begun_is_pending(uint64_t version);
// checkpoint_not_found: is not among them. Tells a failure.
CheckpointStatus begun_status(uint64_t version);
CheckpointStatus begun_wait(uint64_t version);
// The oldest failure that nobody was told, else checkpoint_ok. Tells all of them.
CheckpointStatus begun_failure(void);
