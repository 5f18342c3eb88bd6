// Solves the wave equation on a square membrane, with checkpoints on the DIMM-SSD (sw/user_space):
//
//   solver NAME STEPS INTERVAL [METHOD]    begins at the newest checkpoint NAME, and takes one after every
//                                          INTERVAL steps, by a method of drivers/dimm_ssd.h
//
// At the end it prints the energy, which no step changes but by rounding, and a checksum over all bits of the
// state. As the equation forgets nothing, a wrong bit at any step is in the checksum.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "boot/device_address.h"
#include "checkpoint/checksum.h"
#include "user_space/user_space.h"

enum { edge = 128, cells = edge * edge, bytes = cells * sizeof(double) };
static const double courant_2 = 0.25;  // (speed of the wave * time of a step / distance of two cells)^2

static struct {
  uint64_t steps;
  double *now, *before;  // the displacement of each cell, after this step and after the one before
} state;

static int fail(const char* what, const char* reason) {
  printf("solver: %s: %s\n", what, reason);
  return 1;
}

// The membrane is at rest, and pulled up at one place.
static void begin(void) {
  for (int i = 0; i < cells; ++i) {
    const int x = i % edge - 40, y = i / edge - 50, r_2 = x * x + y * y;
    state.now[i] = state.before[i] = r_2 < 400 ? (400 - r_2) * (1 / 400.) : 0;
  }
}

static double differences(const double* u, int i) {
  return u[i - 1] + u[i + 1] + u[i - edge] + u[i + edge] - 4 * u[i];
}

static void step(void) {
  double *const u = state.now, *const next = state.before;
  for (int y = 1; y < edge - 1; ++y)
    for (int i = y * edge + 1; i < (y + 1) * edge - 1; ++i)
      next[i] = 2 * u[i] - next[i] + courant_2 * differences(u, i);
  state.now = next;
  state.before = u;
  ++state.steps;
}

// The energy that leapfrog conserves.
static double energy(void) {
  double sum = 0;
  for (int y = 1; y < edge - 1; ++y)
    for (int i = y * edge + 1; i < (y + 1) * edge - 1; ++i) {
      const double speed = state.now[i] - state.before[i];
      sum += speed * speed - courant_2 * state.now[i] * differences(state.before, i);
    }
  return sum;
}

static double milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static CheckpointStatus use_method(const char* name) {
  unsigned index = 0;
  while (index < dimm_ssd_methods && strcmp(name, dimm_ssd_method_names[index]) != 0) ++index;
  if (index == dimm_ssd_methods) return checkpoint_bad_argument;
  checkpoint_use_method((DimmSsdMethod)index);
  return index == dimm_ssd_copy_on_write ? checkpoint_use_shadow(0) : checkpoint_ok;
}

static CheckpointStatus prepare(const char* method) {
  state.now = memory_allocate(bytes);
  state.before = memory_allocate(bytes);
  printf("state at physical address 0x%llx\n", (unsigned long long)device_address(state.now, 1));
  CheckpointStatus status = checkpoint_initialize();
  if (status == checkpoint_ok) status = checkpoint_protect(0, state.now, bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(1, state.before, bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(2, &state.steps, sizeof state.steps);
  return status == checkpoint_ok ? use_method(method) : status;
}

static CheckpointStatus resume(const char* name) {
  uint64_t version;
  CheckpointStatus status = checkpoint_find_newest(name, checkpoint_any_version, &version);
  if (status == checkpoint_not_found) {
    begin();
    return checkpoint_ok;
  }
  if (status == checkpoint_ok) status = checkpoint_restore(name, version);
  if (status == checkpoint_ok) printf("resumed at %llu\n", (unsigned long long)version);
  return status;
}

int main(int count, char** words) {
  const uint64_t steps = count < 4 ? 0 : strtoull(words[2], NULL, 10),
                 interval = count < 4 ? 0 : strtoull(words[3], NULL, 10);
  if (steps == 0 || interval == 0 || interval % 2 != 0) {
    printf("solver NAME STEPS INTERVAL [METHOD], where INTERVAL is even\n");
    return 2;
  }
  const char* const name = words[1];
  CheckpointStatus status = user_space_open(5 * bytes);  // with those for copy_on_write
  if (status != checkpoint_ok) return fail("cannot begin", user_space_problem());
  status = prepare(count > 4 ? words[4] : "configured");
  if (status == checkpoint_ok) status = resume(name);
  if (status != checkpoint_ok) return fail("cannot begin", checkpoint_text(status));
  while (state.steps < steps) {
    step();
    if (state.steps % interval != 0) continue;
    const double start = milliseconds();
    status = checkpoint_begin(name, state.steps);
    if (status != checkpoint_ok) return fail("checkpoint", checkpoint_text(status));
    printf("checkpoint %llu, %.2f ms\n", (unsigned long long)state.steps, milliseconds() - start);
    fflush(stdout);
  }
  status = checkpoint_wait(checkpoint_any_version);
  if (status != checkpoint_ok) return fail("checkpoint", checkpoint_text(status));
  uint64_t sum = checksum(CHECKSUM_START, state.now, bytes);
  sum = checksum(sum, state.before, bytes);
  printf("energy %.12g, checksum %016llx\n", energy(), (unsigned long long)sum);
  return 0;
}
