// The core that executes this.
#pragma once

#include <stdint.h>

#include "boot/layout.h"

// Its number. With a GICv2 all cores are one cluster and it is Aff0 of MPIDR_EL1; else Aff1 counts clusters.
static inline unsigned cpu_index(void) {
  uint64_t mpidr;
  __asm__ volatile("mrs %0, mpidr_el1" : "=r"(mpidr));
  if (MAX_CORES <= CLUSTER_CORES) return mpidr & 0xff;
  return (mpidr >> 8 & 0xff) * CLUSTER_CORES + (mpidr & 0xff);
}
