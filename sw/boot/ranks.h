// The ranks of the memory, and where an app's data had better not lie.
//
// Where a rank is one range of addresses (mapping Ra.. in the node file), it can be taken out of use: it is
// retired when the error log names an uncorrectable error in it. The firmware itself lies in rank 0 and stays
// there. Reading empties the log; what it said is kept in the page before the firmware, where a warm reset
// leaves it. A power loss forgets both.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/memory_controller.h"

typedef void (*ErrorVisitor)(const MemoryError* error);

// After memory_controller_probe() and power_probe(). warm: the node has started by a warm reset; what was
// kept counts.
void ranks_initialize(bool warm);
// Empties the error log: retires ranks, shows each error to the visitor, which may be NULL. Returns how many
// were uncorrectable. From any core, one at a time.
unsigned ranks_read_log(ErrorVisitor visitor);
bool ranks_retired(unsigned rank);
// memory_allocate goes on in the highest rank that is not retired, behind the firmware when only rank 0 is
// left. Returns that rank; -1 when ranks are no ranges of addresses: then nothing changes.
int ranks_choose(void);

// How many warm resets firmware has asked for since the power came: a count that survives them.
unsigned ranks_resets(void);
void ranks_count_reset(void);
