// Measures the times of loads of a core before, while and after a snapshot of the GPUs' memory is taken, and
// of snapshots with and without loads, which shows whether they interfere in memory.
//
//   gpu_interference
//
// Prints the time of 8,192 loads of lines in 16 MiB, three times, and of two snapshots of 2 MiB of each GPU,
// in nanoseconds.
//
// Exit status: 0; 1 if a snapshot fails; 3 without a GPU.
#include <stdbool.h>
#include <stdio.h>

#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "boot/memory.h"
#include "drivers/generic_timer.h"
#include "drivers/gpu.h"

enum { saved_kib = 2048, loads = 8192, loads_at_a_time = 512, line = 64, lines = (16 << 20) / line };

static const volatile char* memory;
static unsigned next_line;
static unsigned gpus, open_gpus;
static bool failed;

static uint64_t nanoseconds(uint64_t ticks) { return ticks * (1000000000 / generic_timer_frequency()); }

static void load(unsigned count) {
  for (unsigned i = 0; i < count; ++i, next_line = (next_line + 1) % lines) (void)memory[next_line * line];
}

static uint64_t nanoseconds_of_loads(void) {
  const uint64_t start = generic_timer_now();
  load(loads);
  return nanoseconds(generic_timer_now() - start);
}

static bool is_open(void) {
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    const uint32_t events = gpu_take_events(gpu);
    if ((events & (gpu_event_taken | gpu_event_failed)) != 0) --open_gpus;
    failed = failed || (events & gpu_event_failed) != 0;
  }
  return open_gpus > 0;
}

// The same without interrupts.
static bool is_copying(void) {
  for (unsigned gpu = 0; gpu < gpus; ++gpu)
    if (gpu_arrived(gpu) < gpu_zones(gpu) && gpu_failure(gpu) == gpu_no_failure) return true;
  return false;
}

// Takes full snapshots of all GPUs by the device.
static void begin(uint8_t* extents, size_t size) {
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    const bool began = gpu_begin(gpu, false, true, extents + gpu * size, NULL) == gpu_ok;
    failed = failed || !began;
    open_gpus += began ? 1 : 0;
  }
}

int main(void) {
  gpus = gpu_probe();
  size_t size = 0;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    if (gpu_allocate(gpu, saved_kib) != gpu_ok) return exit_unavailable;
    size = (size_t)gpu_zones_in_use(gpu) * gpu_zone_bytes();
  }
  uint8_t* const extents = memory_allocate(gpus * size);
  memory = memory_allocate((size_t)lines * line);
  if (gpus == 0 || extents == NULL || memory == NULL) {
    printf("gpu_interference: %s\n", gpus == 0 ? "no GPU" : "too little memory");
    return exit_unavailable;
  }
  const uint64_t before = nanoseconds_of_loads();

  uint64_t start = generic_timer_now();
  begin(extents, size);
  while (is_open()) gpu_await_event();
  const uint64_t alone = nanoseconds(generic_timer_now() - start);

  // Each transfer of a GPU interrupts. Without caches, the handlers would take all of the core's time, and
  // their time is not that of loads.
  interrupts_mask();
  start = generic_timer_now();
  uint64_t loaded = 0, loading = 0;
  begin(extents, size);
  for (; is_copying(); loaded += loads_at_a_time) {
    const uint64_t from = generic_timer_now();
    load(loads_at_a_time);
    loading += generic_timer_now() - from;
  }
  const uint64_t beside = nanoseconds(generic_timer_now() - start);
  interrupts_unmask();
  while (is_open()) gpu_await_event();
  const uint64_t meanwhile = loaded == 0 ? 0 : nanoseconds(loading) * loads / loaded;

  const uint64_t after = nanoseconds_of_loads();
  printf(
      "gpu_interference: loads before %u ns, meanwhile %u ns, after %u ns; snapshots alone %u ns, beside "
      "loads %u ns\n",
      (unsigned)before, (unsigned)meanwhile, (unsigned)after, (unsigned)alone, (unsigned)beside);
  return failed ? exit_failed : exit_passed;
}
