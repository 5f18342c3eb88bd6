// The interrupt mask of the calling core, and the correct way to sleep: test the condition with interrupts
// masked, so that an interrupt between the test and WFI remains pending and WFI returns at once.
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline void interrupts_mask(void) { __asm__ volatile("msr daifset, #2" ::: "memory"); }
static inline void interrupts_unmask(void) { __asm__ volatile("msr daifclr, #2\n isb" ::: "memory"); }
static inline void wait_for_interrupt(void) { __asm__ volatile("dsb sy\n wfi" ::: "memory"); }
static inline void data_synchronization_barrier(void) { __asm__ volatile("dsb sy" ::: "memory"); }

// Sleeps until an interrupt handler of this core has set the flag. Leaves interrupts unmasked.
static inline void sleep_until(volatile bool* flag) {
  for (;;) {
    interrupts_mask();
    if (*flag) break;
    wait_for_interrupt();
    interrupts_unmask();  // the handler runs here
  }
  interrupts_unmask();
}
