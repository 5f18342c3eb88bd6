// Exclusives, compare and swap, and the LSE atomics: what each returns and leaves in memory, in every size
// and ordering; when a store exclusive fails; LDAPR; sums of many cores, which are exact. Without LSE or
// LDAPR in the core, that part is left out and a line says so.
//
//   conformance_atomics [rounds=2000]
//
// Left out, since the manual leaves the choice: a store exclusive to another address or of another size than
// the load exclusive; a store of this core to the monitored address between the two; how often a store
// exclusive fails while other cores are active. Left out, since QEMU compares values: a store of the same
// value by another core between the two (litmus tests it).
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "conformance/yes_no.h"
#include "drivers/gic.h"

typedef unsigned long long Printable;

static bool has_lse(void) {
  uint64_t features;
  __asm__("mrs %0, id_aa64isar0_el1" : "=r"(features));
  return (features >> 20 & 0xf) >= 2;
}

static bool has_load_acquire_pc(void) {
  uint64_t features;
  __asm__("mrs %0, id_aa64isar1_el1" : "=r"(features));
  return (features >> 20 & 0xf) >= 1;
}

// ---- Exclusives of one core ----

static uint64_t cell[8] __attribute__((aligned(64)));

#define EXCLUSIVE(name, load, store, registers)                                                 \
  static void exclusive_##name(void) {                                                          \
    cell[0] = 0x8877665544332211, cell[1] = 0x99aabbccddeeff00;                                 \
    uint64_t old, value = 0x0123456789abcdef;                                                   \
    uint32_t failed;                                                                            \
    __asm__ volatile(load " %" registers "0, [%3]\n" store " %w1, %" registers "2, [%3]"        \
                     : "=&r"(old), "=&r"(failed)                                                \
                     : "r"(value), "r"(cell)                                                    \
                     : "memory");                                                               \
    printf(load ", " store ": read %016llx, status %u, left %016llx\n", (Printable)old, failed, \
           (Printable)cell[0]);                                                                 \
    __asm__ volatile(store " %w0, %" registers "1, [%2]"                                        \
                     : "=&r"(failed)                                                            \
                     : "r"(~value), "r"(cell)                                                   \
                     : "memory");                                                               \
    printf("  once more: status %u, left %016llx\n", failed, (Printable)cell[0]);               \
  }
EXCLUSIVE(byte, "ldxrb", "stxrb", "w")
EXCLUSIVE(halfword, "ldxrh", "stxrh", "w")
EXCLUSIVE(word, "ldxr", "stxr", "w")
EXCLUSIVE(doubleword, "ldxr", "stxr", "x")
EXCLUSIVE(byte_ordered, "ldaxrb", "stlxrb", "w")
EXCLUSIVE(halfword_ordered, "ldaxrh", "stlxrh", "w")
EXCLUSIVE(word_ordered, "ldaxr", "stlxr", "w")
EXCLUSIVE(doubleword_ordered, "ldaxr", "stlxr", "x")

static void exclusive_pairs(void) {
  uint64_t low, high;
  uint32_t failed;
  cell[0] = 1, cell[1] = 2;
  __asm__ volatile("ldxp %0, %1, [%3]\n stxp %w2, %1, %0, [%3]"
                   : "=&r"(low), "=&r"(high), "=&r"(failed)
                   : "r"(cell)
                   : "memory");
  printf("ldxp, stxp of doublewords: %llu %llu, status %u, left %llu %llu\n", (Printable)low, (Printable)high,
         failed, (Printable)cell[0], (Printable)cell[1]);
  __asm__ volatile("ldaxp %w0, %w1, [%3]\n stlxp %w2, %w1, %w0, [%3]"
                   : "=&r"(low), "=&r"(high), "=&r"(failed)
                   : "r"(cell)
                   : "memory");
  printf("ldaxp, stlxp of words: %llu %llu, status %u, left %016llx\n", (Printable)low, (Printable)high,
         failed, (Printable)cell[0]);
}

