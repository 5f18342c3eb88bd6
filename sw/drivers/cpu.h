// The calling core.
#pragma once

#include <stdint.h>

#include "boot/layout.h"

// The number of the calling core. With a GICv2 it is Aff0 of MPIDR_EL1; otherwise Aff1 counts groups of 16
// cores.
static inline unsigned cpu_index(void) {
  uint64_t mpidr;
  __asm__ volatile("mrs %0, mpidr_el1" : "=r"(mpidr));
  if (MAX_CORES <= CLUSTER_CORES) return mpidr & 0xff;
  return (mpidr >> 8 & 0xff) * CLUSTER_CORES + (mpidr & 0xff);
}
