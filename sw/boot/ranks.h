// The ranks of memory, and which of them an app's data should avoid.
//
// If a rank is one range of addresses (mapping Ra.. in the node file), it can be retired: that happens when
// the error log has an uncorrectable error in it. The firmware itself is in rank 0 and stays there. Reading
// the log empties it; its result is kept in the page before the firmware, which survives a warm reset. A
// power loss clears both.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/memory_controller.h"

typedef void (*ErrorVisitor)(const MemoryError* error);

// Call it after memory_controller_probe() and power_probe(). `warm` says that the node has started by a warm
// reset, so that the kept results are valid.
void ranks_initialize(bool warm);
// Empties the error log, retires ranks, and calls the visitor, which may be NULL, for each error. Returns the
// number of uncorrectable errors. Any core may call it, but only one at a time.
unsigned ranks_read_log(ErrorVisitor visitor);
bool ranks_retired(unsigned rank);
// Makes memory_allocate() use the highest rank that is not retired, or the memory after the firmware if only
// rank 0 is left. Returns that rank, or -1 without an effect if ranks are not ranges of addresses.
int ranks_choose(void);

// The number of warm resets that firmware has requested since power-up; the count survives them.
unsigned ranks_resets(void);
void ranks_count_reset(void);
