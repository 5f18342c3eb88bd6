// Level 1 of the checkpoint library: the two newest checkpoints, in a range of memory: DRAM under strong ECC,
// whose contents survive a warm reset, or the memory of a CXL expander.
//
// Checkpoints are written to two slots alternately. A slot is a commit record in a block of its own, followed
// by the appended pieces, each aligned to a block. The first word of the record is cleared before anything
// else is written, and set when everything else is written: a slot is complete or empty. All accesses are
// guarded (boot/guarded_copy.h); every function returns false if it reads poison.
//
//   memory_level_begin(name, 30); memory_level_append(x, bytes); ... memory_level_commit();
//   memory_level_seek(name, 30);  memory_level_read(x, bytes); ...
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { memory_level_name_bytes = 32, memory_level_align = 64, memory_level_ranges = 2 };

// The range that the other functions concern: 0 at first.
void memory_level_select(unsigned range);

// The size of the range for checkpoints of this many bytes in this many pieces; a multiple of the page size.
uint64_t memory_level_size(uint64_t bytes, unsigned pieces);

// Opens the range with the checkpoints that an earlier run has left in it. Returns false if the record of a
// slot is poisoned, so that its checkpoint is lost.
bool memory_level_open(void* first, uint64_t bytes);
void memory_level_close(void);
bool memory_level_is_open(void);
bool memory_level_fits(uint64_t bytes, unsigned pieces);

// Writes a checkpoint to an empty slot, or else to the older one. commit() discards an earlier checkpoint
// with the same name and version. append() also returns false when the slot is full.
bool memory_level_begin(const char name[memory_level_name_bytes], uint64_t version);
bool memory_level_append(const void* data, size_t bytes);
bool memory_level_commit(void);
// The two steps of it, for memory that becomes durable in any order. The second returns whether there was an
// earlier checkpoint.
bool memory_level_commit_beside(void);
bool memory_level_discard_earlier(void);

// Finds the newest version not above max_version; false if there is none.
bool memory_level_newest(const char name[memory_level_name_bytes], uint64_t max_version, uint64_t* version);

// Reads the pieces, which must be requested in the same order and sizes as they were appended.
bool memory_level_seek(const char name[memory_level_name_bytes], uint64_t version);  // false: not there
bool memory_level_read(void* data, size_t bytes);

bool memory_level_discard(const char name[memory_level_name_bytes],
                          uint64_t version);  // false: was not there
