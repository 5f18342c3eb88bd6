// Driver of the node's PCRAM: it copies pages of 4 KiB between memory and cells that keep them without power
// (docs/pcram.md). One command runs at a time; a function returns when its command has ended, and sleeps in
// WFI until then. Call all functions on the core that called pcram_probe().
//
// When pcram_save() has returned pcram_ok, all its pages are durable. After a power loss before that, each of
// them may be old, new, or mixed byte by byte; checkpoint/pcram_level.h makes checkpoints of them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  pcram_ok = 0,
  pcram_bad_argument = 1,   // pages that do not exist, or with a stack, pages that are not above one another
  pcram_bus_error = 2,      // memory did not answer, or a DIMM-SSD has yet to copy the page
  pcram_uncorrectable = 3,  // cells that cannot be read
  pcram_worn_out = 4,       // lines that cannot be written any more
  pcram_busy = 5,           // another command runs
} PcramError;
const char* pcram_error_text(PcramError error);

bool pcram_probe(
    void);  // finds the PCRAM in the device tree; call the others only after it has returned true
uint32_t pcram_pages(void);  // the capacity
uint32_t pcram_layer_pages(
    void);  // pages in a layer of a stack; 0: modules, in which a page can go to any place
// The place of a page of the main memory in a layer of a stack. A stack may be wired to another memory (node
// key `dma`), whose pages are counted from that memory's beginning: device_tree_memory_of().
uint32_t pcram_place_of(const void* memory, uint32_t layer);

// With `incremental`, pages of a stack that have not changed since they were saved to this layer or loaded
// from it are left out.
PcramError pcram_save(const void* memory, uint32_t pages, uint32_t place, bool incremental);
PcramError pcram_load(void* memory, uint32_t pages, uint32_t place);
// Starts a save and returns at once; false if another command runs. The pages must not change until
// pcram_wait() returns.
bool pcram_start_save(const void* memory, uint32_t pages, uint32_t place, bool incremental);
PcramError pcram_wait(void);     // waits for the end of the started command
uint32_t pcram_copied(void);     // pages copied by the last command
uint32_t pcram_bad_index(void);  // index of the first page that it could not copy; all ones: none
