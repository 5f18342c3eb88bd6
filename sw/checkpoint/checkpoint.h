// The checkpoint library: checkpoints of memory regions, each with a name and a version, on the DIMM-SSD. The
// interface follows VeloC (Mem_protect, Checkpoint, Restart_test, Restart) and FTI (Protect, Checkpoint,
// Recover).
//
//   checkpoint_initialize();
//   checkpoint_protect(0, x, sizeof x);
//   checkpoint_protect(1, &iteration, sizeof iteration);
//   uint64_t version;
//   if (checkpoint_find_newest("cg", checkpoint_any_version, &version) == checkpoint_ok)
//     checkpoint_restore("cg", version);
//   ... checkpoint_write("cg", iteration);
//
// Asynchronous mode, as in VeloC: checkpoint_begin() hands the pages over, and the program continues while
// the device copies them. Hardware blocks a write to a page that has not been copied yet. checkpoint_test()
// and checkpoint_wait() report when a version is durable, or why it failed.
//
//   checkpoint_use_method(dimm_ssd_early_late);
//   ... checkpoint_begin("cg", iteration);
//   ... if (checkpoint_test(iteration) == checkpoint_ok) ...
//   checkpoint_wait(checkpoint_any_version);
//
// A checkpoint is either complete or does not exist: power may fail at any instant until it is durable. It
// begins with a header page of this library, which holds the table of regions (id, bytes, offset in the page)
// and a checksum over all of them. A restore into other regions, or of contents that differ from those
// written, fails with a status that says so.
//
// Levels, as in VeloC and FTI: level 1 is memory, level 2 is the DIMM-SSD. Level 1 exists after
// checkpoint_use_memory() has put it under strong ECC. Then every checkpoint is written to level 1, every
// n-th also to level 2, and a restore tries level 1 first (abeyratne2017 section 4.3.4). A checkpoint on
// level 1 that memory cannot correct is discarded as a whole. Level 1 survives a warm reset, level 2 also a
// power loss.
//
// PCRAM, if the node has it, is a further level between these two after checkpoint_use_pcram(). It takes
// every checkpoint, in slightly more time than memory, and survives a power loss (dong2011 section 5). A
// restore tries memory, PCRAM and the DIMM-SSD, in this order, until one of them returns the checkpoint.
//
//   checkpoint_use_pcram(0, true);
//
// A node with auxiliary cores can use them in place of the DIMM-SSD. They pass each checkpoint through a
// chain of plug-ins that convert it, store equal pages only once, store it, and drain it to slower or remote
// storage; a restore takes the same way back (auxiliary/checkpoint_chain.h, li2010). checkpoint_begin()
// returns when the auxiliary cores have a copy; checkpoint_test() and checkpoint_wait() report when it is
// stored.
//
//   checkpoint_use_chain(&chain, 8, 9);
//
// Alternatively, a controller selects one level for each checkpoint, by the endurance of the SSD and the time
// that checkpoints cost (checkpoint/location.h, abeyratne2017 section 4.3.3):
//
//   checkpoint_use_memory(sizeof x, 0);
//   const CheckpointPolicy policy = {.lifetime_years = 5, .overhead_percent = 10, .forced_every = 16};
//   checkpoint_use_controller(&policy);
//
// A node may have several DIMM-SSDs, each beside the memory that it guards. All functions are about the
// checkpoints on the selected one, at first the first one. Each has regions, a method and pending versions of
// its own; other levels can be used with the first one only.
//
//   checkpoint_select(1, memory);     CHECKPOINT_OWN_BYTES of the memory that DIMM-SSD 1 guards
//   checkpoint_initialize();
//   checkpoint_protect(0, y, sizeof y);
//   checkpoint_begin("cg", iteration);
//   checkpoint_select(0, NULL);
//   checkpoint_begin("cg", iteration);
//
// Regions need no alignment. Their whole pages are transferred in place; the fragments before and after them
// are copied through pages of this library, so that a restore never writes outside a region. Call all
// functions on core 0. While one runs, no other core may write to a protected region, because the checksum is
// computed over its contents.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checkpoint/location.h"
#include "drivers/dimm_ssd.h"

