// The program that a cluster's ranks compute together: a ring of 64-bit words, changed in steps (models/cluster/ring_program.h
// has the formulas; every word of both is the same).
//
// A step changes the words in place and may be made in pieces, so that a core can serve the network between them. Until a step
// is complete the words are neither those before nor those after it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t seed;
  uint32_t rank;
  uint64_t count;  // of words, 1 or more
  uint64_t* words;
  uint64_t done;      // words of the step that is being made
  uint64_t previous;  // word done - 1 before the step
} RingProgram;

void ring_program_begin(RingProgram* program);  // the first state, by seed, rank and count
// Makes at most so many words (1 or more) of a step. The edges are the neighbours' words before it, the same at each call.
// True: the step is complete.
bool ring_program_step(RingProgram* program, uint64_t left_edge, uint64_t right_edge, uint64_t at_most);

static inline uint64_t ring_program_first(const RingProgram* program) { return program->words[0]; }
static inline uint64_t ring_program_last(const RingProgram* program) {
  return program->words[program->count - 1];
}
uint64_t ring_program_result(const RingProgram* program);
