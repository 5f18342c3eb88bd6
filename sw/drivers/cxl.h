// Driver of a CXL.mem expander (docs/cxl.md): where its memory is, and what of it is poisoned.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t first, bytes;  // physical addresses of its memory
  bool keeps_contents;    // when the node loses its power
} CxlMemory;

bool cxl_probe(CxlMemory* memory);  // call the other functions only after it has returned true
uint32_t cxl_poisoned(void);        // lines that are listed as poisoned
uint32_t cxl_poisoned_reads(void);  // reads that were answered with poison
// Poisons the line at this address. False: the device refuses it, as the address is not in its memory.
bool cxl_inject_poison(uint64_t line);
// Clears the poison of the listed lines in this range, which are zero then. Returns their number.
unsigned cxl_clear_poison(uint64_t first, uint64_t bytes);
