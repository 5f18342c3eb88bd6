// Store to load: the time of a store and a load of the same address, where each store writes what the load
// before it has read, by the sizes of both.
#include <stdio.h>

#include "apps/memory_timing/measurement.h"
#include "drivers/generic_timer.h"

enum { pairs_a_loop = 128 };

static uint64_t pairs = 1 << 15;
static uint64_t word __attribute__((aligned(line_bytes)));

// In assembly: a compiler would keep the value in a register.
#define FORWARD(name, store, loading)                                                    \
  static uint64_t name(uint64_t value, uint64_t times) {                                 \
    __asm__ volatile("1:\n.rept 128\nstr %" store "[value], [%[word]]\nldr %" loading    \
                     "[value], [%[word]]\n.endr\nsubs %[times], %[times], #1\nb.ne 1b\n" \
                     : [value] "+&r"(value), [times] "+&r"(times)                        \
                     : [word] "r"(&word)                                                 \
                     : "memory", "cc");                                                  \
    return value;                                                                        \
  }
FORWARD(eight_to_eight, "x", "x")
FORWARD(eight_to_four, "x", "w")
FORWARD(four_to_eight, "w", "x")

static const struct {
  unsigned stored, loaded;  // bytes
  uint64_t (*run)(uint64_t value, uint64_t times);
} pair_of[] = {{8, 8, eight_to_eight}, {8, 4, eight_to_four}, {4, 8, four_to_eight}};

ExitStatus measure_forward(int argc, char** argv) {
  const Argument table[] = {{"pairs", argument_number, &pairs, 1, 1ull << 32, "of a store and a load"}};
  if (!READ_ARGUMENTS(argc, argv, table)) return exit_usage;
  const uint64_t times = (pairs + pairs_a_loop - 1) / pairs_a_loop;
  print_machine(argv[0], 1);
  printf("%12s %12s %12s %12s\n", "stored", "loaded", "pairs", "ns");
  bool is_right = true;
  for (unsigned i = 0; i < sizeof pair_of / sizeof *pair_of; ++i) {
    const uint64_t value = 0x123456789abcdef0, low = (uint32_t)value;
    word = value;
    const uint64_t start = generic_timer_now();
    const uint64_t last = pair_of[i].run(value, times);
    const uint64_t ticks = generic_timer_now() - start;
    is_right &= last == (pair_of[i].loaded == 4 ? low : value);
    printf("%12u %12u %12llu %12.3f\n", pair_of[i].stored, pair_of[i].loaded,
           (Printable)(times * pairs_a_loop), nanoseconds(ticks) / (double)(times * pairs_a_loop));
  }
  return print_verdict(argv[0], is_right);
}
