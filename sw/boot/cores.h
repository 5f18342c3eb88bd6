// The cores of the node: starting the secondaries by PSCI, running a function on all of them, a barrier.
//
// Secondary cores are off until cores_start. Between jobs they sleep in WFI and cost the simulator nothing.
// They never print. Waiting spins for a few microseconds, since a barrier inside a solver is shorter than an
// interrupt, and then sleeps until software-generated interrupt 0 of the core that ends the wait.
#pragma once

#include <stdint.h>

#include "boot/layout.h"

// Starts cores 1, 2, ... until PSCI CPU_ON answers INVALID_PARAMETERS or `at_most` cores run. Returns how
// many run now, core 0 among them. A second call starts nothing and returns the same.
unsigned cores_start(unsigned at_most);

// Runs function(core, cores, argument) on all started cores and returns when all have returned. Only from
// core 0.
typedef void (*CoresFunction)(unsigned core, unsigned cores, void* argument);
void cores_run(CoresFunction function, void* argument);

// Waits until all started cores are here. Only inside cores_run. What a core wrote before it, every core
// reads after it.
void cores_barrier(void);
