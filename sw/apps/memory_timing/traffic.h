// Loads of all lines of an array one after the other, some of which are also stored to, so that memory gets a
// given mix of reads and writes: a line that is stored to was loaded before, and is written back later.
#pragma once

#include <stdint.h>

enum { mixes = 4 };

typedef struct {
  const char* name;  // reads to writes
  unsigned group;    // the last line of each group of this many is stored to; 0: none
  // lines: a multiple of 12 without a delay, else of `group`. value: that is stored. passes: over the lines.
  // delay: iterations of a loop of three instructions, one of them a NOP, behind each line.
  void (*at_once)(void* first, uint64_t lines, uint64_t value, uint64_t passes);
  void (*delayed)(void* first, uint64_t lines, uint64_t value, uint64_t delay);
} Mix;

extern const Mix mix_of[mixes];

// The bytes that memory moves for this many lines that miss all caches.
static inline uint64_t traffic_bytes(const Mix* mix, uint64_t lines) {
  return 64 * (lines + (mix->group != 0 ? lines / mix->group : 0));
}
