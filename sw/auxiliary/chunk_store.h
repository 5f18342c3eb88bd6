// Checkpoints in PCRAM modules, chunk by chunk, equal chunks once: the striping map and the hashes of li2010 section IV-B.
//
// Two maps take turns. A map says for each chunk of its checkpoint where it lies and what its hash is, and is saved when all
// the chunks are; so a loss of power at any instant leaves the checkpoint before. A chunk that has a hash is looked for
// among those of the newest checkpoint and of the one being written, in an index of chunk_index_slots for at most
// 2 * checkpoint_chunk_limit of them; bytes are compared with what the PCRAM holds before one stands for two, so that neither
// a collision nor a place that has gone bad loses data. Chunks of one block are not compared with one another.
//
// All calls are of one core, at a time (drivers/pcram.h). A stack has no free places: modules only.
#pragma once

#include "auxiliary/block.h"

enum { chunk_index_slots = 4096 };

typedef struct {
  uint64_t stored, duplicates, collisions;  // chunks; equal hashes of chunks that differ
  uint64_t compare_ticks, save_ticks;  // of the generic timer: looking for duplicates; saving chunks and maps
} ChunkStoreCounts;

// Finds the PCRAM and the checkpoints in it. Returns NULL, or what is missing.
const char* chunk_store_prepare(void);

bool chunk_store_begin(const CheckpointFile* file);  // gives up one that was not committed; false: no room
// Stores the block's chunks; hashes them first where no plug-in has.
bool chunk_store_write(const CheckpointFile* file, Block* block);
bool chunk_store_commit(const CheckpointFile* file);

bool chunk_store_find(uint64_t name, uint64_t max_version, uint64_t* version);  // the newest not above
bool chunk_store_open(uint64_t name, uint64_t version, CheckpointFile* file);   // the others read from it
bool chunk_store_read(const CheckpointFile* file, Block* block);                // false: not what was stored
bool chunk_store_discard(uint64_t name, uint64_t version);                      // false: it was not there
// The newest committed. Its chunks as they lie in the PCRAM, without a look at their hashes, and these.
bool chunk_store_newest(CheckpointFile* file);
bool chunk_store_copy(uint32_t first, uint32_t chunks, void* to);
uint64_t chunk_store_hash(uint32_t chunk);

ChunkStoreCounts chunk_store_counts(void);
