#include "cluster/ring_program.h"

static const uint64_t golden = 0x9E3779B97F4A7C15u;

static uint64_t rotate_left(uint64_t value, unsigned by) { return value << by | value >> (64 - by); }

// SplitMix64's element `index` (models/base/random.h).
static uint64_t random_at(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * golden;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void ring_program_begin(RingProgram* program) {
  const uint64_t first = program->rank * program->count;
  for (uint64_t i = 0; i < program->count; ++i) program->words[i] = random_at(program->seed, first + i);
  program->done = 0;
}

bool ring_program_step(RingProgram* program, uint64_t left_edge, uint64_t right_edge, uint64_t at_most) {
  uint64_t* const words = program->words;
  const uint64_t left = program->count - program->done,
                 end = program->done + (at_most < left ? at_most : left);
  uint64_t previous = program->done == 0 ? left_edge : program->previous;
  for (uint64_t i = program->done; i < end; ++i) {
    const uint64_t word = words[i], next = i + 1 < program->count ? words[i + 1] : right_edge;
    words[i] = (rotate_left(previous, 7) + 3 * word) ^ rotate_left(next, 19);
    previous = word;
  }
  program->previous = previous;
  program->done = end == program->count ? 0 : end;
  return end == program->count;
}

uint64_t ring_program_result(const RingProgram* program) {
  uint64_t h = 0;
  for (uint64_t i = 0; i < program->count; ++i) h = (rotate_left(h, 5) ^ program->words[i]) * golden;
  return h;
}
