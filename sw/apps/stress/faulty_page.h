// Blocks of memory that a stress program of a codec fills, makes faulty with the fault controller, and reads.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/power.h"

enum { block_words = 8 };

typedef struct {
  const char* name;  // for messages
  uint64_t* words;   // a page
  unsigned next;     // the block that is used next
} FaultyPage;

// Fills the next block of the page with a pattern of its own.
uint64_t* faulty_page_block(FaultyPage* page);
// Makes bits of a chip wrong until the block is written again.
void faulty_page_inject(const uint64_t* block, MemoryFaultKind kind, unsigned chip, unsigned bit);
// Reads the last block, and expects its pattern, or an error that no code corrects.
void faulty_page_expect(const FaultyPage* page, const uint64_t* block, bool readable, unsigned chip);
// For each beat, makes a chip wrong in it, in a block of its own, and expects the pattern.
void faulty_page_one_chip(FaultyPage* page, unsigned chip, unsigned beats);
// Writes the block again, so that it has no fault.
void faulty_page_clear(uint64_t* block);
// Removes the errors of the controller's log.
void faulty_page_empty_log(void);
// The number of faults that could not be injected, and of blocks that were not read as expected.
unsigned faulty_page_wrong(void);
