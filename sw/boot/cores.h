// The cores of the node: starts secondary cores, runs a function on all of them, and provides a barrier.
//
// Secondary cores are off until cores_start() starts them by PSCI. If the device tree gives them a release
// address (a spin table), they spin there until cores_start() writes it. Between jobs they sleep in WFI and
// cost the simulator nothing. They never print. A waiting core spins for a few microseconds, since a barrier
// inside a solver is shorter than an interrupt, and then sleeps until software-generated interrupt 0 from the
// core that ends the wait.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/layout.h"

// Starts cores 1, 2, ... until a core does not exist (PSCI CPU_ON returns INVALID_PARAMETERS) or is an
// auxiliary core, or until `at_most` cores run. Returns the number of running cores, including core 0. A
// second call starts nothing and returns the same number.
unsigned cores_start(unsigned at_most);

// Runs function(core, cores, argument) on all started cores and returns when all have returned. Call it on
// core 0 only. If it is called inside such a function, core 0 runs the new function alone, with cores = 1.
typedef void (*CoresFunction)(unsigned core, unsigned cores, void* argument);
void cores_run(CoresFunction function, void* argument);

// Waits until all started cores have called it; for functions that run under cores_run(). After it, every
// core sees what any core wrote before it.
void cores_barrier(void);

// The number of auxiliary cores: the last cores of the node, if its configuration reserves some
// (`cores.auxiliary`; the device tree says which). The functions above do not use them. They work
// independently of the other cores and sleep when idle.
unsigned cores_auxiliary(void);
// Runs function(i, auxiliary cores, argument) on each of them, with i from 0, and returns at once. Call it on
// core 0 only, and only when all have returned from the previous function. Without auxiliary cores it does
// nothing.
void cores_run_auxiliary(CoresFunction function, void* argument);
void cores_join_auxiliary(void);  // waits until all have returned

// Adds 1 to a word for which cores wait, including auxiliary ones. A core that sees the new value also sees
// everything that the signalling core wrote before.
void cores_signal(uint32_t* word);
void cores_wait_while(const uint32_t* word, uint32_t value);  // waits until the word has another value
// Like cores_wait_while(), but also returns after any interrupt of this core, and at once if `ready` returns
// true; `ready` examines flags that interrupt handlers of this core set.
void cores_doze(const uint32_t* word, uint32_t value, bool (*ready)(void));
