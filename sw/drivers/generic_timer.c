#include "drivers/generic_timer.h"

#include <stddef.h>

enum { control_enable = 1 };

static InterruptHandler alarm_handler;  // NULL: no alarm is set

static void set_control(uint64_t value) {
  __asm__ volatile("msr cntv_ctl_el0, %0\n isb" ::"r"(value) : "memory");
}

static void expired(void) {
  set_control(0);
  const InterruptHandler handler = alarm_handler;
  alarm_handler = NULL;
  if (handler != NULL) handler();
}

uint64_t generic_timer_now(void) {
  uint64_t ticks;
  __asm__ volatile("isb\n mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
  return ticks;
}

uint64_t generic_timer_frequency(void) {
  uint64_t frequency;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
  return frequency;
}

uint64_t generic_timer_ticks(uint64_t microseconds) {
  return microseconds * generic_timer_frequency() / 1000000;
}

void generic_timer_alarm(uint64_t deadline, InterruptHandler handler) {
  alarm_handler = handler;
  gic_enable(generic_timer_interrupt, expired);
  __asm__ volatile("msr cntv_cval_el0, %0" ::"r"(deadline) : "memory");
  set_control(control_enable);
}
