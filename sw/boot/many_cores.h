// Up to 576 cores: what boot/cores.h says, made for a GICv3 (drivers/gicv3.c) and for many. Programs are linked with this instead
// of boot/cores.c by asterism_many_core_app() in CMakeLists.txt, which sets ASTERISM_MANY_CORES for all that they are made of.
//
// Cores are in clusters of 16, as Aff1 and Aff0 of MPIDR_EL1 have them. What all cores write is spread: who sleeps is noted by
// cluster, the barrier counts arrivals by cluster and then clusters. There are no auxiliary cores.
#pragma once

#include <stdint.h>

#include "boot/cores.h"

// Shall begin a line, so that exclusives of different words do not disturb each other.
#define OWN_LINE _Alignas(64)

// Wakes one core that waits in cores_wait_while: after the word was changed.
void cores_wake_one(unsigned core);

// The sum of all cores' values, modulo 2^64, in all cores: up a binary tree of the cores and down again, each step a word that
// one core waits for and one software-generated interrupt where it sleeps. Only inside cores_run, by all cores.
uint64_t cores_all_reduce(unsigned core, unsigned cores, uint64_t value);
