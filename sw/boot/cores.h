// The cores of the node: starting the secondaries, running a function on all of them, a barrier.
//
// Secondary cores are off until cores_start starts them by PSCI; where the device tree gives them a release address (a spin table), they
// spin there, and it writes that. Between jobs they sleep in WFI and cost the simulator nothing.
// They never print. Waiting spins for a few microseconds, since a barrier inside a solver is shorter than an
// interrupt, and then sleeps until software-generated interrupt 0 of the core that ends the wait.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/layout.h"

// Starts cores 1, 2, ... until there is none (PSCI CPU_ON answers INVALID_PARAMETERS), an auxiliary core comes or `at_most` cores run.
// Returns how many run now, core 0 among them. A second call starts nothing and returns the same.
unsigned cores_start(unsigned at_most);

// Runs function(core, cores, argument) on all started cores and returns when all have returned. Only from
// core 0; inside such a function core 0 runs it alone, as the one core of it.
typedef void (*CoresFunction)(unsigned core, unsigned cores, void* argument);
void cores_run(CoresFunction function, void* argument);

// Waits until all started cores are here. Only inside cores_run. What a core wrote before it, every core
// reads after it.
void cores_barrier(void);

// Auxiliary cores: the last of the node, where its configuration sets some aside (`cores.auxiliary`; the device tree says
// which). No part of the above; they work beside whatever the others do, and sleep when they have nothing to do.
unsigned cores_auxiliary(void);
// Runs function(i, auxiliary cores, argument) on each, i from 0, and returns at once. Only from core 0, and only when all have
// returned from the function before. With none nothing happens.
void cores_run_auxiliary(CoresFunction function, void* argument);
void cores_join_auxiliary(void);  // waits until all have returned

// A word that cores wait for, among them auxiliary ones: what a core wrote before cores_signal, those that see the word changed
// read. Adds 1.
void cores_signal(uint32_t* word);
void cores_wait_while(const uint32_t* word, uint32_t value);
// The same, but returns after any interrupt of this core too, and at once when `ready` says so, which looks at what interrupt
// handlers of this core set.
void cores_doze(const uint32_t* word, uint32_t value, bool (*ready)(void));
