// The PCRAM level of the checkpoint library: the two newest checkpoints, in cells that outlive a loss of power.
//
// Two slots take turns. A slot is a header page and the pages of a checkpoint. Its header is cleared before anything else is
// saved and saved when all the rest is there, with a checksum of its own: a slot is whole or empty, whatever a loss of power leaves of
// a save, cell by cell. What was read last counts as the newest: the other slot is the next to be written.
// Where both hold one version, because it was written anew and the earlier one could not be cleared, the
// earlier one is discarded when the level is opened.
//
// Of modules each slot is one half, with the header in front. Of a stack it is a layer, the first or the second, with every page
// above itself: a checkpoint comes back to the addresses that it was taken from, and its header lies above a page of this
// firmware.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/pcram.h"

enum { pcram_level_name_bytes = 32 };

// Takes it into use with what a run before this has left in it, where there is room for two slots of one page at least. Behind
// pcram_probe().
bool pcram_level_open(void);
void pcram_level_close(void);
bool pcram_level_is_open(void);
bool pcram_level_fits(uint32_t count);  // pages

// A checkpoint of so many pages of memory, by address, in the slot that is empty or older; an earlier one of the same name and
// version is discarded when this is there. Neighbours in the list that are neighbours in memory go in one piece. incremental: of a
// stack, pages that this slot has already are left out.
PcramError pcram_level_write(const char name[pcram_level_name_bytes], uint64_t version, const uint64_t* pages,
                             uint32_t count, bool incremental);
uint64_t pcram_level_copied(void);  // pages, of all writes since open, headers not among them

// The newest version not above max_version.
bool pcram_level_newest(const char name[pcram_level_name_bytes], uint64_t max_version, uint64_t* version);

// False: not there.
bool pcram_level_has(const char name[pcram_level_name_bytes], uint64_t version);
// It is there. False: not of so many pages, or of a stack not of these.
bool pcram_level_is_of(const char name[pcram_level_name_bytes], uint64_t version, const uint64_t* pages,
                       uint32_t count);
// It is of these pages, and comes back to them.
PcramError pcram_level_read(const char name[pcram_level_name_bytes], uint64_t version, const uint64_t* pages,
                            uint32_t count);

bool pcram_level_discard(const char name[pcram_level_name_bytes], uint64_t version);  // false: was not there
