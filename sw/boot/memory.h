// Memory for an app, handed out from the bottom up and never given back. It holds whatever DRAM held: nothing is
// zero. At first it is what lies behind the firmware up to the end of DRAM, which comes from the device tree's
// /memory, 64 MiB where there is none.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { page_bytes = 4096 };

void* memory_allocate(size_t bytes);  // page aligned; NULL when it does not fit
uint64_t memory_free_start(void);     // first address not handed out, page aligned
uint64_t memory_end(void);            // end of DRAM

// From now on memory comes from [first, end), whole pages; what of it the firmware takes is left out. What was
// handed out before stays so only where the new range does not reach.
void memory_allocate_from(uint64_t first, uint64_t end);
// Memory from `first` on is not handed out.
void memory_keep_from(uint64_t first);
