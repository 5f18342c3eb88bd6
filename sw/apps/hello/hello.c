// Prints text that is the same on every machine of this kind, so that QEMU's virt machine and Asterism can be
// compared line by line.
#include <stdint.h>
#include <stdio.h>

#include "boot/cores.h"
#include "boot/exit_status.h"

int main(void) {
  uint64_t level;
  __asm__("mrs %0, CurrentEL" : "=r"(level));
  printf("hello from AArch64, bare metal\n");
  printf("exception level %u\n", (unsigned)(level >> 2 & 3));
  printf("cores started by PSCI: %u\n", cores_start(MAX_CORES));
  volatile double third = 1.0 / 3.0;  // computed by this machine, not by the compiler
  printf("floating point: 1/3 * 3 - 1 = %g, 1/3 = %.17g\n", third * 3.0 - 1.0, third);
  return exit_passed;
}
