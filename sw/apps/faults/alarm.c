// Sleeps in WFI until the real-time clock interrupts at a later second, and checks its registers then.
//
//   alarm [seconds=1] [times=2]
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "asterism/platform.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

static Device rtc;
static volatile bool rang;

static void ring(void) {
  mmio_write(rtc.base + RTC_ICR, 1);
  rang = true;
}

static int fail(const char* what, uint32_t value) {
  printf("alarm: %s %lu\n", what, (unsigned long)value);
  return exit_failed;
}

int main(int argc, char** argv) {
  uint64_t seconds = 1, times = 2;
  const Argument table[] = {
      {"seconds", argument_number, &seconds, 1, 100, "seconds until an alarm"},
      {"times", argument_number, &times, 1, 100, "alarms, one after the other"},
  };
  if (!arguments_read(argc, argv, table, 2)) return exit_usage;
  if (!device_tree_find("arm,pl031", &rtc)) return exit_unavailable;
  gic_enable(rtc.interrupt, ring);
  mmio_write(rtc.base + RTC_IMSC, 1);
  const uint32_t first = mmio_read(rtc.base + RTC_DR);
  for (uint64_t i = 1; i <= times; ++i) {
    const uint32_t match = first + (uint32_t)(i * seconds);
    rang = false;
    mmio_write(rtc.base + RTC_MR, match);
    sleep_until(&rang);
    const uint32_t second = mmio_read(rtc.base + RTC_DR), raised = mmio_read(rtc.base + RTC_RIS);
    if (second != match) return fail("DR is", second);
    if (raised != 0) return fail("RIS is", raised);
  }
  printf("alarm: %lu alarms, %lu s from each to the next\n", (unsigned long)times, (unsigned long)seconds);
  return exit_passed;
}
