#include "apps/memory_timing/measurement.h"

#include <stdio.h>

#include "boot/memory.h"
#include "drivers/generic_timer.h"

enum { sctlr_m = 1 << 0, sctlr_c = 1 << 2, levels_at_most = 7 };

// ---- the machine ----

static bool has_data_caches(void) {
  uint64_t control;
  __asm__ volatile("mrs %0, sctlr_el1" : "=r"(control));
  return (control & (sctlr_m | sctlr_c)) == (sctlr_m | sctlr_c);
}

// The number of levels of data caches, by CLIDR_EL1.ICB.
static unsigned cache_levels(void) {
  uint64_t levels;
  if (!has_data_caches()) return 0;
  __asm__ volatile("mrs %0, clidr_el1" : "=r"(levels));
  return levels >> 30 & levels_at_most;
}

static uint64_t cache_bytes(unsigned level) {
  uint64_t geometry;
  __asm__ volatile("msr csselr_el1, %1\n isb\n mrs %0, ccsidr_el1"
                   : "=r"(geometry)
                   : "r"((uint64_t)(level - 1) << 1));
  const uint64_t bytes = 16u << (geometry & 7), ways = (geometry >> 3 & 0x3ff) + 1,
                 sets = (geometry >> 13 & 0x7fff) + 1;
  return sets * ways * bytes;
}

uint64_t beyond_caches(unsigned cores) {
  enum { least = 1 << 20 };
  const unsigned levels = cache_levels();
  uint64_t held = 0;  // as if all levels but the last one were private
  for (unsigned level = 1; level <= levels; ++level)
    held += cache_bytes(level) * (level < levels ? cores : 1);
  return 2 * held > least ? 2 * held : least;
}

unsigned start_cores(const char* name, uint64_t wanted) {
  const unsigned cores = cores_start(wanted == 0 ? MAX_CORES : (unsigned)wanted);
  if (cores >= wanted) return cores;
  printf("%s: argument 'cores=%llu' is wrong: this machine has %u\n", name, (Printable)wanted, cores);
  return 0;
}

// ---- the table ----

void print_machine(const char* name, unsigned cores) {
  printf("%s: %u core%s, ", name, cores, cores == 1 ? "" : "s");
  const unsigned levels = cache_levels();
  if (levels == 0) printf("no data caches");
  for (unsigned level = 1; level <= levels; ++level)
    printf("%s%llu KiB", level == 1 ? "data caches of " : ", ", (Printable)(cache_bytes(level) / 1024));
  printf("\n");
}

ExitStatus print_verdict(const char* name, bool is_right) {
  printf("%s: data %s\n", name, is_right ? "verified" : "WRONG");
  return is_right ? exit_passed : exit_failed;
}

// ---- memory ----

uint64_t memory_left(void) { return memory_end() - memory_free_start(); }

void* allocate(const char* name, uint64_t bytes) {
  void* const memory = memory_allocate(bytes);
  if (memory == NULL)
    printf("%s: %llu KiB do not fit into the %llu KiB that are left of memory\n", name,
           (Printable)(bytes / 1024), (Printable)(memory_left() / 1024));
  return memory;
}

// ---- time ----

double nanoseconds(uint64_t ticks) { return (double)ticks * 1e9 / (double)generic_timer_frequency(); }

double gigabytes_per_second(uint64_t bytes, uint64_t ticks) {
  return ticks == 0 ? 0 : (double)bytes / nanoseconds(ticks);
}

typedef struct {
  CoresFunction work;
  void* argument;
} Work;

static struct {
  uint64_t start, end;  // ticks
  uint64_t rest_of_line[6];
} times[MAX_CORES] __attribute__((aligned(line_bytes)));

static void timed(unsigned core, unsigned cores, void* argument) {
  const Work* const work = argument;
  cores_barrier();
  times[core].start = generic_timer_now();
  work->work(core, cores, work->argument);
  times[core].end = generic_timer_now();
}

uint64_t run_together(CoresFunction function, void* argument) {
  Work work = {function, argument};
  cores_run(timed, &work);
  uint64_t start = UINT64_MAX, end = 0;
  for (unsigned core = 0; core < cores_start(1); ++core) {
    if (times[core].start < start) start = times[core].start;
    if (times[core].end > end) end = times[core].end;
  }
  return end - start;
}
