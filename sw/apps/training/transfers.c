#include "apps/training/transfers.h"

#include <stddef.h>
#include <stdio.h>

#include "boot/memory.h"
#include "drivers/generic_timer.h"

typedef enum { idle, reading, finishing, writing } Transfer;

GpuCondition gpu_conditions[transfers_gpu_limit];

static unsigned gpus;
static uint32_t state_kib, all_kib;
static uint32_t state_zones, guard_zones;
static uint32_t* numbers;  // 0, 1, 2 ...: any part of it is a list of zones
static struct {
  Transfer transfer;
  bool runs;
  uint32_t zones;  // of a read
  uint64_t kernel_end;
} work[transfers_gpu_limit];

// ---- regions ----

static uint32_t zones_of(uint64_t bytes) {
  if (gpu_allocate(0, (uint32_t)((bytes + 1023) >> 10)) != gpu_ok) return 0;
  return gpu_zones_in_use(0);
}

static void keep(unsigned gpu, GpuError error, const char* what) {
  if (error == gpu_lost) {
    gpu_conditions[gpu].lost = true;
  } else if (error != gpu_ok) {
    printf("training: GPU %u: %s: %s\n", gpu, what, gpu_error_text(error));
    gpu_conditions[gpu].failed = true;
  }
}

static void use(unsigned gpu, uint32_t kib) { keep(gpu, gpu_allocate(gpu, kib), "memory"); }

bool transfers_prepare(unsigned count, uint64_t* state_bytes, uint64_t* guard_bytes) {
  gpus = count;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) gpu_restart(gpu);
  state_zones = zones_of(*state_bytes);
  guard_zones = *guard_bytes == 0 ? 0 : zones_of(*guard_bytes);
  if (state_zones == 0 || (*guard_bytes != 0 && guard_zones == 0)) return false;
  const uint32_t zone_kib = gpu_zone_bytes() >> 10, all = state_zones + 2 * guard_zones;
  state_kib = state_zones * zone_kib;
  all_kib = all * zone_kib;
  *state_bytes = (uint64_t)state_kib << 10;
  *guard_bytes = (uint64_t)guard_zones * zone_kib << 10;
  numbers = memory_allocate(all * sizeof *numbers);
  if (numbers == NULL || all_kib > gpu_memory_kib()) return false;
  for (uint32_t zone = 0; zone < all; ++zone) numbers[zone] = zone;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) use(gpu, state_kib);
  return true;
}

// A zone that was retired is in other cells. If it has an error again, what it shares with all zones has
// failed, such as a data pin, and further spare zones are as bad.
static bool was_retired(unsigned gpu, uint32_t zone) {
  static struct {
    uint32_t zones[16];
    unsigned count;
  } all[transfers_gpu_limit];
  const unsigned limit = sizeof all[gpu].zones / sizeof *all[gpu].zones;
  for (unsigned i = 0; i < all[gpu].count && i < limit; ++i)
    if (all[gpu].zones[i] == zone) return true;
  all[gpu].zones[all[gpu].count++ % limit] = zone;
  return false;
}

static bool retire_zones(unsigned gpu) {
  GpuContained contained;
  while (gpu_contained(gpu, &contained)) {
    while (gpu_is_copying(gpu)) continue;  // the rest of what the error has ended
    if (was_retired(gpu, contained.zone)) {
      printf(
          "training: GPU %u: zone %u has an error again after it was retired:\n"
          "training:   its memory cannot be used\n",
          gpu, (unsigned)contained.zone);
      return false;
    }
    const GpuError error = gpu_retire(gpu, contained.zone);
    printf("training: GPU %u: uncorrectable error in zone %u, found by a %s: %s\n", gpu,
           (unsigned)contained.zone, contained.by_copy ? "transfer" : "kernel",
           error == gpu_ok ? "retired" : gpu_error_text(error));
    if (error != gpu_ok) return false;
  }
  return true;
}

bool transfers_mend(unsigned gpu) {
  if (gpu_conditions[gpu].lost || gpu_conditions[gpu].failed) gpu_restart(gpu);
  gpu_conditions[gpu] = (GpuCondition){0};
  work[gpu].transfer = idle;
  work[gpu].runs = false;
  if (!retire_zones(gpu)) return false;
  use(gpu, state_kib);
  return true;
}

// ---- transfers ----

