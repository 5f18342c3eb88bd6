// Auxiliary cores for the checkpoint library (li2010): after checkpoint_use_chain(), the checkpoints that a
// program takes with checkpoint/checkpoint.h pass through a chain of plug-ins instead of going to the
// DIMM-SSD, and restores pass through the same chain.
//
//   Chain chain;
//   chain_parse("columns,dedup,pcram,drain", &chain, error, sizeof error);
//   checkpoint_initialize();
//   checkpoint_use_chain(&chain, 8, 9);
//   checkpoint_protect(0, cells, sizeof cells);
//   ... checkpoint_begin("app", step); ...
//
// The store keeps the two newest checkpoints of a node. A checkpoint is stored when its version is durable
// (checkpoint_test, checkpoint_wait); it is drained some time later. The whole pages of the regions come
// first, in the order of their protection, then the pages of fragments, and the library's header last: the
// page-aligned records of a first region thus stay together in blocks. Level 1, memory, can be used in
// addition.
//
// checkpoint_find_newest, checkpoint_restore and checkpoint_discard wait until everything that this run has
// written is stored and drained.
#pragma once

#include "auxiliary/auxiliary.h"
#include "checkpoint/checkpoint.h"

// Starts to use a chain. Call it after checkpoint_initialize(), which stops its use, and before memory is
// short. `buffers` and `record_words` are those of auxiliary_initialize(). Returns NULL, or a text that says
// what is missing or in use; the library is then unchanged. A checkpoint can have at most
// checkpoint_chunk_limit pages (checkpoint_pages).
const char* checkpoint_use_chain(const Chain* chain, unsigned buffers, unsigned record_words);

// Waits until everything that was written, also by an earlier run, is stored and drained; the auxiliary cores
// then idle until the next checkpoint. A chain must be in use.
void checkpoint_chain_finish(void);

// Restricts following restores to this source.
void checkpoint_chain_ask(AuxiliarySource source);
// The source of the last restore.
AuxiliarySource checkpoint_chain_source(void);
