// The programs of cg and stencil behind one interface, to be run repeatedly on one node.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apps/checkpoints/checkpoints.h"

typedef struct {
  const char* name;
  void (*begin)(void);                // makes the initial state
  void (*run)(void);                  // runs from the current state to the end
  CheckpointStatus (*protect)(void);  // protects its state, after checkpoint_initialize
  uint64_t (*result)(void);           // a checksum of the result
} Program;

typedef struct {
  uint64_t nx, columns, rows, sweeps;
} ProgramSizes;

enum { program_count = 2 };
extern const Program programs[program_count];

bool programs_allocate(ProgramSizes sizes);  // false: they do not fit into memory
// Sets the checkpoints of the program that runs next; NULL: none.
void programs_take_checkpoints(Checkpoints* checkpoints);
