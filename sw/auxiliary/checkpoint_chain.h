// Auxiliary cores behind the checkpoint library (li2010): with checkpoint_use_chain a program that calls checkpoint/checkpoint.h alone has its
// checkpoints go through a chain of plug-ins, in the place of the DIMM-SSD, and come back through the same.
//
//   Chain chain;
//   chain_parse("columns,dedup,pcram,drain", &chain, error, sizeof error);
//   checkpoint_initialize();
//   checkpoint_use_chain(&chain, 8, 9);
//   checkpoint_protect(0, cells, sizeof cells);
//   ... checkpoint_begin("app", step); ...
//
// The store keeps the two newest of a node. A checkpoint is stored when its version is durable (checkpoint_test, checkpoint_wait); it
// is drained some time later. Whole pages of the regions lie in the order of their protection, then pages of what is not whole, and
// the library's header last: a first region of page-aligned records keeps these together in blocks. Level 1, memory, can be used in front.
//
// checkpoint_find_newest, checkpoint_restore and checkpoint_discard wait until all that this run has written is stored and drained.
#pragma once

#include "auxiliary/auxiliary.h"
#include "checkpoint/checkpoint.h"

// Behind checkpoint_initialize, which takes it out of use, and before memory is short. buffers, record_words: as of auxiliary_initialize.
// Returns NULL, or what is missing or in use; then nothing has changed for the library. A checkpoint has at most
// checkpoint_chunk_limit pages (checkpoint_pages).
const char* checkpoint_use_chain(const Chain* chain, unsigned buffers, unsigned record_words);

// All that was written, by a run before this too, is stored and drained; the auxiliary cores rest until the next checkpoint. A chain is
// in use.
void checkpoint_chain_finish(void);

// Restores from now on ask this alone.
void checkpoint_chain_ask(AuxiliarySource source);
// Where the last one came from.
AuxiliarySource checkpoint_chain_source(void);
