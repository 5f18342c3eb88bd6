// Checkpoints of memory regions under a name and a version, on the DIMM-SSD. In the shape of VeloC
// (Mem_protect, Checkpoint, Restart_test, Restart) and FTI (Protect, Checkpoint, Recover).
//
//   checkpoint_initialize();
//   checkpoint_protect(0, x, sizeof x);
//   checkpoint_protect(1, &iteration, sizeof iteration);
//   uint64_t version;
//   if (checkpoint_find_newest("cg", checkpoint_any_version, &version) == checkpoint_ok)
//   checkpoint_restore("cg", version);
//   ... checkpoint_write("cg", iteration);
//
// VeloC's asynchronous mode: checkpoint_begin() hands the pages over and the program goes on while the device
// copies them; hardware holds what it writes to a page that is not copied yet. checkpoint_test() and
// checkpoint_wait() tell when a version is durable, or why it never will be.
//
//   checkpoint_use_method(dimm_ssd_early_late);
//   ... checkpoint_begin("cg", iteration);
//   ... if (checkpoint_test(iteration) == checkpoint_ok) ...
//   checkpoint_wait(checkpoint_any_version);
//
// A checkpoint is whole or it does not exist: power may fail at any instant until it is durable. It begins
// with a header page of this library: the table of regions (id, bytes, place in the page) and a checksum over
// all of them. A restore into other regions, or of contents that are not what was written, is refused by
// name.
//
// Levels, as VeloC and FTI have them: level 1 is memory, level 2 the DIMM-SSD. Level 1 is there once
// checkpoint_use_memory() has put it under strong ECC; then every checkpoint goes to it, every n-th to level
// 2 too, and a restore asks level 1 first (abeyratne2017 section 4.3.4). A checkpoint of level 1 that the
// memory cannot correct any more is discarded as a whole. Level 1 survives a warm reset, level 2 the loss of
// power.
//
// PCRAM, where the node has it, is a level of its own between the two once checkpoint_use_pcram() has said so: it takes
// every checkpoint in a little more time than memory does, and survives the loss of power (dong2011 section 5). A restore asks
// memory, PCRAM and DIMM-SSD in this order, and what one of them cannot give back it asks the next one for.
//
//   checkpoint_use_pcram(0, true);
//
// A node that sets cores aside can put them in the place of the DIMM-SSD: they take each checkpoint through a chain of plug-ins
// that convert it, keep equal pages once, store it and drain it to slower or remote storage, and give it back the same way
// (auxiliary/checkpoint_chain.h, li2010). checkpoint_begin returns when they have a copy; checkpoint_test and checkpoint_wait tell when it is stored.
//
//   checkpoint_use_chain(&chain, 8, 9);
//
// Or a controller decides for each checkpoint where it goes, to one level alone, by the SSD's endurance and
// the time that checkpoints cost (checkpoint/location.h, abeyratne2017 section 4.3.3):
//
//   checkpoint_use_memory(sizeof x, 0);
//   const CheckpointPolicy policy = {.lifetime_years = 5, .overhead_percent = 10, .forced_every = 16};
//   checkpoint_use_controller(&policy);
//
// Regions need no alignment. Their whole pages go to the device as they lie; the fragments before and after
// go through pages of this library, so that a restore never touches a neighbour. All calls are of core 0;
// while one runs, no other core may write to a protected region: the checksum is taken over what is there.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checkpoint/location.h"
#include "drivers/dimm_ssd.h"

typedef enum {
  checkpoint_ok = 0,
  checkpoint_no_device,         // the node has no DIMM-SSD
  checkpoint_bad_argument,      // name empty or over 31 characters, nothing protected, region empty
  checkpoint_too_large,         // over 32 regions or over checkpoint_page_limit pages
  checkpoint_not_found,         // no complete checkpoint of that name and version
  checkpoint_other_regions,     // it was made of other regions than are protected now
  checkpoint_torn,              // header or contents are not what was written
  checkpoint_no_space,          // the device is full of checkpoints that nobody discarded
  checkpoint_unreadable,        // flash or PCRAM lost it beyond correction
  checkpoint_device_error,      // the device refused the request: bus error, bad descriptor
  checkpoint_uncorrectable,     // memory lost it beyond correction; a page to be written or where it was kept
  checkpoint_no_strong_memory,  // no memory controller, or it refuses a strong range
  checkpoint_not_asked,         // of a level: the last write or restore did not come to it
  checkpoint_pending,           // handed over, and not durable yet
  checkpoint_busy,              // checkpoints of other regions or another name are not durable yet
  checkpoint_aborted,           // given up by checkpoint_abort
  checkpoint_worn_out,    // too few blocks of the flash, or not all lines of PCRAM, can still be written
  checkpoint_skipped,     // the controller wants it nowhere; the one before it counts
  checkpoint_no_pcram,    // the node has no PCRAM, or too little for two checkpoints
  checkpoint_not_stored,  // a plug-in behind auxiliary cores could not keep it
} CheckpointStatus;

typedef enum {
  checkpoint_memory = 1,
  checkpoint_dimm_ssd = 2,
  checkpoint_pcram = 3,
  checkpoint_chain = 4,  // in the place of the DIMM-SSD
} CheckpointLevel;

#define checkpoint_any_version UINT64_MAX
enum { checkpoint_page_limit = 8192, checkpoint_region_limit = 32, checkpoint_begun_limit = 16 };

const char* checkpoint_text(CheckpointStatus status);