// Operations between load and store exclusive, and whether the store then succeeds.
#define BETWEEN(what, code)                                              \
  do {                                                                   \
    cell[0] = 5;                                                         \
    uint64_t old;                                                        \
    uint32_t failed;                                                     \
    __asm__ volatile("ldxr %0, [%2]\n" code "\n stxr %w1, %3, [%2]"      \
                     : "=&r"(old), "=&r"(failed)                         \
                     : "r"(cell), "r"(6ull), "r"(cell + 4)               \
                     : "x9", "x10", "memory");                           \
    printf(what ": status %u, left %llu\n", failed, (Printable)cell[0]); \
  } while (0)

static void nothing(void) {}

static void exclusives(void) {
  printf("-- exclusives\n");
  exclusive_byte();
  exclusive_halfword();
  exclusive_word();
  exclusive_doubleword();
  exclusive_byte_ordered();
  exclusive_halfword_ordered();
  exclusive_word_ordered();
  exclusive_doubleword_ordered();
  exclusive_pairs();
  BETWEEN("nothing between", "");
  BETWEEN("clrex between", "clrex");
  BETWEEN("arithmetic between", "mov x9, #3\n mul x9, x9, x9");
  BETWEEN("a branch between", "b 7f\n 7:");
  BETWEEN("barriers between", "dmb ish\n dsb sy\n isb");
  BETWEEN("another load exclusive in between, ended", "ldxr x9, [%4]\n stxr w10, x9, [%4]");
  interrupts_mask();
  gic_enable(3, nothing);
  gic_send(3, 1);
  BETWEEN("an interrupt between", "msr daifclr, #2\n nop\n nop\n msr daifset, #2");
  interrupts_unmask();
}

// ---- LSE ----

#define LSE(name, instruction, registers)                                                           \
  static void lse_##name(uint64_t memory, uint64_t operand) {                                       \
    uint64_t old = 0;                                                                               \
    cell[0] = memory, cell[1] = 0x5555555555555555;                                                 \
    __asm__ volatile(".arch_extension lse\n " instruction " %" registers "1, %" registers "0, [%2]" \
                     : "=&r"(old)                                                                   \
                     : "r"(operand), "r"(cell)                                                      \
                     : "memory");                                                                   \
    printf(instruction " " registers ": %016llx with %016llx: read %016llx, left %016llx\n",        \
           (Printable)memory, (Printable)operand, (Printable)old, (Printable)cell[0]);              \
  }
#define COMPARE(name, instruction, registers)                                                          \
  static void lse_##name(uint64_t memory, uint64_t operand) {                                          \
    for (int equal = 0; equal < 2; ++equal) {                                                          \
      uint64_t compare = equal ? memory : ~memory;                                                     \
      cell[0] = memory;                                                                                \
      __asm__ volatile(".arch_extension lse\n " instruction " %" registers "0, %" registers "1, [%2]"  \
                       : "+&r"(compare)                                                                \
                       : "r"(operand), "r"(cell)                                                       \
                       : "memory");                                                                    \
      printf(instruction " " registers ": %016llx, %s, with %016llx: read %016llx, left %016llx\n",    \
             (Printable)memory, equal ? "equal" : "different", (Printable)operand, (Printable)compare, \
             (Printable)cell[0]);                                                                      \
    }                                                                                                  \
  }

