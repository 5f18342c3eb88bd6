// A chain of lines for dependent loads: each line's first word is the address of another one, in random
// order, and the last one leads to the first.
#pragma once

#include <stdint.h>

typedef struct ChainLine {
  struct ChainLine* next;
  uint64_t rest[7];
} __attribute__((aligned(64))) ChainLine;

enum { chase_unit = 256 };  // a number of loads is a multiple of it

typedef struct {
  ChainLine* first;
  uint64_t stride;  // lines of memory from one of the chain to the next; 1: all are in the chain
  uint64_t lines;
  uint64_t random;
} Chain;

Chain chain_begin(void* memory, uint64_t stride);
// Adds lines, at random places of the chain.
void chain_extend(Chain* chain, uint64_t lines);

// Makes this number of loads from a line on, each of which depends on the one before. Returns the line that
// the next load would be of.
ChainLine* chase(ChainLine* line, uint64_t loads);
