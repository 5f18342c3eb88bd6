// DIMM-SSD controller: keeps named, versioned sets of 4 KiB pages in flash across a power loss. A command
// takes a request in DRAM, runs while the cores go on, and ends with an interrupt.
//
//   dimm_ssd_execute(dimm_ssd_checkpoint, &request);          sleeps in WFI until the command has ended
//   dimm_ssd_start(...); ... dimm_ssd_poll(&error)            the same without sleeping, or
//   dimm_ssd_start(...); ... error = dimm_ssd_wait();
//
// One command runs at a time. One that is given meanwhile is refused: dimm_ssd_start returns false, dimm_ssd_execute
// dimm_ssd_busy, at once, and the other goes on. dimm_ssd_abort is taken all the same, unless a discard runs.
//
// A checkpoint whose method does not stop software ends its command when the list is handed over. From then
// on hardware holds writes to pages that are not copied yet, and dimm_ssd_progress() tells when the versions
// handed over are durable. They become so in the order in which they were given.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// checkpoint: commits the pages as they are when the device has read the request, all or nothing. The same name and
//   list as before save what was modified since; while a version is not durable another name or list is busy.
// find: the newest durable version not above the request's; page_count is 0. dimm_ssd_found_version, _pages.
// restore: writes (name, version) back to the pages; page_count is that of the checkpoint.
// discard: forgets (name, version); page_count is 0.
// abort: gives up the versions that are not durable; page_count is 0.
typedef enum {
  dimm_ssd_checkpoint = 1,
  dimm_ssd_find = 2,
  dimm_ssd_restore = 3,
  dimm_ssd_discard = 4,
  dimm_ssd_abort = 5,
} DimmSsdOperation;

typedef enum {
  dimm_ssd_ok = 0,
  dimm_ssd_bad_descriptor = 1,  // dimm_ssd_bad_index(); or shadow memory that does not fit
  dimm_ssd_bus_error = 2,       // a page is not memory
  dimm_ssd_no_space = 3,
  dimm_ssd_not_found = 4,
  dimm_ssd_uncorrectable = 5,  // flash could not read the checkpoint back
  dimm_ssd_busy = 6,           // a command was given while another ran, or another list while one is open
  dimm_ssd_aborted = 7,
  dimm_ssd_worn_out = 8,
} DimmSsdError;

// How a checkpoint is taken (models/dimm_ssd/checkpoint_method.h).
typedef enum {
  dimm_ssd_configured = 0,  // by the node's configuration
  dimm_ssd_stop_and_copy = 1,
  dimm_ssd_stop_and_copy_hardware = 2,
  dimm_ssd_copy_on_write = 3,
  dimm_ssd_consolidate = 4,
  dimm_ssd_early = 5,
  dimm_ssd_late = 6,
  dimm_ssd_early_late = 7,
  dimm_ssd_early_late_consolidate = 8,
} DimmSsdMethod;
enum { dimm_ssd_methods = 9 };
extern const char* const dimm_ssd_method_names[dimm_ssd_methods];

// 8-byte aligned. Behind it follow uint64_t pages[page_count]: physical addresses, 4 KiB aligned.
typedef struct {
  char name[32];  // NUL padded
  uint64_t version;
  uint32_t page_count;
  uint32_t method;  // DimmSsdMethod, of a checkpoint
} DimmSsdRequest;

bool dimm_ssd_probe(void);  // finds the device in the tree; its interrupt goes to the calling core

DimmSsdError dimm_ssd_execute(DimmSsdOperation operation, const DimmSsdRequest* request);
bool dimm_ssd_start(DimmSsdOperation operation, const DimmSsdRequest* request);  // false: refused
bool dimm_ssd_poll(DimmSsdError* error);  // false: the command is still under way
DimmSsdError dimm_ssd_wait(void);         // sleeps until it has ended

uint64_t dimm_ssd_found_version(void);
uint32_t dimm_ssd_found_pages(void);
uint32_t dimm_ssd_bad_index(void);  // of the page that was refused; all ones: another field

// What became of the checkpoints that were handed over, since the last call. All that are neither open nor
// failed are durable.
typedef struct {
  uint32_t open;            // handed over and not durable
  bool failed;              // versions were given up: this one and all that were handed over after it
  uint64_t failed_version;  // durable is what was handed over before
  DimmSsdError failed_error;
} DimmSsdProgress;
DimmSsdProgress dimm_ssd_progress(void);
void dimm_ssd_await_progress(void);  // sleeps until a version is durable or failed that was not told yet

bool dimm_ssd_stops_software(DimmSsdMethod method);  // its command ends when the version is durable

// DRAM that copy-on-write may fill, aligned whole pages, none of those that are saved; none at first. Holds from the next
// list of pages on that is handed over. Where it does not fit, that checkpoint is a bad_descriptor.
void dimm_ssd_use_shadow(void* first, uint32_t pages);

// Since power-up.
uint32_t dimm_ssd_writes_held(void);   // of cores, that waited for a page to be copied
uint32_t dimm_ssd_lines_copied(void);  // 64-byte lines read from memory for checkpoints
uint32_t dimm_ssd_flash_pages(void);   // programmed

// The device's endurance, in bytes: what it is rated for (0: not stated), and what was written to it in its
// life.
uint64_t dimm_ssd_rated(void);
uint64_t dimm_ssd_written(void);
