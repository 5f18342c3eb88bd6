// Injects single-bit faults and lets the patrol scrubber find them: no core reads the blocks. The exit status
// is 0 if one pass has corrected and logged each of them, and another one finds nothing.
//
//   scrub [interval=1] [faults=5]        nanoseconds between two blocks
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "boot/memory.h"
#include "drivers/generic_timer.h"
#include "drivers/memory_controller.h"
#include "drivers/power.h"

static volatile bool fired;

static void alarm(void) { fired = true; }

static void sleep_for(uint64_t microseconds) {
  fired = false;
  generic_timer_alarm(generic_timer_now() + generic_timer_ticks(microseconds), alarm);
  sleep_until(&fired);
}

// Sleeps until the scrubber has completed this number of further passes.
static void wait_for_passes(uint32_t passes) {
  const uint32_t end = memory_controller_scrubbed() + passes;
  while ((int32_t)(memory_controller_scrubbed() - end) < 0) sleep_for(100);
}

static unsigned found_by_scrub(const uint64_t* first, const uint64_t* end) {
  unsigned count = 0;
  MemoryError error;
  for (; memory_controller_oldest_error(&error); memory_controller_drop_oldest_error())
    count += error.source == error_by_scrub && !error.uncorrectable && error.address >= (uintptr_t)first &&
             error.address < (uintptr_t)end;
  return count;
}

int main(int argc, char** argv) {
  uint64_t interval = 1, faults = 5;
  const Argument table[] = {
      {"interval", argument_number, &interval, 1, 1000000, "nanoseconds between two blocks"},
      {"faults", argument_number, &faults, 1, 16, "number of bit faults"},
  };
  if (!arguments_read(argc, argv, table, 2)) return exit_usage;
  if (!power_probe() || !memory_controller_probe()) {
    printf("scrub: no fault controller or no memory controller\n");
    return exit_unavailable;
  }
  uint64_t* const page = memory_allocate(page_bytes);
  for (unsigned i = 0; i < page_bytes / 8; ++i) page[i] = i;
  for (unsigned i = 0; i < faults; ++i)
    if (!power_inject((MemoryFault){memory_fault_bit, &page[8 * i], i, 3 * i % 32, false}))
      return exit_failed;
  const uint32_t before = memory_controller_corrected();
  memory_controller_scrub((uint32_t)interval);
  wait_for_passes(2);  // the first one may have begun after the page
  const uint32_t corrected = memory_controller_corrected() - before;
  const unsigned logged = found_by_scrub(page, page + page_bytes / 8);
  printf("scrub: %u corrected, %u of them logged\n", (unsigned)corrected, logged);
  wait_for_passes(1);
  const uint32_t again = memory_controller_corrected() - before - corrected;
  memory_controller_scrub(0);
  printf("scrub: %u in the next pass\n", (unsigned)again);
  return corrected == faults && logged == faults && again == 0 ? exit_passed : exit_failed;
}
