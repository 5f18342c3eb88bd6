// Functional partitioning (li2010): FP(X, Y) has X auxiliary cores and Y cores that compute. The program
// hands over its checkpoint in blocks and continues; auxiliary cores pass the blocks through a chain of
// plug-ins.
//
//   auxiliary_initialize(&chain, 16, 9);         16 buffers of 9 chunks, for records of 9 words
//   auxiliary_use_pages(name, pages, 108);
//   auxiliary_restore(auxiliary_any, &version, &from);
//   auxiliary_start();
//   ... auxiliary_write(version); ...
//   auxiliary_finish();
//
// Programs use it through the checkpoint library (checkpoint_chain.h).
//
// Buffers are in shared memory, and their numbers circulate: free buffers go to the compute cores, which fill
// them in parallel; filled buffers go to the auxiliary cores, and back when they are stored. A writer waits
// if no buffer is free, and if its last checkpoint is still in progress: this is the stall time of the
// program. Of X auxiliary cores the last one runs store and drain, the others run the transforms; a single
// core runs all. With X = 0 the compute cores transform the blocks that they have filled, core 0 stores and
// drains them, and the program continues when everything is done.
//
// Call all functions on core 0; inside cores_run() core 0 copies alone. A checkpoint is complete when all
// plug-ins have closed it; otherwise it has failed, and a restore finds the one before.
#pragma once

#include "auxiliary/chain.h"

enum { buffer_limit = 32 };

typedef struct {
  uint64_t written, failed;  // checkpoints
  uint64_t bytes;            // bytes handed over
  uint64_t waits;            // number of waits for a free buffer
  uint64_t stalled_ticks;    // of the generic timer: inside auxiliary_write and auxiliary_wait
  uint64_t waited_ticks;     // of it, for buffers or the checkpoint before; the longest of the cores, summed
  uint64_t passed_ticks;     // from the hand-over's begin until the store has closed
  uint64_t plug_in_ticks[chain_limit];  // of all cores, in each
} AuxiliaryCounts;

// Finds the devices, and allocates `buffers` (1..buffer_limit) buffers of `record_words`
// (1..block_chunk_limit) chunks. Returns NULL, or a text that says what is missing.
const char* auxiliary_initialize(const Chain* chain, unsigned buffers, unsigned record_words);
// Sets the pages of memory that following checkpoints contain and restores fill: a list of addresses, which
// must not change. Blocks continue from one page of the list to the next: if a region consists of whole
// blocks, its records are not mixed with others. `name` is a hash of the program's name for the checkpoints.
// Call it while no checkpoint is in progress. Returns false for more than checkpoint_chunk_limit pages.
bool auxiliary_use_pages(uint64_t name, const uint64_t* pages, uint32_t count);

typedef enum { auxiliary_any, auxiliary_from_store, auxiliary_from_drain } AuxiliarySource;
// Reading back: from the store, or from the drain if only that has the checkpoint. Call these functions only
// before auxiliary_start or after auxiliary_finish.
bool auxiliary_find(AuxiliarySource source, uint64_t max_version,
                    uint64_t* version);  // newest not above max_version
typedef enum {
  auxiliary_read_all,
  auxiliary_not_there,
  auxiliary_other_pages,
  auxiliary_damaged
} AuxiliaryRead;
// Reads a checkpoint back into memory. Returns auxiliary_other_pages if it has another number of pages, or
// went through other conversions than those of the chain. After any failure except auxiliary_not_there and
// auxiliary_other_pages, memory may have changed.
AuxiliaryRead auxiliary_read(AuxiliarySource source, uint64_t version, AuxiliarySource* from);
// Reads the newest checkpoint that can be read. Returns false if there is none.
bool auxiliary_restore(AuxiliarySource source, uint64_t* version, AuxiliarySource* from);
bool auxiliary_discard(uint64_t version);  // false: there was no such checkpoint

void auxiliary_start(void);
bool auxiliary_write(uint64_t version);  // with X = 0, false if the checkpoint could not be stored
bool auxiliary_is_done(void);            // no checkpoint is in progress
bool auxiliary_wait(void);               // waits until none is; false if the last one could not be stored
void auxiliary_finish(void);  // waits until all are stored and drained; the auxiliary cores then idle

// For a plug-in that waits inside `work`, on the core that stores: processes one waiting block; false if none
// waits.
bool auxiliary_process_block(void);
bool auxiliary_has_block(void);  // whether a block waits

AuxiliaryCounts auxiliary_counts(void);
