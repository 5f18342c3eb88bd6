// The core that executes this.
#pragma once

#include <stdint.h>

// Its number: Aff0 of MPIDR_EL1.
static inline unsigned cpu_index(void) {
  uint64_t mpidr;
  __asm__ volatile("mrs %0, mpidr_el1" : "=r"(mpidr));
  return mpidr & 0xff;
}