typedef enum {
  checkpoint_ok = 0,
  checkpoint_no_device,         // the node has no DIMM-SSD
  checkpoint_bad_argument,      // name empty or over 31 characters, nothing protected, or region empty
  checkpoint_too_large,         // more than 32 regions or more than checkpoint_page_limit pages
  checkpoint_not_found,         // there is no complete checkpoint with this name and version
  checkpoint_other_regions,     // the checkpoint was written for other regions than those protected now
  checkpoint_torn,              // header or contents differ from those written
  checkpoint_no_space,          // the device is full of checkpoints that were not discarded
  checkpoint_unreadable,        // flash or PCRAM has an uncorrectable error
  checkpoint_device_error,      // the device refused the request: bus error or bad descriptor
  checkpoint_uncorrectable,     // memory has an uncorrectable error, in a page to be written or in level 1
  checkpoint_no_strong_memory,  // there is no memory controller, or it refused a strong range
  checkpoint_not_asked,         // of a level: the last write or restore did not use it
  checkpoint_pending,           // handed over, but not durable yet
  checkpoint_busy,              // checkpoints of other regions or another name are not durable yet
  checkpoint_aborted,           // abandoned by checkpoint_abort()
  checkpoint_worn_out,          // too few blocks of flash, or not all lines of PCRAM, can still be written
  checkpoint_skipped,     // the controller selected no level; the previous checkpoint remains the newest
  checkpoint_no_pcram,    // the node has no PCRAM, or too little for two checkpoints
  checkpoint_not_stored,  // a plug-in on the auxiliary cores could not store it
  checkpoint_no_cxl,      // the node has no CXL device of this kind, or too little of its memory
} CheckpointStatus;

typedef enum {
  checkpoint_memory = 1,
  checkpoint_dimm_ssd = 2,
  checkpoint_pcram = 3,
  checkpoint_chain = 4,  // auxiliary cores, in place of the DIMM-SSD
  checkpoint_cxl = 5,    // the memory of a CXL expander
} CheckpointLevel;

#define checkpoint_any_version UINT64_MAX
enum { checkpoint_page_limit = 8192, checkpoint_region_limit = 32, checkpoint_begun_limit = 16 };

// A short text for a status, for messages; never NULL.
const char* checkpoint_text(CheckpointStatus status);

// Selects the DIMM-SSD `dimm_ssd` of the device tree. The library keeps what that one must be able to read
// and write besides regions in `memory`, CHECKPOINT_OWN_BYTES that begin at a page in the memory which it
// guards (device_tree_memory_of()); NULL: in that of the last call for it, or in the library's own. Errors,
// which change nothing: checkpoint_no_device; checkpoint_bad_argument for memory that is not aligned, or
// none in the first call for another DIMM-SSD than 0.
CheckpointStatus checkpoint_select(unsigned dimm_ssd, void* memory);
#define CHECKPOINT_OWN_BYTES (83u * 4096u)

// Initializes the library and probes the selected DIMM-SSD; call it first. It waits until no version is
// pending, forgets all protected regions and versions, and stops the use of all other levels. Returns
// checkpoint_no_device if there is no DIMM-SSD; memory and PCRAM can be used even then.
CheckpointStatus checkpoint_initialize(void);

// Adds the `bytes` bytes at `data` to every following checkpoint, as region `id`; replaces an earlier region
// with the same id. The program that restores must protect the same ids in the same order as the one that
// wrote. Errors: checkpoint_bad_argument, checkpoint_too_large.
CheckpointStatus checkpoint_protect(int id, void* data, size_t bytes);

// Starts to use level 1, in the last pages of DRAM, for checkpoints of up to `bytes` in all regions together.
// Call it after checkpoint_initialize(), which stops its use, and before memory_allocate(). Every
// ssd_every-th checkpoint, and every one that level 1 could not take, is also written to level 2; with 0 none
// ever is. After a failed write level 1 is not used any more. It works without a DIMM-SSD. Errors:
// checkpoint_no_strong_memory; checkpoint_uncorrectable if a checkpoint on level 1 was lost: level 1 is in
// use even so; checkpoint_bad_argument if another DIMM-SSD than 0 is selected.
CheckpointStatus checkpoint_use_memory(uint64_t bytes, unsigned ssd_every);

// Starts to write every following checkpoint also to PCRAM, which is complete when checkpoint_begin()
// returns. Call it after checkpoint_initialize(), which stops its use. PCRAM holds the two newest checkpoints
// and keeps them over a reset of any kind. ssd_every replaces that of checkpoint_use_memory(): every
// ssd_every-th checkpoint, and every one that PCRAM could not take, is also written to level 2; with 0 none
// ever is. With `incremental`, pages of a stack that the slot already holds are left out. It works without a
// DIMM-SSD. A stack returns a checkpoint only to the addresses from which it was taken; other addresses are
// checkpoint_other_regions. Errors, which change nothing: checkpoint_no_pcram; checkpoint_bad_argument if a
// chain is in use, or another DIMM-SSD than 0 is selected.
CheckpointStatus checkpoint_use_pcram(unsigned ssd_every, bool incremental);

// Starts to write every following checkpoint also to the last pages of the memory of a CXL expander, for
// checkpoints of up to `bytes` in all regions together. Call it after checkpoint_initialize(), which stops
// its use. The expander holds the two newest checkpoints; what they survive depends on its supply
// (docs/cxl.md). ssd_every replaces that of checkpoint_use_memory(): every ssd_every-th checkpoint, and every
// one that the expander could not take, is also written to level 2; with 0 none ever is. Lines that are
// poisoned are cleared before they are written. After a failed write the expander is not used any more. It
// works without a DIMM-SSD. Errors: checkpoint_no_cxl; checkpoint_uncorrectable if a checkpoint in it was
// lost: it is in use even so; checkpoint_bad_argument, which changes nothing, if another DIMM-SSD than 0 is
// selected or PCRAM, a chain, the controller or a ratio is in use.
CheckpointStatus checkpoint_use_cxl(uint64_t bytes, unsigned ssd_every);

