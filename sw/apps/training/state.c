#include "apps/training/state.h"

#include <string.h>

#include "checkpoint/checksum.h"

AdamState state_means(const StateHeader* state) {
  float* const weights = (float*)(uintptr_t)(state + 1);
  return (AdamState){weights, weights + state->parameters, weights + 2 * (uint64_t)state->parameters};
}

static uint64_t sum_of(const StateHeader* state, uint32_t parameters) {
  return checksum(CHECKSUM_START + state->step, state + 1, state_bytes_of(parameters) - sizeof *state);
}

void state_begin(StateHeader* state, unsigned part, uint32_t parameters, uint32_t all, uint32_t hidden,
                 uint64_t seed) {
  const uint32_t first = part * parameters;
  memset(state, 0, state_bytes_of(parameters));
  state->part = part;
  state->parameters = parameters;
  if (first < all)  // with many small parts, the last ones may be empty
    network_begin(state_means(state).weights, first, first + parameters > all ? all - first : parameters,
                  hidden, seed);
  state_seal(state, 0);
}

void state_seal(StateHeader* state, uint64_t step) {
  state->step = step;
  state->checksum = sum_of(state, state->parameters);
}

bool state_is_sound(const StateHeader* state, unsigned part, uint32_t parameters) {
  return state->part == part && state->parameters == parameters &&
         state->checksum == sum_of(state, parameters);
}
