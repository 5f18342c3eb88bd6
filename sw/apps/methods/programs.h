// The programs of cg and stencil behind one interface, to be run again and again on one node.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apps/checkpoints/checkpoints.h"

typedef struct {
  const char* name;
  void (*begin)(void);                // the state at the start
  void (*run)(void);                  // from the present state to the end
  CheckpointStatus (*protect)(void);  // its state, after checkpoint_initialize
  uint64_t (*result)(void);           // a checksum of it
} Program;

typedef struct {
  uint64_t nx, columns, rows, sweeps;
} ProgramSizes;

enum { program_count = 2 };
extern const Program programs[program_count];

bool programs_allocate(ProgramSizes sizes);  // false: they do not fit into memory
// Of the program that runs next; NULL: none are taken.
void programs_take_checkpoints(Checkpoints* checkpoints);
