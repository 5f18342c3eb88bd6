// The implementation of boot/cores.h for up to 576 cores with a GICv3 (drivers/gicv3.c).
// asterism_many_core_app() in CMakeLists.txt links programs with it instead of boot/cores.c, and sets
// ASTERISM_MANY_CORES for all their sources.
//
// Cores form groups of 16, by Aff1 and Aff0 of MPIDR_EL1. Shared counters are spread over these groups:
// sleeping cores are recorded for each group, and the barrier counts arrivals within a group and then groups.
// There are no auxiliary cores.
#pragma once

#include <stdint.h>

#include "boot/cores.h"

// Aligns a variable to a cache line, so that exclusive accesses to different words do not disturb each other.
#define OWN_LINE _Alignas(64)

// Wakes one core that waits in cores_wait_while(); call it after the word was changed.
void cores_wake_one(unsigned core);

// Returns the sum of all cores' values, modulo 2^64, on all cores. Sums go up a binary tree of cores and the
// result comes down again; each step is a word for which one core waits, and one software-generated interrupt
// if that core sleeps. All cores must call it, inside cores_run().
uint64_t cores_all_reduce(unsigned core, unsigned cores, uint64_t value);
