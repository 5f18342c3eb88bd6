// Sums squares, and resumes from the newest checkpoint after a power loss: docs/checkpoint_library.md.
#include <stdint.h>
#include <stdio.h>

#include "checkpoint/checkpoint.h"
#include "drivers/semihosting.h"

enum { numbers = 65536, interval = 8192 };
static uint64_t sums[numbers];  // sums[i]: sum of the squares up to i
static uint64_t next;

static void print(const char* text, uint64_t number) {
  char line[96];
  snprintf(line, sizeof line, "squares: %s %llu\n", text, (unsigned long long)number);
  semihosting_print(line);
}

int main(void) {
  uint64_t newest;
  CheckpointStatus status = checkpoint_initialize();
  if (status == checkpoint_ok) status = checkpoint_protect(0, sums, sizeof sums);
  if (status == checkpoint_ok) status = checkpoint_protect(1, &next, sizeof next);
  if (status == checkpoint_ok) status = checkpoint_find_newest("squares", checkpoint_any_version, &newest);
  if (status == checkpoint_ok) status = checkpoint_restore("squares", newest);
  if (status != checkpoint_ok && status != checkpoint_not_found) {
    print(checkpoint_text(status), status);
    return 1;
  }
  if (status == checkpoint_not_found) next = 1;  // nothing was written yet; sums[0] is 0
  print("begins at", next);
  while (next < numbers) {
    sums[next] = sums[next - 1] + next * next;
    ++next;
    if (next % interval != 0) continue;
    status = checkpoint_write("squares", next);
    print(status == checkpoint_ok ? "checkpoint" : checkpoint_text(status), next);
  }
  print("the sum is", sums[numbers - 1]);
  return 0;
}
