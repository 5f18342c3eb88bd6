// Sets the virtual timer, sleeps in WFI until its interrupt, and checks the counter: the interrupt must never
// be early.
//
//   timer [after=100] [times=3]        microseconds
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "drivers/generic_timer.h"

typedef unsigned long long Printable;
static volatile bool fired;

static void alarm(void) { fired = true; }

int main(int argc, char** argv) {
  uint64_t after = 100, times = 3;
  const Argument table[] = {
      {"after", argument_number, &after, 1, 10000000, "microseconds"},
      {"times", argument_number, &times, 1, 1000, "alarms, one after the other"},
  };
  if (!arguments_read(argc, argv, table, 2)) return exit_usage;
  for (uint64_t i = 0; i < times; ++i) {
    fired = false;
    const uint64_t deadline = generic_timer_now() + generic_timer_ticks(after);
    generic_timer_alarm(deadline, alarm);
    sleep_until(&fired);
    const uint64_t now = generic_timer_now();
    if (now < deadline) {
      printf("timer: interrupt %llu ticks early\n", (Printable)(deadline - now));
      return exit_failed;
    }
  }
  printf("timer: %llu interrupts, each %llu us after it was set, none early\n", (Printable)times,
         (Printable)after);
  return exit_passed;
}
