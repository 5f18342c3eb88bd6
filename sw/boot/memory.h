// Memory behind the firmware, handed out from the bottom up and never given back. It holds whatever DRAM
// held: nothing is zero. Its end comes from the device tree's /memory, 64 MiB where there is none.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { page_bytes = 4096 };

void* memory_allocate(size_t bytes);  // page aligned; NULL when it does not fit
uint64_t memory_free_start(void);     // first address not handed out, page aligned
uint64_t memory_end(void);            // end of DRAM
