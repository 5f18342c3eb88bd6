// The PCRAM of the node: copies pages of 4 KiB between memory and cells that keep them without power (docs/pcram.md). One command at
// a time; a call returns when it has ended, and sleeps in WFI until then. All calls are of the core that probed.
//
// When pcram_save has returned pcram_ok all its pages survive. A loss of power before leaves any of them old, new or mixed
// byte by byte: checkpoint/pcram_level.h makes checkpoints of them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  pcram_ok = 0,
  pcram_bad_argument = 1,   // pages that are not there, or of a stack not above one another
  pcram_bus_error = 2,      // memory did not answer, or a DIMM-SSD still has to copy the page
  pcram_uncorrectable = 3,  // cells that cannot be read
  pcram_worn_out = 4,       // lines that cannot be written any more
  pcram_busy = 5,           // a command was under way
} PcramError;
const char* pcram_error_text(PcramError error);

bool pcram_probe(void);            // finds it in the device tree; the others only after it has said true
uint32_t pcram_pages(void);        // that it has
uint32_t pcram_layer_pages(void);  // a layer of a stack; 0: modules, where any page may go anywhere
// Where a page of memory has its place in a layer of a stack.
uint32_t pcram_place_of(const void* memory, uint32_t layer);

// incremental: of a stack, pages that are as they were saved to this layer, or loaded from it, are left out.
PcramError pcram_save(const void* memory, uint32_t pages, uint32_t place, bool incremental);
PcramError pcram_load(void* memory, uint32_t pages, uint32_t place);
// The same, but the core goes on meanwhile. False: a command is under way. The pages stay as they are until pcram_wait has returned.
bool pcram_start_save(const void* memory, uint32_t pages, uint32_t place, bool incremental);
PcramError pcram_wait(void);     // for what was started
uint32_t pcram_copied(void);     // pages, by the last command
uint32_t pcram_bad_index(void);  // the first page that it could not copy; all ones: none
