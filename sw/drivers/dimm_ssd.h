// Driver of the DIMM-SSD controller, which keeps named, versioned sets of 4 KiB pages in flash across a power
// loss. A command reads a request from DRAM, runs while the cores continue, and ends with an interrupt.
//
//   dimm_ssd_execute(dimm_ssd_checkpoint, &request);          sleeps in WFI until the command has ended
//   dimm_ssd_start(...); ... dimm_ssd_poll(&error)            the same without sleeping, or
//   dimm_ssd_start(...); ... error = dimm_ssd_wait();
//
// One command runs at a time. A further command is refused at once, without an effect on the running one:
// dimm_ssd_start() returns false, dimm_ssd_execute() returns dimm_ssd_busy. Only dimm_ssd_abort is accepted,
// unless a discard runs.
//
// If the method of a checkpoint does not stop software, its command ends when the list of pages is handed
// over. From then on hardware blocks writes to pages that are not copied yet, and dimm_ssd_progress() reports
// when the versions handed over are durable. They become durable in the order in which they were handed over.
//
// A node may have several DIMM-SSDs, each beside a memory of its own (device_tree_memory_of()), in which
// requests and pages must be. All functions are about the device that is selected; at first that is the first
// one in the device tree. What another one has reported in the meantime is kept until it is selected.
//
//   if (dimm_ssd_select(1) && dimm_ssd_probe()) ...
#pragma once

#include <stdbool.h>
#include <stdint.h>

// checkpoint: commits the contents that the pages have when the device has read the request, all or nothing.
//   With the same name and list as before, only modified pages are saved. While a version is not durable,
//   another name or list is refused with dimm_ssd_busy.
// find: finds the newest durable version not above that of the request; page_count is 0.
//   dimm_ssd_found_version() and dimm_ssd_found_pages() return the result.
// restore: writes the version back to the pages; page_count must be that of the checkpoint.
// discard: removes the version; page_count is 0.
// abort: abandons the versions that are not durable; page_count is 0.
typedef enum {
  dimm_ssd_checkpoint = 1,
  dimm_ssd_find = 2,
  dimm_ssd_restore = 3,
  dimm_ssd_discard = 4,
  dimm_ssd_abort = 5,
} DimmSsdOperation;

typedef enum {
  dimm_ssd_ok = 0,
  dimm_ssd_bad_descriptor = 1,  // dimm_ssd_bad_index() says which page; or the shadow memory does not fit
  dimm_ssd_bus_error = 2,       // a page is not in memory
  dimm_ssd_no_space = 3,
  dimm_ssd_not_found = 4,
  dimm_ssd_uncorrectable = 5,  // flash could not read the checkpoint back
  dimm_ssd_busy = 6,           // a command was given while another ran, or another list while one is open
  dimm_ssd_aborted = 7,
  dimm_ssd_worn_out = 8,
} DimmSsdError;

// How a checkpoint is taken (models/dimm_ssd/checkpoint_method.h).
typedef enum {
  dimm_ssd_configured = 0,  // the method of the node's configuration
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

// A request, 8-byte aligned. It is followed by uint64_t pages[page_count]: physical addresses, 4 KiB aligned.
typedef struct {
  char name[32];  // NUL padded
  uint64_t version;
  uint32_t page_count;
  uint32_t method;  // a DimmSsdMethod, for a checkpoint
} DimmSsdRequest;

enum { dimm_ssd_limit = 4 };
// Selects device `instance` of the device tree; dimm_ssd_probe() must have been called since the start for
// each device that is used. False: there is none, and the selection is as before.
bool dimm_ssd_select(unsigned instance);
bool dimm_ssd_probe(void);  // finds the device in the device tree; the calling core gets its interrupt

DimmSsdError dimm_ssd_execute(DimmSsdOperation operation, const DimmSsdRequest* request);
bool dimm_ssd_start(DimmSsdOperation operation, const DimmSsdRequest* request);  // false: refused
bool dimm_ssd_poll(DimmSsdError* error);  // false: the command still runs
DimmSsdError dimm_ssd_wait(void);         // sleeps until the command has ended

uint64_t dimm_ssd_found_version(void);
uint32_t dimm_ssd_found_pages(void);
uint32_t dimm_ssd_bad_index(void);  // index of the page that was refused; all ones: another field was

// The progress of the checkpoints that were handed over, since the last call. All that are neither open nor
// failed are durable.
typedef struct {
  uint32_t open;            // versions handed over but not durable
  bool failed;              // failed_version and all versions handed over after it have failed
  uint64_t failed_version;  // versions handed over before it are durable
  DimmSsdError failed_error;
} DimmSsdProgress;
DimmSsdProgress dimm_ssd_progress(void);
void dimm_ssd_await_progress(void);  // sleeps until there is progress that was not reported yet
// Whether there is such progress. This and dimm_ssd_has_ended() read no register, and can be called with
// interrupts masked.
bool dimm_ssd_has_progressed(void);
bool dimm_ssd_has_ended(void);  // whether the last command has: dimm_ssd_poll() returns true

bool dimm_ssd_stops_software(
    DimmSsdMethod method);  // whether its command ends only when the version is durable

// Sets the DRAM to which copy-on-write copies pages: aligned whole pages, none of which is saved itself, by
// this or another DIMM-SSD; at first there is none. It is used from the next list of pages on. If that
// checkpoint needs more, it fails with dimm_ssd_bad_descriptor.
void dimm_ssd_use_shadow(void* first, uint32_t pages);

// Counts since power-up.
uint32_t dimm_ssd_writes_held(void);   // writes of cores that waited for a page to be copied
uint32_t dimm_ssd_lines_copied(void);  // 64-byte lines read from memory for checkpoints
uint32_t dimm_ssd_flash_pages(void);   // flash pages programmed

// The device's endurance, in bytes: its rating (0: unknown), and what was written to it in its life.
uint64_t dimm_ssd_rated(void);
uint64_t dimm_ssd_written(void);
