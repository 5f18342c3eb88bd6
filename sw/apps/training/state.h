// The state that a rank keeps in its GPU: a header, which is followed by the parameters of a part of the
// network, and the first and second means of Adam.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apps/training/network.h"

typedef struct {
  uint64_t step;  // steps that it has made
  uint32_t part;  // the number of the part
  uint32_t parameters;
  uint64_t checksum;  // over all that follows
  uint64_t zero[5];
} StateHeader;

// A whole number of words if the number of parameters is even.
static inline uint64_t state_bytes_of(uint32_t parameters) {
  return sizeof(StateHeader) + 3 * sizeof(float) * (uint64_t)parameters;
}
// The parameters of each part, when all of them are divided into this many parts.
static inline uint32_t state_parameters_of(uint32_t all, unsigned parts) {
  return ((all + parts - 1) / parts + 1) & ~1u;
}

AdamState state_means(const StateHeader* state);
// Makes the first state of a part of a network with `all` parameters.
void state_begin(StateHeader* state, unsigned part, uint32_t parameters, uint32_t all, uint32_t hidden,
                 uint64_t seed);
// Completes a state that was changed.
void state_seal(StateHeader* state, uint64_t step);
bool state_is_sound(const StateHeader* state, unsigned part, uint32_t parameters);
