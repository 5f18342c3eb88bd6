// The core's own interrupt mask and the one correct way to sleep: look at the condition with interrupts
// masked, so that one that comes between the look and WFI is pending and WFI falls through.
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
