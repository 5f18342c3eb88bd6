// Memory for an app, allocated from the bottom up and never freed. It is not cleared: it contains whatever
// DRAM contained. At first it is the memory from the end of the firmware to the end of DRAM, whose size is
// that of /memory in the device tree, or 64 MiB if there is none.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { page_bytes = 4096 };

void* memory_allocate(size_t bytes);  // page aligned; NULL when it does not fit
uint64_t memory_free_start(void);     // first address that is not allocated, page aligned
uint64_t memory_end(void);            // end of DRAM

// Allocates from [first, end) from now on, in whole pages, without the part that the firmware occupies.
// Earlier allocations inside the new range are no longer reserved.
void memory_allocate_from(uint64_t first, uint64_t end);
// Reserves the memory from `first` on: it is not allocated.
void memory_keep_from(uint64_t first);