// Finds the device. Call first, and from core 0. Forgets what was protected and begun, the latter when it has
// become durable or failed.
CheckpointStatus checkpoint_initialize(void);

// From now on bytes at data belong to every checkpoint, as region id. The same id again replaces the region.
// Writer and restorer protect the same ids in the same order.
CheckpointStatus checkpoint_protect(int id, void* data, size_t bytes);

// Puts level 1 into the last pages of DRAM, for checkpoints of `bytes` in all regions together: behind
// checkpoint_initialize, which takes it out of use, and before memory_allocate. ssd_every: every n-th
// checkpoint goes to level 2 too, and each that level 1 did not take, which ends its use; 0: none ever. Works
// without a DIMM-SSD, too. checkpoint_uncorrectable: level 1 is in use, and has lost a checkpoint that it
// held.
CheckpointStatus checkpoint_use_memory(uint64_t bytes, unsigned ssd_every);

// Every checkpoint from now on goes to PCRAM too: behind checkpoint_initialize, which takes it out of use. It is written when
// checkpoint_begin returns. PCRAM holds the two newest, found again after a reset of any kind. ssd_every, in place of that of
// checkpoint_use_memory: every n-th checkpoint goes to level 2 too, and each that PCRAM did not take; 0: none ever. incremental: of
// a stack, pages that are as this slot has them are left out. Works without a DIMM-SSD, too. A stack gives a checkpoint
// back to the addresses that it was taken from alone: others are checkpoint_other_regions. checkpoint_bad_argument: behind a chain,
// and nothing has changed, as of the two below.
CheckpointStatus checkpoint_use_pcram(unsigned ssd_every, bool incremental);

// From now on, behind checkpoint_use_memory and in place of its ssd_every: each checkpoint goes to one level,
// or to none, as location_decide says. The ramdisk is the `bytes` of checkpoint_use_memory, the run begins
// now, and what checkpoint_begin and checkpoint_write take is the time that checkpoints cost. Region id
// belongs to rank id % policy->ranks; a node's ranks are never separated: where one of them has no room all
// are skipped. A level that cannot take what it was to take leaves it to the other. Each decision is an event
// of the platform. checkpoint_bad_argument: a negative number. checkpoint_no_device,
// checkpoint_no_strong_memory: a level is missing, and nothing has changed.
CheckpointStatus checkpoint_use_controller(const CheckpointPolicy* policy);

// From now on, behind checkpoint_use_memory and in place of its ssd_every: every n-th checkpoint goes to level 2
// alone, all others to level 1 alone: 10 for the 9:1 of abeyratne2017 section 4.6. A level that cannot take what it
// was to take leaves it to the other. PCRAM takes none then, as with the controller. checkpoint_bad_argument: 0. checkpoint_no_device,
// checkpoint_no_strong_memory: a level is missing, and nothing has changed.
CheckpointStatus checkpoint_use_ratio(unsigned every);

// How the checkpoints from now on are taken on the DIMM-SSD; dimm_ssd_configured, the default: as the node is
// configured.
void checkpoint_use_method(DimmSsdMethod method);

// Takes pages by memory_allocate for the copies of copy_on_write; 0: as many as the present regions have.
// Without them that method holds writes as `late` does. checkpoint_too_large: no memory for them.
CheckpointStatus checkpoint_use_shadow(size_t pages);

// Pages of a checkpoint of the present regions, the header and the fragments' among them.
size_t checkpoint_pages(void);

// How the last checkpoint_write, checkpoint_begin or checkpoint_restore ended there.
CheckpointStatus checkpoint_level_status(CheckpointLevel level);

// Returns when the checkpoint is safe, on one level at least: checkpoint_begin and checkpoint_wait. An earlier
// one of the same name and version is replaced.
CheckpointStatus checkpoint_write(const char* name, uint64_t version);

// Returns checkpoint_ok when the program may go on: with the methods that stop software when the version is
// durable, with the others when the pages are handed over. Level 1 is written at once. What the checkpoint
// holds is settled then; what is written to the regions afterwards belongs to the next one.
//
// Where a version that was handed over has failed and nobody was told, nothing is begun and the failure is the
// answer, once. The next checkpoint is a full one then. Another name or other regions are checkpoint_busy
// while versions are not durable.
CheckpointStatus checkpoint_begin(const char* name, uint64_t version);

// Of one of the last checkpoint_begun_limit versions that were begun: checkpoint_ok when it is durable,
// checkpoint_pending, checkpoint_skipped, or why it was given up. One that level 1 alone was to take is as it
// was begun.
CheckpointStatus checkpoint_test(uint64_t version);
// The same, but sleeps while it is pending. checkpoint_any_version: until none is pending; the first failure
// that nobody was told.
CheckpointStatus checkpoint_wait(uint64_t version);

// Gives up all versions that are not durable; those that are stay. Of a chain it waits for them instead.
CheckpointStatus checkpoint_abort(void);

// The newest durable version not above max_version, of all levels.
CheckpointStatus checkpoint_find_newest(const char* name, uint64_t max_version, uint64_t* version);

// Fills the protected regions. After checkpoint_not_found they are as before; after any other error their
// contents are undefined: initialize them, or restore another version. A version that memory or PCRAM has lost
// is discarded there, and the next level is asked for it. Waits for what is pending.
CheckpointStatus checkpoint_restore(const char* name, uint64_t version);

// Gives the space of a checkpoint back, on all levels; waits for it while it is pending.
CheckpointStatus checkpoint_discard(const char* name, uint64_t version);
