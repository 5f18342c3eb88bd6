// In place of sw/boot/interrupts.h: a process gets no interrupts. The handler of a device is called while the
// process waits for it, and finds the events in the registers of the device.
#pragma once

#include <stdbool.h>

static inline void interrupts_mask(void) {}
static inline void interrupts_unmask(void) {}
static inline void data_synchronization_barrier(void) { __asm__ volatile("dsb sy" ::: "memory"); }

void wait_for_interrupt(void);          // sleeps for a moment, and calls the handler
void sleep_until(volatile bool* flag);  // until the handler has set it
