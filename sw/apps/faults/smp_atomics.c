// All cores add to shared counters: with LDXR/STXR, under a lock made of them, and with LSE's LDADD if the
// core has it. Exit status: 0 if every sum is exact, else 1.
//
//   smp_atomics [rounds=1000]
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"

typedef unsigned long long Printable;

static struct {
  uint64_t exclusive;  // LDXR/STXR
  uint64_t locked;     // plain add under the lock
  uint64_t large;      // LSE
  uint32_t lock;
  uint64_t rounds;
  bool has_lse;
} shared;

static bool core_has_lse(void) {
  uint64_t features;
  __asm__("mrs %0, id_aa64isar0_el1" : "=r"(features));
  return (features >> 20 & 0xf) >= 2;
}

static void add_large(uint64_t* counter) {
  __asm__ volatile(".arch_extension lse\n ldaddal %0, xzr, [%1]" ::"r"(1ull), "r"(counter) : "memory");
}

static void count(unsigned core, unsigned cores, void* argument) {
  (void)core, (void)cores, (void)argument;
  for (uint64_t i = 0; i < shared.rounds; ++i) {
    __atomic_fetch_add(&shared.exclusive, 1, __ATOMIC_RELAXED);
    if (shared.has_lse) add_large(&shared.large);
    while (__atomic_exchange_n(&shared.lock, 1, __ATOMIC_ACQUIRE) != 0) {
    }
    ++*(volatile uint64_t*)&shared.locked;
    __atomic_store_n(&shared.lock, 0, __ATOMIC_RELEASE);
  }
  cores_barrier();
}

static bool exact(const char* name, uint64_t found, uint64_t expected) {
  printf("smp_atomics: %s: %llu of %llu\n", name, (Printable)found, (Printable)expected);
  return found == expected;
}

int main(int argc, char** argv) {
  shared.rounds = 1000;
  const Argument table[] = {{"rounds", argument_number, &shared.rounds, 1, 10000000, "additions per core"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  const unsigned cores = cores_start(MAX_CORES);
  shared.has_lse = core_has_lse();
  cores_run(count, NULL);
  const uint64_t expected = cores * shared.rounds;
  bool right = exact("LDXR/STXR", shared.exclusive, expected);
  right = exact("lock", shared.locked, expected) && right;
  if (shared.has_lse)
    right = exact("LDADD", shared.large, expected) && right;
  else
    printf("smp_atomics: this core has no LSE\n");
  return right ? exit_passed : exit_failed;
}
