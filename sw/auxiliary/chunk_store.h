// Checkpoints in PCRAM modules, chunk by chunk, with equal chunks stored once: the striping map and the
// hashes of li2010 section IV-B.
//
// Two maps are used alternately. A map holds the place and the hash of each chunk of its checkpoint, and is
// saved after all chunks; so a power loss at any instant leaves the checkpoint before intact. A chunk that
// has a hash is searched among those of the newest checkpoint and of the one being written, in an index of
// chunk_index_slots for at most 2 * checkpoint_chunk_limit chunks. The bytes are compared with the contents
// of the PCRAM before two chunks share a place, so that neither a collision nor a bad place loses data.
// Chunks of the same block are not compared with each other.
//
// Only one core may call these functions at a time (drivers/pcram.h). A stack has no free places, so that
// only modules are supported.
#pragma once

#include "auxiliary/block.h"

enum { chunk_index_slots = 4096 };

typedef struct {
  uint64_t stored, duplicates,
      collisions;  // numbers of chunks; a collision is an equal hash of different chunks
  uint64_t compare_ticks,
      save_ticks;  // of the generic timer: searching for duplicates; saving chunks and maps
} ChunkStoreCounts;

// Finds the PCRAM and the checkpoints in it. Returns NULL, or a text that says what is missing.
const char* chunk_store_prepare(void);

bool chunk_store_begin(const CheckpointFile* file);  // drops one that was not committed; false: no space
// Stores the chunks of a block, and hashes them first unless a plug-in has done so.
bool chunk_store_write(const CheckpointFile* file, Block* block);
bool chunk_store_commit(const CheckpointFile* file);

bool chunk_store_find(uint64_t name, uint64_t max_version,
                      uint64_t* version);  // newest not above max_version
bool chunk_store_open(uint64_t name, uint64_t version,
                      CheckpointFile* file);                      // must precede chunk_store_read
bool chunk_store_read(const CheckpointFile* file, Block* block);  // false: a chunk is damaged
bool chunk_store_discard(uint64_t name, uint64_t version);        // false: no such checkpoint
// The newest committed checkpoint; its chunks as they are in the PCRAM, without a check of their hashes; and
// the hashes.
bool chunk_store_newest(CheckpointFile* file);
bool chunk_store_copy(uint32_t first, uint32_t chunks, void* to);
uint64_t chunk_store_hash(uint32_t chunk);

ChunkStoreCounts chunk_store_counts(void);
