// Driver of a CXL SSD (docs/cxl.md): where its memory is, and how to make what was stored there durable.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t first, bytes;  // physical addresses of its memory
  uint64_t cache_bytes;   // of flash pages in its DRAM
  uint32_t page_bytes;    // of a flash page
  bool is_protected;      // a reserve of energy saves its cache: what it was sent is durable
} CxlSsd;

bool cxl_ssd_probe(CxlSsd* ssd);  // call the other functions only after it has returned true

// Sends the lines of a range from the caches of the cores to the device. If that is_protected, they are
// durable then.
void cxl_ssd_clean(const void* first, size_t bytes);
// Cleans the range, and sleeps in WFI until all that the device has been sent is durable. False: some of it
// is not, because flash cannot be written, or because the rest of an unreadable page is missing.
bool cxl_ssd_flush(const void* first, size_t bytes);

// Whether a page of flash has been found unreadable since the last call. Its lines are poisoned until all of
// each has been stored, and it is not written before that.
bool cxl_ssd_has_lost(void);

uint32_t cxl_ssd_misses(void);         // accesses that made the device read flash
uint32_t cxl_ssd_pages_written(void);  // flash pages that were programmed
uint32_t cxl_ssd_lines_written(void);  // modified lines in them
