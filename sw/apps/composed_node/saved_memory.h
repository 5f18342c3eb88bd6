// Pages of one memory that the DIMM-SSD beside it saves.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/memory.h"
#include "checkpoint/checkpoint.h"

enum { words_a_page = page_bytes / 8 };

typedef struct {
  uint64_t step, messages;
} SavedState;

typedef struct {
  unsigned dimm_ssd;
  DimmSsdMethod method;
  uint64_t pages;
  uint64_t* words;  // of the pages
  SavedState* state;
} SavedMemory;

// Allocates the pages. False: there is no such DIMM-SSD, or not enough memory.
bool saved_memory_open(SavedMemory* memory, uint64_t pages);
uint64_t saved_memory_checksum(const SavedMemory* memory);

// A false result is printed.
bool saved_memory_begin(SavedMemory* memory, uint64_t step);  // a checkpoint
bool saved_memory_finish(SavedMemory* memory);                // waits until all are durable

bool saved_memory_newest(SavedMemory* memory, uint64_t limit, uint64_t* step);  // false: there is none
bool saved_memory_restore(SavedMemory* memory, uint64_t step);
