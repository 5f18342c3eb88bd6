// A pointer chase, as lmbench's lat_mem_rd and ASCT's latency-sweep: the time of a load by the size of what
// is loaded from, all lines of which are visited in random order.
#include <stdio.h>

#include "apps/memory_timing/chain.h"
#include "apps/memory_timing/measurement.h"
#include "drivers/cxl.h"
#include "drivers/generic_timer.h"

static struct {
  uint64_t from, to, factor, steps, loads;
  bool cxl;
} options = {.from = 4 << 10, .factor = 2, .steps = 1, .loads = 1 << 15};

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"from", argument_number, &options.from, 1 << 10, 1ull << 40, "smallest size"},
      {"to", argument_number, &options.to, 1 << 10, 1ull << 40, "largest size"},
      {"factor", argument_number, &options.factor, 2, 1024, "from one size to the next"},
      {"steps", argument_number, &options.steps, 1, 16, "sizes a factor, at even distances"},
      {"loads", argument_number, &options.loads, 1, 1ull << 32, "that are measured of each size, at least"},
      {"cxl", argument_switch, &options.cxl, 0, 0, "load from the memory of a CXL expander"},
  };
  if (!READ_ARGUMENTS(argc, argv, table)) return false;
  if (options.to == 0) options.to = 2 * beyond_caches(1);
  if (options.to >= options.from) return true;
  printf("%s: argument 'to=%llu' is wrong: smaller than from=%llu\n", argv[0], (Printable)options.to,
         (Printable)options.from);
  return false;
}

// Whole passes over the chain, of `loads` or more, that chase() can make.
static uint64_t whole_passes(uint64_t lines, uint64_t loads) {
  uint64_t passes = 1;
  while (passes * lines % chase_unit != 0 || passes * lines < loads) ++passes;
  return passes * lines;
}

// Measures with caches that hold what a pass leaves there. Returns whether the passes ended where they began.
static bool measure(Chain* chain, uint64_t bytes) {
  enum { line_unit = 16 };  // with it, a few passes are always a multiple of chase_unit
  const uint64_t lines = bytes / line_bytes / line_unit * line_unit;
  chain_extend(chain, lines);
  ChainLine* const after_one = chase(chain->first, whole_passes(lines, lines));
  const uint64_t loads = whole_passes(lines, options.loads);
  const uint64_t start = generic_timer_now();
  ChainLine* const last = chase(after_one, loads);
  const uint64_t ticks = generic_timer_now() - start;
  printf("%12.2f %12llu %12.3f\n", (double)lines * line_bytes / 1024, (Printable)loads,
         nanoseconds(ticks) / (double)loads);
  return after_one == chain->first && last == chain->first;
}

static void* in_the_expander(const char* app, uint64_t bytes) {
  CxlMemory memory;
  if (cxl_probe(&memory) && memory.bytes >= bytes) return (void*)(uintptr_t)memory.first;
  printf("%s: this machine has no CXL expander with %llu bytes\n", app, (Printable)bytes);
  return NULL;
}

ExitStatus measure_latency(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  void* const memory = options.cxl ? in_the_expander(argv[0], options.to) : allocate(argv[0], options.to);
  if (memory == NULL) return exit_unavailable;
  print_machine(argv[0], 1);
  printf("%12s %12s %12s\n", "KiB", "loads", "ns");
  Chain chain = chain_begin(memory, 1);
  bool is_right = true;
  for (uint64_t size = options.from; size <= options.to; size *= options.factor)
    for (uint64_t step = 0; step < options.steps; ++step) {
      const uint64_t bytes = size + size * (options.factor - 1) * step / options.steps;
      if (bytes <= options.to) is_right &= measure(&chain, bytes);
    }
  return print_verdict(argv[0], is_right);
}