// All orderings for words and doublewords, and one of them for each smaller size.
#define SIZES(of, name, instruction)                                                                    \
  of(name##_x, instruction, "x") of(name##_w, instruction "a", "w") of(name##_xl, instruction "l", "x") \
      of(name##_wal, instruction "al", "w") of(name##_b, instruction "b", "w")                          \
          of(name##_bal, instruction "alb", "w") of(name##_h, instruction "h", "w")                     \
              of(name##_ha, instruction "ah", "w")
#define OPERATIONS(of, sizes)                                                                             \
  sizes(of, ldadd, "ldadd") sizes(of, ldclr, "ldclr") sizes(of, ldeor, "ldeor") sizes(of, ldset, "ldset") \
      sizes(of, ldsmax, "ldsmax") sizes(of, ldsmin, "ldsmin") sizes(of, ldumax, "ldumax")                 \
          sizes(of, ldumin, "ldumin") sizes(of, swp, "swp")
OPERATIONS(LSE, SIZES)
SIZES(COMPARE, cas, "cas")

typedef void (*Operation)(uint64_t memory, uint64_t operand);
#define NAME(name, instruction, registers) {instruction, lse_##name},
static const struct {
  const char* name;
  Operation run;
} operations[] = {OPERATIONS(NAME, SIZES) SIZES(NAME, cas, "cas")};

static void compare_pairs(void) {
  for (int equal = 0; equal < 2; ++equal) {
    register uint64_t x4 __asm__("x4") = equal ? 11 : 12;
    register uint64_t x5 __asm__("x5") = 22;
    register uint64_t x6 __asm__("x6") = 33;
    register uint64_t x7 __asm__("x7") = 44;
    cell[0] = 11, cell[1] = 22;
    __asm__ volatile(".arch_extension lse\n caspal x4, x5, x6, x7, [%4]"
                     : "+r"(x4), "+r"(x5)
                     : "r"(x6), "r"(x7), "r"(cell)
                     : "memory");
    const uint64_t low = x4, high = x5;
    printf("caspal of doublewords, %s: read %llu %llu, left %llu %llu\n", equal ? "equal" : "different",
           (Printable)low, (Printable)high, (Printable)cell[0], (Printable)cell[1]);
  }
  register uint64_t x4 __asm__("x4") = 0xffffffff0000000b;
  register uint64_t x5 __asm__("x5") = 22;
  register uint64_t x6 __asm__("x6") = 33;
  register uint64_t x7 __asm__("x7") = 44;
  cell[0] = 11 | 22ull << 32;
  __asm__ volatile(".arch_extension lse\n casp w4, w5, w6, w7, [%4]"
                   : "+r"(x4), "+r"(x5)
                   : "r"(x6), "r"(x7), "r"(cell)
                   : "memory");
  const uint64_t low = x4, high = x5;
  printf("casp of words: read %016llx %016llx, left %016llx\n", (Printable)low, (Printable)high,
         (Printable)cell[0]);
}

static void large_system_extensions(void) {
  static const uint64_t values[][2] = {
      {0x00000000ffffffff, 1},
      {0x7fffffff7fff7f7f, 0x0000000000000001},
      {0x8000000080008080, 0x7fffffff7fff7f7f},
      {0xf0f0f0f0f0f0f0f0, 0x3c3c3c3c3c3c3c3c},
  };
  printf("-- LSE\n");
  for (unsigned i = 0; i < sizeof operations / sizeof *operations; ++i) {
    for (unsigned j = 0; j < sizeof values / sizeof *values; ++j)
      operations[i].run(values[j][0], values[j][1]);
  }
  cell[0] = 7;
  __asm__ volatile(".arch_extension lse\n stadd %0, [%1]\n stset %0, [%1]\n steorl %0, [%1]" ::"r"(9ull),
                   "r"(cell)
                   : "memory");
  printf("stadd, stset, steorl: left %llu\n", (Printable)cell[0]);
  compare_pairs();
}

// ---- Loads that acquire, processor consistent ----

#define LOAD_ACQUIRE(name, instruction, registers)                                                  \
  static void load_##name(void) {                                                                   \
    cell[0] = 0x8877665544332211;                                                                   \
    uint64_t value = ~0ull;                                                                         \
    __asm__ volatile(".arch_extension rcpc\n stlr %1, [%2]\n " instruction " %" registers "0, [%2]" \
                     : "+&r"(value)                                                                 \
                     : "r"(0xf1e2d3c4b5a69788), "r"(cell)                                           \
                     : "memory");                                                                   \
    printf(instruction ": read %016llx\n", (Printable)value);                                       \
  }
LOAD_ACQUIRE(byte, "ldaprb", "w")
LOAD_ACQUIRE(halfword, "ldaprh", "w")
LOAD_ACQUIRE(word, "ldapr", "w")
LOAD_ACQUIRE(doubleword, "ldapr", "x")

static void loads_that_acquire(void) {
  printf("-- LDAPR\n");
  load_byte();
  load_halfword();
  load_word();
  load_doubleword();
}

// ---- Many cores ----

static struct {
  uint64_t rounds;
  bool lse;
  struct {
    uint64_t value;
    uint64_t rest_of_line[7];
  } exclusive, acquired, pair, added, compared, swapped_in, swapped_out, locked;
  uint32_t lock;
  uint8_t neighbours[16];
} shared __attribute__((aligned(64)));

static void count(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  for (uint64_t i = 0; i < shared.rounds; ++i) {
    uint64_t value, other;
    uint32_t failed;
    do {
      __asm__ volatile("ldxr %0, [%2]\n add %0, %0, #1\n stxr %w1, %0, [%2]"
                       : "=&r"(value), "=&r"(failed)
                       : "r"(&shared.exclusive.value)
                       : "memory");
    } while (failed);
    do {
      __asm__ volatile("ldaxr %0, [%2]\n add %0, %0, #3\n stlxr %w1, %0, [%2]"
                       : "=&r"(value), "=&r"(failed)
                       : "r"(&shared.acquired.value)
                       : "memory");
    } while (failed);
    do {
      __asm__ volatile("ldaxp %0, %1, [%3]\n add %0, %0, #1\n add %1, %1, #2\n stlxp %w2, %0, %1, [%3]"
                       : "=&r"(value), "=&r"(other), "=&r"(failed)
                       : "r"(&shared.pair.value)
                       : "memory");
    } while (failed);
    do {  // a byte of its own, whose neighbours belong to other cores
      __asm__ volatile("ldxrb %w0, [%2]\n add %w0, %w0, #1\n stxrb %w1, %w0, [%2]"
                       : "=&r"(value), "=&r"(failed)
                       : "r"(&shared.neighbours[core])
                       : "memory");
    } while (failed);
    while (__atomic_exchange_n(&shared.lock, 1, __ATOMIC_ACQUIRE) != 0) {
    }
    ++*(volatile uint64_t*)&shared.locked.value;
    __atomic_store_n(&shared.lock, 0, __ATOMIC_RELEASE);
    if (!shared.lse) continue;
    __asm__ volatile(".arch_extension lse\n ldaddal %0, xzr, [%1]" ::"r"(1ull), "r"(&shared.added.value)
                     : "memory");
    uint64_t expected = *(volatile uint64_t*)&shared.compared.value;
    for (;;) {
      uint64_t found = expected;
      __asm__ volatile(".arch_extension lse\n casal %0, %1, [%2]"
                       : "+&r"(found)
                       : "r"(expected + 1), "r"(&shared.compared.value)
                       : "memory");
      if (found == expected) break;
      expected = found;
    }
    // Each value that is swapped in comes out once, here or at the end.
    __asm__ volatile(".arch_extension lse\n swpal %1, %0, [%2]"
                     : "=&r"(value)
                     : "r"(i + core * shared.rounds), "r"(&shared.swapped_in.value)
                     : "memory");
    __asm__ volatile(".arch_extension lse\n stadd %0, [%1]" ::"r"(value), "r"(&shared.swapped_out.value)
                     : "memory");
  }
}

static void exact(const char* what, uint64_t found, uint64_t expected) {
  printf("%s: %s\n", what, found == expected ? "exact" : "NOT EXACT");
}

static void many_cores(void) {
  const uint64_t cores = cores_start(4), all = cores * shared.rounds;
  printf("-- %u cores\n", (unsigned)cores);
  cores_run(count, NULL);
  exact("ldxr, stxr", shared.exclusive.value, all);
  exact("ldaxr, stlxr", shared.acquired.value, 3 * all);
  exact("ldaxp, stlxp, the low half", shared.pair.value, all);
  exact("ldaxp, stlxp, the high half", shared.pair.rest_of_line[0], 2 * all);
  exact("a lock", shared.locked.value, all);
  bool right = true;
  for (unsigned core = 0; core < cores; ++core)
    right = right && shared.neighbours[core] == (uint8_t)shared.rounds;
  yes_no("bytes beside each other", right);
  if (!shared.lse) return;
  exact("ldaddal", shared.added.value, all);
  exact("casal", shared.compared.value, all);
  exact("swpal", shared.swapped_out.value + shared.swapped_in.value, all * (all - 1) / 2);
}

int main(int argc, char** argv) {
  shared.rounds = 2000;
  const Argument table[] = {{"rounds", argument_number, &shared.rounds, 1, 1000000, "additions per core"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  shared.lse = has_lse();
  exclusives();
  if (shared.lse)
    large_system_extensions();
  else
    printf("-- this core has no LSE\n");
  if (has_load_acquire_pc())
    loads_that_acquire();
  else
    printf("-- this core has no LDAPR\n");
  many_cores();
  return exit_passed;
}
