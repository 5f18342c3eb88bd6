#include "apps/training/computation.h"

#include <stddef.h>
#include <string.h>

#include "apps/training/network.h"
#include "boot/cores.h"
#include "boot/memory.h"
#include "checkpoint/checksum.h"

static const float learning_rate = 0.01f;

static uint32_t all_parameters(const Computation* c) { return network_parameters(c->hidden); }

bool computation_prepare(Computation* c) {
  const uint64_t ranks = c->group->ranks;
  cores_start(MAX_CORES);
  c->weights = memory_allocate(ranks * c->group->parameters * sizeof(float));
  c->gradients = memory_allocate(ranks * all_parameters(c) * sizeof(float));
  for (unsigned rank = 0; rank < ranks; ++rank) c->sound[rank] = true;
  return c->weights != NULL && c->gradients != NULL;
}

static float* gradient_of(const Computation* c, unsigned rank) {
  return c->gradients + (uint64_t)rank * all_parameters(c);
}

static void check_states(unsigned core, unsigned cores, void* argument) {
  Computation* const c = argument;
  const Group* const group = c->group;
  for (unsigned rank = core; rank < group->ranks; rank += cores) {
    const StateHeader* const state = group_state(group, group->now, rank);
    c->sound[rank] = group_is_sound(group, state, rank) && state->step == c->step;
    if (c->sound[rank]) c->wrong_reads[rank] = 0;
    if (group->parts > 1)
      memcpy(c->weights + (uint64_t)rank * group->parameters, state_means(state).weights,
             group->parameters * sizeof(float));
  }
}

bool computation_check(Computation* c) {
  cores_run(check_states, c);
  bool all_sound = true;
  for (unsigned rank = 0; rank < c->group->ranks; ++rank) all_sound &= c->sound[rank];
  return all_sound;
}

static void compute_gradients(unsigned core, unsigned cores, void* argument) {
  Computation* const c = argument;
  const Group* const group = c->group;
  for (unsigned rank = core; rank < group->ranks; rank += cores) {
    const float* const weights =
        group->parts > 1 ? c->weights : state_means(group_state(group, group->now, rank)).weights;
    const uint64_t first = (c->step * group->ranks + rank) * c->samples;
    c->losses[rank] =
        network_gradient(weights, c->hidden, c->seed, first, (uint32_t)c->samples, gradient_of(c, rank));
  }
}

void computation_gradients(Computation* c) { cores_run(compute_gradients, c); }

float computation_loss(const Computation* c) {
  float sum = 0;
  for (unsigned rank = 0; rank < c->group->ranks; ++rank) sum += c->losses[rank];
  return sum / (float)(c->group->ranks * c->samples);
}

// The mean over all samples of the step; the order of the sum is that of the ranks.
static float mean_gradient(const Computation* c, uint32_t at) {
  float sum = 0;
  for (unsigned rank = 0; rank < c->group->ranks; ++rank) sum += gradient_of(c, rank)[at];
  return sum / (float)(c->group->ranks * c->samples);
}

static void update_states(unsigned core, unsigned cores, void* argument) {
  const Computation* const c = argument;
  const Group* const group = c->group;
  const AdamStep adam = adam_step(learning_rate, c->step + 1);
  const uint32_t all = all_parameters(c);
  for (unsigned rank = core; rank < group->ranks; rank += cores) {
    StateHeader* const state = group_state(group, group->now, rank);
    const AdamState means = state_means(state);
    const uint32_t first = group->parts > 1 ? rank * group->parameters : 0;
    for (uint32_t i = 0; i < group->parameters && first + i < all; ++i)
      adam_update(means, i, mean_gradient(c, first + i), adam);
    state_seal(state, c->step + 1);
  }
}

void computation_update(Computation* c) { cores_run(update_states, c); }

static void begin_states(unsigned core, unsigned cores, void* argument) {
  const Computation* const c = argument;
  const Group* const group = c->group;
  for (unsigned rank = core; rank < group->ranks; rank += cores) {
    uint8_t* const copies = group->copies[group->slot];
    memset(copies + rank * group->state_bytes, 0, group->state_bytes);
    state_begin(group_state(group, copies, rank), group->parts > 1 ? rank : 0, group->parameters,
                all_parameters(c), c->hidden, c->seed);
  }
}

void computation_begin(Computation* c) { cores_run(begin_states, c); }

uint64_t computation_checksum(const Computation* c) {
  const Group* const group = c->group;
  uint64_t sum = CHECKSUM_START;
  for (unsigned part = 0; part < group->parts; ++part) {
    const uint32_t all = all_parameters(c), first = part * group->parameters;
    const uint32_t count = all - first < group->parameters ? all - first : group->parameters;
    for (uint32_t i = 0; i < count; ++i)
      sum = checksum(sum, &state_means(group_state(group, group->now, part)).weights[i], sizeof(float));
  }
  return sum;
}
