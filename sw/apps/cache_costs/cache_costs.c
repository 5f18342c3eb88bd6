// The costs of loads and stores by the place of their line: in a cache, after maintenance, past caches, or in
// the cache of another core.
//
//   cache_costs
//
// Prints the picoseconds of an access, including its loop, a line for each case; with several cores, those of
// the slowest one.
//
// Exit status: 0; 1 if a value is wrong; 3 if the start code has left data caches off, or with one core.
#include <inttypes.h>
#include <stdio.h>

#include "boot/cores.h"
#include "boot/exit_status.h"
#include "drivers/generic_timer.h"

enum { accesses = 1000, increments = 4000, max_cores = 4, words_a_line = 8, block_shift = 30 };
enum { sctlr_m = 1 << 0, sctlr_c = 1 << 2 };

extern uint64_t __translation_table[512];  // boot/start.S: blocks of 1 GiB

typedef void (*Access)(volatile uint64_t* word);

static volatile uint64_t line[words_a_line] __attribute__((aligned(64)));
static volatile uint64_t counters[max_cores * words_a_line] __attribute__((aligned(64)));
static uint64_t ticks_of[max_cores];
static unsigned words_between;

static uint64_t sctlr(void) {
  uint64_t value;
  __asm__ volatile("mrs %0, sctlr_el1" : "=r"(value));
  return value;
}
static void set_sctlr(uint64_t value) {
  __asm__ volatile("dsb sy\n msr sctlr_el1, %0\n isb" ::"r"(value) : "memory");
}

// ---- one core ----

static void load(volatile uint64_t* word) { (void)*word; }
static void store(volatile uint64_t* word) { *word = 1; }
static void clean(volatile uint64_t* word) {
  __asm__ volatile("dc cvac, %0\n dsb sy" ::"r"(word) : "memory");
}
static void store_and_clean(volatile uint64_t* word) {
  store(word);
  clean(word);
}
static void load_after_clean_and_invalidate(volatile uint64_t* word) {
  __asm__ volatile("dc civac, %0\n dsb sy" ::"r"(word) : "memory");
  load(word);
}
static void load_after_invalidate(volatile uint64_t* word) {
  __asm__ volatile("dc ivac, %0\n dsb sy" ::"r"(word) : "memory");
  load(word);
}

static void print(const char* name, uint64_t ticks, uint64_t count) {
  printf("cache_costs: %s %" PRIu64 " ps\n", name,
         ticks * (1000000000000 / generic_timer_frequency()) / count);
}

static inline __attribute__((always_inline)) uint64_t ticks(Access access, volatile uint64_t* word) {
  const uint64_t start = generic_timer_now();
  for (unsigned i = 0; i < accesses; ++i) access(word);
  return generic_timer_now() - start;
}
#define MEASURE(name, access, word) print(name, ticks(access, word), accesses)

// Maps the block that holds `address` a second time, with attribute `index` of MAIR_EL1.
static volatile uint64_t* again_as(volatile uint64_t* address, unsigned entry, unsigned index) {
  const uintptr_t at = (uintptr_t)address, mask = ((uintptr_t)1 << block_shift) - 1;
  const uint64_t attribute_index = 7 << 2;
  __translation_table[entry] = 0;
  __asm__ volatile("dsb sy\n tlbi vmalle1is\n dsb sy" ::: "memory");
  __translation_table[entry] = (__translation_table[at >> block_shift] & ~attribute_index) | index << 2;
  __asm__ volatile("dsb sy\n isb" ::: "memory");
  return (volatile uint64_t*)((uintptr_t)entry << block_shift | (at & mask));
}

static void measure_types(void) {
  const uint64_t mair = 0x44ff00;  // Device-nGnRnE, Write-Back, Non-cacheable
  __asm__ volatile("msr mair_el1, %0\n isb" ::"r"(mair));
  MEASURE("load, Device", load, again_as(line, 510, 0));
  MEASURE("load, Non-cacheable", load, again_as(line, 511, 2));
  MEASURE("store, Non-cacheable", store, again_as(line, 511, 2));
  const uint64_t usual = sctlr();
  set_sctlr(usual & ~(uint64_t)sctlr_c);
  const uint64_t without_c = ticks(load, line);
  set_sctlr(usual & ~(uint64_t)(sctlr_c | sctlr_m));
  const uint64_t without_m = ticks(load, line);
  set_sctlr(usual);
  print("load, SCTLR_EL1.C = 0", without_c, accesses);
  print("load, MMU off", without_m, accesses);
}

// ---- four cores ----

static void increment(unsigned core, unsigned cores, void* argument) {
  (void)cores;
  (void)argument;
  volatile uint64_t* const counter = &counters[core * words_between];
  cores_barrier();
  const uint64_t start = generic_timer_now();
  for (unsigned i = 0; i < increments; ++i) ++*counter;
  ticks_of[core] = generic_timer_now() - start;
}

static bool measure_sharing(const char* name, unsigned cores, unsigned words) {
  words_between = words;
  for (unsigned i = 0; i < max_cores * words_a_line; ++i) counters[i] = 0;
  cores_run(increment, NULL);
  uint64_t slowest = 0;
  bool is_right = true;
  for (unsigned core = 0; core < cores; ++core) {
    if (ticks_of[core] > slowest) slowest = ticks_of[core];
    is_right = is_right && counters[core * words] == increments;
  }
  print(name, slowest, increments);
  return is_right;
}

int main(void) {
  if ((sctlr() & (sctlr_m | sctlr_c)) != (sctlr_m | sctlr_c)) {
    printf("cache_costs: no data caches (node.cores.caches.model=tags)\n");
    return exit_unavailable;
  }
  load(line);
  MEASURE("load", load, line);
  MEASURE("store", store, line);
  MEASURE("store and clean", store_and_clean, line);
  MEASURE("clean", clean, line);
  MEASURE("load after clean and invalidate", load_after_clean_and_invalidate, line);
  line[1] = 0x5ca1ab1e;
  clean(line);
  MEASURE("load after invalidate", load_after_invalidate, line);
  if (line[0] != 1 || line[1] != 0x5ca1ab1e) return exit_failed;
  measure_types();

  const unsigned cores = cores_start(max_cores);
  if (cores < 2) return exit_unavailable;
  const bool own = measure_sharing("increment, own lines", cores, words_a_line);
  const bool shared = measure_sharing("increment, one line", cores, 1);
  return own && shared ? exit_passed : exit_failed;
}
