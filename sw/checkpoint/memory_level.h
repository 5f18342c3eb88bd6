// Level 1 of the checkpoint library: the two newest checkpoints, in a piece of DRAM under strong ECC that a
// warm reset leaves as it is.
//
// Two slots take turns. A slot is a commit record in a block of its own, and behind it what was appended,
// each piece from a block's beginning on. Its first word is cleared before anything else is written and set
// when all the rest is: a slot is whole or empty. All access to the piece is guarded (boot/guarded_copy.h):
// poison makes a function return false, whatever else is in the header.
//
//   memory_level_begin(name, 30); memory_level_append(x, bytes); ... memory_level_commit();
//   memory_level_seek(name, 30);  memory_level_read(x, bytes); ...
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { memory_level_name_bytes = 32, memory_level_align = 64 };

// What the piece has to measure for checkpoints of so many bytes in so many pieces; whole pages.
uint64_t memory_level_size(uint64_t bytes, unsigned pieces);

// Takes the piece into use with what a run before this has left in it. False: a slot's record is poisoned,
// its checkpoint is lost.
bool memory_level_open(void* first, uint64_t bytes);
void memory_level_close(void);
bool memory_level_is_open(void);
bool memory_level_fits(uint64_t bytes, unsigned pieces);

// Takes an empty slot, else the older one; commit() discards an earlier checkpoint of the same name and
// version. append() also returns false when the slot is full.
bool memory_level_begin(const char name[memory_level_name_bytes], uint64_t version);
bool memory_level_append(const void* data, size_t bytes);
bool memory_level_commit(void);

// The newest version not above max_version.
bool memory_level_newest(const char name[memory_level_name_bytes], uint64_t max_version, uint64_t* version);

// Reads what was appended, in the same order and the same sizes.
bool memory_level_seek(const char name[memory_level_name_bytes], uint64_t version);  // false: not there
bool memory_level_read(void* data, size_t bytes);

bool memory_level_discard(const char name[memory_level_name_bytes],
                          uint64_t version);  // false: was not there
