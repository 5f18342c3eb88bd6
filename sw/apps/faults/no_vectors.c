// Takes an exception while VBAR_EL1 is an unmapped address: every fetch of a vector raises the next
// exception, for ever. The run's time limit ends it.
#include <stdint.h>
#include <stdio.h>

#include "apps/faults/holes.h"
#include "boot/exit_status.h"

int main(void) {
  printf("no_vectors: undefined instruction with VBAR_EL1 in a hole\n");
  __asm__ volatile("msr vbar_el1, %0\n isb\n udf #0" ::"r"((uint64_t)HOLE_ADDRESS) : "memory");
  printf("no_vectors: returned\n");
  return exit_failed;
}