// Starts to write each following checkpoint to one level or to none, as selected by location_decide(), in
// place of the ssd_every of checkpoint_use_memory(), which must be called before. The ramdisk is the `bytes`
// of checkpoint_use_memory(); the run begins now; and the cost of checkpoints is the time that
// checkpoint_begin() and checkpoint_write() take. Region id belongs to rank id % policy->ranks. The ranks of
// a node are never separated: if the checkpoint of one does not fit, all are skipped. If the selected level
// fails, the other one is used. The platform records each decision as an event. Errors, which change nothing:
// checkpoint_bad_argument for a negative number or if a chain is in use; checkpoint_no_device or
// checkpoint_no_strong_memory if a level is missing.
CheckpointStatus checkpoint_use_controller(const CheckpointPolicy* policy);

// Starts to write every `every`-th checkpoint to level 2 only and all others to level 1 only, in place of the
// ssd_every of checkpoint_use_memory(), which must be called before; 10 gives the 9:1 of abeyratne2017
// section 4.6. If the selected level fails, the other one is used. PCRAM is not used then, nor with the
// controller. Errors, which change nothing: checkpoint_bad_argument for 0 or if a chain is in use;
// checkpoint_no_device or checkpoint_no_strong_memory if a level is missing.
CheckpointStatus checkpoint_use_ratio(unsigned every);

// Sets the method by which the DIMM-SSD takes following checkpoints. The default, dimm_ssd_configured, is the
// method of the node's configuration.
void checkpoint_use_method(DimmSsdMethod method);

// Allocates this number of pages with memory_allocate() for the copies of the method copy_on_write; 0: as
// many as the protected regions have. Without them that method blocks writes like the method `late`. Errors:
// checkpoint_no_device; checkpoint_too_large if there is not enough memory.
CheckpointStatus checkpoint_use_shadow(size_t pages);

// The number of pages in a checkpoint of the protected regions, including the header page and those of
// fragments.
size_t checkpoint_pages(void);

// The result of the last checkpoint_write(), checkpoint_begin() or checkpoint_restore() on this level.
CheckpointStatus checkpoint_level_status(CheckpointLevel level);

// Writes a checkpoint and returns when it is safe on at least one level: checkpoint_begin() and
// checkpoint_wait() in one. It replaces an earlier checkpoint with the same name and version. Errors: those
// of checkpoint_begin(), or why no level could keep the checkpoint.
CheckpointStatus checkpoint_write(const char* name, uint64_t version);

// Begins a checkpoint and returns checkpoint_ok when the program may continue: with methods that stop
// software when the version is durable, with the others when the pages are handed over. Level 1 and PCRAM are
// written before it returns. The contents of the checkpoint are then fixed; later writes to the regions
// belong to the next one.
//
// If a version that was handed over has failed, and the failure was not reported yet, the function begins
// nothing and returns that failure, once; the next checkpoint is then a full one. If versions of another name
// or of other regions are pending, it returns checkpoint_busy. Further errors: checkpoint_no_device,
// checkpoint_bad_argument, checkpoint_too_large; checkpoint_skipped if the controller selected no level.
CheckpointStatus checkpoint_begin(const char* name, uint64_t version);

// The status of one of the last checkpoint_begun_limit versions that were begun: checkpoint_ok if it is
// durable, checkpoint_pending, checkpoint_skipped, or why it failed; checkpoint_not_found for any other
// version. The status of a version that was to be written to level 1 only does not change.
CheckpointStatus checkpoint_test(uint64_t version);
// As checkpoint_test(), but sleeps while the version is pending. With checkpoint_any_version it sleeps until
// no version is pending and returns the first failure that was not reported, or checkpoint_ok.
CheckpointStatus checkpoint_wait(uint64_t version);

// Abandons all versions that are not durable; durable ones are kept. With a chain it waits for them instead.
// Errors: checkpoint_no_device.
CheckpointStatus checkpoint_abort(void);

// Finds the newest durable version on all levels that is not above max_version, and stores its number in
// *version. Returns checkpoint_not_found if there is none.
CheckpointStatus checkpoint_find_newest(const char* name, uint64_t max_version, uint64_t* version);

// Fills the protected regions from a checkpoint, after waiting for pending versions. After
// checkpoint_not_found the regions are unchanged. After any other error their contents are undefined:
// initialize them, or restore another version. If memory or PCRAM has lost the version, it is discarded there
// and the next level is tried.
CheckpointStatus checkpoint_restore(const char* name, uint64_t version);

// Discards a checkpoint on all levels and frees its space; waits for it if it is pending. Returns
// checkpoint_not_found if no level has it.
CheckpointStatus checkpoint_discard(const char* name, uint64_t version);
