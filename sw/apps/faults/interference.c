// Measures the times of loads of a core before, while and after the DIMM-SSD copies pages, which shows
// whether they interfere in memory.
//
//   interference
//
// Prints the time of 8,192 loads of lines that were not accessed before, in nanoseconds, three times.
//
// Exit status: 0; 1 if a checkpoint fails; 3 without a DIMM-SSD.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/dimm_ssd.h"
#include "drivers/generic_timer.h"

enum { saved_pages = 64, loads = 8192, line = 64 };

static struct {
  DimmSsdRequest request;
  uint64_t pages[saved_pages];
} descriptor __attribute__((aligned(8))) = {
    .request = {.name = "interference", .version = 1, .page_count = saved_pages, .method = dimm_ssd_late}};

static uint64_t nanoseconds_of_loads(const volatile char* lines) {
  const uint64_t start = generic_timer_now();
  for (unsigned i = 0; i < loads; ++i) (void)lines[i * line];
  return (generic_timer_now() - start) * (1000000000 / generic_timer_frequency());
}

int main(void) {
  char* const memory = memory_allocate(saved_pages * page_bytes);
  char* const lines = memory_allocate(3 * loads * line);
  if (!dimm_ssd_probe() || memory == NULL || lines == NULL) {
    printf("interference: %s\n", memory == NULL || lines == NULL ? "too little memory" : "no DIMM-SSD");
    return exit_unavailable;
  }
  for (unsigned i = 0; i < saved_pages; ++i) descriptor.pages[i] = (uintptr_t)memory + i * page_bytes;

  const uint64_t before = nanoseconds_of_loads(lines);
  const uint32_t copied_before = dimm_ssd_lines_copied();
  if (dimm_ssd_execute(dimm_ssd_checkpoint, &descriptor.request) != dimm_ssd_ok) return exit_failed;
  const uint64_t meanwhile = nanoseconds_of_loads(lines + loads * line);
  const uint32_t copied = dimm_ssd_lines_copied() - copied_before;
  DimmSsdProgress progress = dimm_ssd_progress();
  for (; progress.open > 0 && !progress.failed; progress = dimm_ssd_progress()) dimm_ssd_await_progress();
  const uint64_t after = nanoseconds_of_loads(lines + 2 * loads * line);
  printf("interference: before %u ns, meanwhile %u ns with %u lines copied, after %u ns\n", (unsigned)before,
         (unsigned)meanwhile, (unsigned)copied, (unsigned)after);
  return progress.failed ? exit_failed : exit_passed;
}