static bool has_ended(unsigned gpu) { return gpu_conditions[gpu].lost || gpu_conditions[gpu].failed; }
static bool is_usable(unsigned gpu) { return !has_ended(gpu) && !gpu_conditions[gpu].damaged; }

static void start(unsigned gpu, GpuError error, Transfer transfer, const char* what) {
  keep(gpu, error, what);
  if (error == gpu_ok) work[gpu].transfer = transfer;
}

static void read(unsigned gpu, void* to, uint32_t zones) {
  if (!is_usable(gpu)) return;
  work[gpu].zones = zones;
  GpuError error = gpu_begin(gpu, false, false, to, NULL);
  if (error == gpu_ok) error = gpu_copy_out(gpu, numbers, zones);
  start(gpu, error, reading, "read");
}

static void write(unsigned gpu, const void* from, uint32_t first, uint32_t zones) {
  if (!is_usable(gpu)) return;
  start(gpu, gpu_copy_in(gpu, numbers + first, zones, from), writing, "write");
}

void transfers_read_state(unsigned gpu, void* to) {
  use(gpu, state_kib);
  read(gpu, to, state_zones);
}

void transfers_read_all(unsigned gpu, void* to) {
  use(gpu, all_kib);
  read(gpu, to, state_zones + 2 * guard_zones);
}

void transfers_write_state(unsigned gpu, const void* from) { write(gpu, from, 0, state_zones); }
void transfers_write_guard(unsigned gpu, unsigned slot, const void* from) {
  write(gpu, from, state_zones + slot * guard_zones, guard_zones);
}

void transfers_launch(unsigned gpu, uint64_t step, uint64_t accesses, uint64_t gap_ns) {
  static GpuKernel kernel;  // the GPU reads it
  if (!is_usable(gpu)) return;
  kernel = (GpuKernel){.bytes = (uint64_t)state_kib << 10,
                       .seed = step * transfers_gpu_limit + gpu,
                       .number = step,
                       .accesses = accesses,
                       .pattern = 1,
                       .gap_ns = (uint32_t)gap_ns};
  const GpuError error = gpu_launch(gpu, &kernel);
  keep(gpu, error, "kernel");
  work[gpu].runs = error == gpu_ok;
}

bool transfers_exclude_kernels(const void* state) {
  enum { accesses = 20, gap_ns = 1000 };  // the kernel still runs when the copy is asked for
  transfers_launch(0, 0, accesses, gap_ns);
  if (!work[0].runs) return false;
  const GpuError error = gpu_copy_in(0, numbers, state_zones, state);
  if (error != gpu_running) start(0, error, writing, "write");
  transfers_wait();
  return error == gpu_running;
}

static void progress(unsigned gpu) {
  const uint32_t events = gpu_take_events(gpu);
  if ((events & gpu_event_lost) != 0) {
    gpu_conditions[gpu].lost = true;
    work[gpu].transfer = idle;
    work[gpu].runs = false;
    return;
  }
  if ((events & gpu_event_kernel_ended) != 0) {
    work[gpu].runs = false;
    work[gpu].kernel_end = generic_timer_now();
  }
  if ((events & gpu_event_contained) != 0) gpu_conditions[gpu].damaged = true;
  if ((events & gpu_event_failed) != 0 && gpu_failure(gpu) == gpu_memory_error) {
    gpu_conditions[gpu].damaged = true;
    work[gpu].transfer = idle;
  } else if ((events & gpu_event_failed) != 0) {
    printf("training: GPU %u: transfer given up: %s\n", gpu, gpu_failure_text(gpu_failure(gpu)));
    gpu_conditions[gpu].failed = true;
    work[gpu].transfer = idle;
  }
  if (work[gpu].transfer == reading && gpu_arrived(gpu) == work[gpu].zones)
    start(gpu, gpu_finish(gpu), finishing, "read");
  if ((events & gpu_event_taken) != 0 || (events & gpu_event_copied_in) != 0) work[gpu].transfer = idle;
}

uint64_t transfers_kernel_end(unsigned gpu) { return work[gpu].kernel_end; }

bool transfers_are_busy(void) {
  bool is_busy = false;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    progress(gpu);
    is_busy |= !has_ended(gpu) && (work[gpu].transfer != idle || work[gpu].runs);
  }
  return is_busy;
}

bool transfers_wait(void) {
  while (transfers_are_busy()) gpu_await_event();
  bool is_sound = true;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) is_sound &= is_usable(gpu);
  return is_sound;
}
