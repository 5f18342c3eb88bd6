// Functional partitioning (li2010): FP(X, Y), X auxiliary cores and Y that compute. The program hands over its checkpoint in
// blocks and goes on; auxiliary cores take them through a chain of plug-ins.
//
//   auxiliary_initialize(&chain, 16, 9);         16 buffers of 9 chunks: a record has 9 words
//   auxiliary_use_pages(name, pages, 108);
//   auxiliary_restore(auxiliary_any, &version, &from);
//   auxiliary_start();
//   ... auxiliary_write(version); ...
//   auxiliary_finish();
//
// Programs use it behind the checkpoint library (checkpoint_chain.h).
//
// Buffers lie in shared memory and their numbers go in a circle: free ones to the compute cores, which fill them side by side;
// filled ones to the auxiliary cores; back when stored. A writer that finds none free waits, and one whose last checkpoint is
// still under way waits for it: that is the time the program stands still. Of X cores the last one runs store and drain, the
// others the transforms; one core alone runs all. With X = 0 the compute cores transform the blocks that they filled, core 0
// stores them and drains, and the program goes on when all is done.
//
// All calls are of core 0; inside cores_run it copies alone. At the end of a checkpoint all its plug-ins have closed it or it counts as
// failed, and the one before is what a restore finds.
#pragma once

#include "auxiliary/chain.h"

enum { buffer_limit = 32 };

typedef struct {
  uint64_t written, failed;  // checkpoints
  uint64_t bytes;            // handed over
  uint64_t waits;            // for a free buffer
  uint64_t stalled_ticks;    // of the generic timer: inside auxiliary_write and auxiliary_wait
  uint64_t waited_ticks;     // of it, for buffers or the checkpoint before; the longest of the cores, summed
  uint64_t passed_ticks;     // from the hand-over's begin until the store has closed
  uint64_t plug_in_ticks[chain_limit];  // of all cores, in each
} AuxiliaryCounts;

// Finds the devices. Returns NULL, or what is missing. Takes memory for `buffers` (1..buffer_limit) of `record_words`
// (1..block_chunk_limit) chunks.
const char* auxiliary_initialize(const Chain* chain, unsigned buffers, unsigned record_words);
// What checkpoints from now on are of, and restores fill: pages of memory, by address, in a list that stays as it is. Blocks run on from
// one page of it to the next: a region of whole blocks keeps its records, and what it has in common with the checkpoint before, to itself. name: a
// hash of the program's name for them. False: more than checkpoint_chunk_limit. While none is under way.
bool auxiliary_use_pages(uint64_t name, const uint64_t* pages, uint32_t count);

typedef enum { auxiliary_any, auxiliary_from_store, auxiliary_from_drain } AuxiliarySource;
// The way back: of the store, or the drain where that has it alone. Only before auxiliary_start or after auxiliary_finish.
bool auxiliary_find(AuxiliarySource source, uint64_t max_version, uint64_t* version);  // the newest not above
typedef enum {
  auxiliary_read_all,
  auxiliary_not_there,
  auxiliary_other_pages,
  auxiliary_damaged
} AuxiliaryRead;
// Back into memory. auxiliary_other_pages: of another number of them, or of another chain's conversions. But for auxiliary_not_there
// and that the memory may have changed.
AuxiliaryRead auxiliary_read(AuxiliarySource source, uint64_t version, AuxiliarySource* from);
// The newest that can be read. False: there is none.
bool auxiliary_restore(AuxiliarySource source, uint64_t* version, AuxiliarySource* from);
bool auxiliary_discard(uint64_t version);  // false: it was not there

void auxiliary_start(void);
bool auxiliary_write(uint64_t version);  // false, with X = 0: it could not be stored
bool auxiliary_is_done(void);            // nothing is under way
bool auxiliary_wait(void);               // until then. False: what was written last could not be stored
void auxiliary_finish(void);             // all is stored and drained; the auxiliary cores rest

// For a plug-in that waits inside `work`, on the core that stores: takes one of the blocks that wait, if any does.
bool auxiliary_process_block(void);
bool auxiliary_has_block(void);  // one waits

AuxiliaryCounts auxiliary_counts(void);
