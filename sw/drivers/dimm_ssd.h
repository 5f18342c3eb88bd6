// DIMM-SSD controller: keeps named, versioned sets of 4 KiB pages in flash across a power loss. A command
// takes a request in DRAM, runs while the cores go on, and ends with an interrupt; the caller sleeps in WFI
// until then.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// checkpoint: copies the pages as they are while it runs, and commits all or nothing.
// find: the newest complete version not above the request's; page_count is 0. dimm_ssd_found_version, _pages.
// restore: writes (name, version) back to the pages; page_count is that of the checkpoint.
// discard: forgets (name, version); page_count is 0.
typedef enum {
  dimm_ssd_checkpoint = 1,
  dimm_ssd_find = 2,
  dimm_ssd_restore = 3,
  dimm_ssd_discard = 4,
} DimmSsdOperation;

typedef enum {
  dimm_ssd_ok = 0,
  dimm_ssd_bad_descriptor = 1,
  dimm_ssd_bus_error = 2,  // a page is not memory
  dimm_ssd_no_space = 3,
  dimm_ssd_not_found = 4,
  dimm_ssd_uncorrectable = 5,  // flash could not read the checkpoint back
  dimm_ssd_busy = 6,           // a command was given while another ran
} DimmSsdError;

// 8-byte aligned. Behind it follow uint64_t pages[page_count]: physical addresses, 4 KiB aligned.
typedef struct {
  char name[32];  // NUL padded
  uint64_t version;
  uint32_t page_count;
  uint32_t reserved;  // 0
} DimmSsdRequest;

bool dimm_ssd_probe(void);  // finds the device in the tree; its interrupt goes to the calling core
DimmSsdError dimm_ssd_execute(DimmSsdOperation operation, const DimmSsdRequest* request);
uint64_t dimm_ssd_found_version(void);
uint32_t dimm_ssd_found_pages(void);
