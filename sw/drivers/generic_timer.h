// The core's virtual generic timer: a counter of simulated time and one alarm (PPI 27).
#pragma once

#include <stdint.h>

#include "drivers/gic.h"

enum { generic_timer_interrupt = 27 };

uint64_t generic_timer_now(void);        // CNTVCT_EL0, ticks
uint64_t generic_timer_frequency(void);  // ticks per second
uint64_t generic_timer_ticks(uint64_t microseconds);

// Calls the handler on this core once the counter has reached `deadline`. The alarm is disabled before the
// handler runs.
void generic_timer_alarm(uint64_t deadline, InterruptHandler handler);
