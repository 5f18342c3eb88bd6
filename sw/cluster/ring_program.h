// The program that the ranks of a cluster compute together: a ring of 64-bit words, updated in steps.
// models/cluster/ring_program.h has the formulas; both compute identical words.
//
// A step updates the words in place and can be computed in pieces, so that a core can handle the network
// between them. Until a step is complete, the words are those of neither step.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t seed;
  uint32_t rank;
  uint64_t count;  // number of words, 1 or more
  uint64_t* words;
  uint64_t done;      // words computed in the current step
  uint64_t previous;  // word done - 1 before the step
} RingProgram;

void ring_program_begin(RingProgram* program);  // makes the initial state from seed, rank and count
// Computes at most `at_most` words (1 or more) of a step. The edges are the neighbours' words before the
// step; they must be the same at each call. Returns true when the step is complete.
bool ring_program_step(RingProgram* program, uint64_t left_edge, uint64_t right_edge, uint64_t at_most);

static inline uint64_t ring_program_first(const RingProgram* program) { return program->words[0]; }
static inline uint64_t ring_program_last(const RingProgram* program) {
  return program->words[program->count - 1];
}
uint64_t ring_program_result(const RingProgram* program);
