// Checkpoints in PCRAM: whole pages of memory, one behind the other, and a little state. Two slots are written in turn, so that a loss
// of power at any instant leaves the checkpoint before.
//
// A slot is the pages and, saved behind them, a header page with the version and checksums over both: cells tear byte by byte, and
// what they hold after a cut need not look wrong to the device. A stack has a slot in each of its first two layers, with
// every page above itself; modules have theirs one behind the other from page 0.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/pcram.h"

enum { pcram_level_state_bytes = 256 };

// What is saved: `pages` from a page's first byte on, and up to pcram_level_state_bytes of `state`. False: does not fit.
bool pcram_level_prepare(void* pages, uint32_t count, void* state, size_t state_bytes);

// incremental: of a stack, pages that this slot has already are left out.
PcramError pcram_level_write(uint64_t version, bool incremental);
uint32_t pcram_level_copied(void);  // pages, by the last write

// The newest checkpoint that is whole comes back. False: there is none, and what is saved may have changed.
bool pcram_level_restore(uint64_t* version);
