// Sums numbers, and resumes from the newest checkpoint after a loss of power.
#include <stdint.h>
#include <stdio.h>

#include "boot/exit_status.h"
#include "checkpoint/checkpoint.h"

enum { numbers = 40000, interval = 10000 };
static struct { uint64_t next, sum; } state;

int main(void) {
  uint64_t newest;
  CheckpointStatus status = checkpoint_initialize();
  if (status == checkpoint_ok) status = checkpoint_protect(0, &state, sizeof state);
  if (status == checkpoint_ok) status = checkpoint_find_newest("@NAME@", checkpoint_any_version, &newest);
  if (status == checkpoint_ok) status = checkpoint_restore("@NAME@", newest);
  if (status != checkpoint_ok && status != checkpoint_not_found) {
    printf("@NAME@: %s\n", checkpoint_text(status));
    return exit_failed;
  }
  printf("@NAME@: begins at %llu\n", (unsigned long long)state.next);
  while (state.next < numbers) {
    state.sum += ++state.next;
    if (state.next % interval != 0) continue;
    status = checkpoint_write("@NAME@", state.next);
    printf("@NAME@: checkpoint %llu: %s\n", (unsigned long long)state.next, checkpoint_text(status));
  }
  printf("@NAME@: the sum is %llu\n", (unsigned long long)state.sum);
  return state.sum == (uint64_t)numbers * (numbers + 1) / 2 ? exit_passed : exit_failed;
}
