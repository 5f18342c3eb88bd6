// The PCRAM level of the checkpoint library: the two newest checkpoints, in cells that keep their contents
// without power.
//
// Checkpoints are written to two slots alternately. A slot is a header page and the pages of a checkpoint.
// The header is cleared before any page is saved, and saved after all pages, with a checksum of its own: a
// slot is complete or empty, wherever a power loss interrupts a save. The checkpoint that was read last
// counts as the newest: the other slot is written next. If both slots hold the same version, because it was
// written again and the earlier one could not be cleared, opening the level discards the earlier one.
//
// With modules, each slot is one half of the PCRAM and begins with the header. With a stack, each slot is a
// layer, the first or the second, in which a page is stored above itself: a checkpoint returns to the
// addresses from which it was taken, and its header is above a page of this firmware.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/pcram.h"

enum { pcram_level_name_bytes = 32 };

// Opens the level with the checkpoints that an earlier run has left in it. Returns false if the PCRAM is too
// small for two slots. Call pcram_probe() before.
bool pcram_level_open(void);
void pcram_level_close(void);
bool pcram_level_is_open(void);
bool pcram_level_fits(uint32_t count);  // pages

// Writes a checkpoint of `count` pages, given by their addresses, to an empty slot, or else to the older one.
// An earlier checkpoint with the same name and version is discarded afterwards. Pages that are adjacent in
// the list and in memory are saved by one command. With `incremental`, pages of a stack that the slot already
// holds are left out.
PcramError pcram_level_write(const char name[pcram_level_name_bytes], uint64_t version, const uint64_t* pages,
                             uint32_t count, bool incremental);
uint64_t pcram_level_copied(void);  // pages, of all writes since open, headers not among them

// Finds the newest version not above max_version; false if there is none.
bool pcram_level_newest(const char name[pcram_level_name_bytes], uint64_t max_version, uint64_t* version);

bool pcram_level_has(const char name[pcram_level_name_bytes], uint64_t version);
// Whether a version that the level has is a checkpoint of this number of pages; with a stack, also of these
// pages.
bool pcram_level_is_of(const char name[pcram_level_name_bytes], uint64_t version, const uint64_t* pages,
                       uint32_t count);
// Loads a version into these pages, for which pcram_level_is_of() must be true.
PcramError pcram_level_read(const char name[pcram_level_name_bytes], uint64_t version, const uint64_t* pages,
                            uint32_t count);

bool pcram_level_discard(const char name[pcram_level_name_bytes], uint64_t version);  // false: was not there
