// The latency of memory under load, as Intel's MLC and ASCT's loaded-latency: core 0 chases pointers while
// each other core makes accesses to a part of an array, with a delay behind each line. A table has the
// bandwidth of these other cores and the latency for each delay.
//
// The chain of core 0 is long enough for the loads of all delays, and no cache has any of its lines at first.
// So each line is visited once, every load is one of memory, and the last one leads back to the first. The
// other cores have made a pass over their parts before, and go on with each delay where they were, so that
// the caches have what such a load leaves there, and none of the lines that come next.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/memory_timing/chain.h"
#include "apps/memory_timing/measurement.h"
#include "apps/memory_timing/traffic.h"
#include "drivers/generic_timer.h"

enum { delays_at_most = 32, block_lines = part_unit, delayed_block_lines = 6 };

// Those of ASCT's tables, where they are numbers of NOPs.
static const char usual_delays[] = "3000,900,500,180,100,80,70,50,40,30,20,10,0";
static const char* const mix_names[mixes] = {"1:0", "3:1", "2:1", "1:1"};  // in the order of mix_of

static struct {
  uint64_t size, cores, loads;
  const char* delays;
  ArgumentChoice mix;
} options = {.loads = 4096, .delays = usual_delays, .mix = {mix_names, mixes, 0}};

static uint64_t delay_of[delays_at_most];
static unsigned delays;

static struct {
  void* array;
  uint64_t lines;  // of a core's part
  const Mix* mix;
} load;

static struct {
  ChainLine* at;
  uint64_t warm_up, ticks;
} chaser;

// The present delay. Its bandwidth is the sum of those of the cores, each in its own time.
static struct {
  uint64_t delay;
  uint64_t rest_of_line[7];
  uint64_t has_ended;
  uint64_t rest[7];
} run __attribute__((aligned(line_bytes)));

static struct {
  double bandwidth;
  uint64_t next;  // line of the core's part
  uint64_t rest_of_line[6];
} found[MAX_CORES] __attribute__((aligned(line_bytes)));

static bool read_delays(const char* name) {
  char* end;
  for (const char* text = options.delays; delays < delays_at_most; text = end + 1) {
    if (*text < '0' || *text > '9') break;
    delay_of[delays++] = strtoull(text, &end, 10);
    if (*end == 0) return true;
    if (*end != ',') break;
  }
  printf("%s: argument 'delays=%s' is wrong: at most %u numbers between commas\n", name, options.delays,
         delays_at_most);
  return false;
}

// ---- the cores ----

static void chase_under_load(void) {
  ChainLine* const first = chase(chaser.at, chaser.warm_up);
  const uint64_t start = generic_timer_now();
  chaser.at = chase(first, options.loads);
  chaser.ticks = generic_timer_now() - start;
  __atomic_store_n(&run.has_ended, 1, __ATOMIC_RELEASE);
}

static char* part(unsigned core) { return (char*)load.array + (core - 1) * load.lines * line_bytes; }

// A part of the delay that differs from core to core, as cores never begin at the same time on a real
// machine. Otherwise all of them would access memory at the same moments, with pauses between.
static void wait_for_turn(unsigned core) {
  uint64_t times = (core * 0x9e3779b9u & 0xffff) * run.delay >> 16;
  __asm__ volatile("1:\nsubs %[times], %[times], #1\nb.hi 1b\n" : [times] "+&r"(times) : : "cc");
}

static double make_load(unsigned core) {
  const uint64_t block = run.delay == 0 ? block_lines : delayed_block_lines;
  uint64_t done = 0, at = found[core].next;
  wait_for_turn(core);
  const uint64_t start = generic_timer_now();
  do {
    if (at + block > load.lines) at = 0;
    if (run.delay == 0)
      load.mix->at_once(part(core) + at * line_bytes, block, 1, 1);
    else
      load.mix->delayed(part(core) + at * line_bytes, block, 1, run.delay);
    done += block;
    at += block;
  } while (__atomic_load_n(&run.has_ended, __ATOMIC_RELAXED) == 0);
  found[core].next = at;
  return gigabytes_per_second(traffic_bytes(load.mix, done), generic_timer_now() - start);
}

static void chase_or_load(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  cores_barrier();
  if (core == 0)
    chase_under_load();
  else
    found[core].bandwidth = make_load(core);
}

static void begin(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  if (core == 0) return;
  memset(part(core), 0, load.lines * line_bytes);
  load.mix->at_once(part(core), load.lines, 1, 1);
}

// ---- the chain ----

static void leave_caches(const Chain* chain) {
  for (uint64_t i = 0; i < chain->lines; ++i)
    __asm__ volatile("dc civac, %0" ::"r"(chain->first + i * chain->stride) : "memory");
  __asm__ volatile("dsb sy" ::: "memory");
}

// Of all delays' loads, spread over up to 16 times as much memory, so that they use many rows of DRAM.
static ChainLine* make_chain(const char* name) {
  const uint64_t lines = delays * (chaser.warm_up + options.loads);
  uint64_t stride = 15;  // odd, for all sets of caches and all channels
  while (stride > 1 && lines * stride * line_bytes > memory_left()) stride /= 2;
  void* const memory = allocate(name, lines * stride * line_bytes);
  if (memory == NULL) return NULL;
  Chain chain = chain_begin(memory, stride);
  chain_extend(&chain, lines);
  leave_caches(&chain);
  return chain.first;
}

static bool allocate_load(const char* name, unsigned cores) {
  if (cores == 1) return true;
  load.lines = part_lines(options.size, cores - 1);
  if (load.lines != 0) load.array = allocate(name, options.size);
  if (load.lines == 0)
    printf("%s: argument 'size=%llu' is wrong: less than %u KiB a core\n", name, (Printable)options.size,
           part_unit * line_bytes / 1024);
  return load.array != NULL;
}

ExitStatus measure_loaded_latency(int argc, char** argv) {
  const Argument table[] = {
      {"size", argument_number, &options.size, 1 << 12, 1ull << 40,
       "of the load's array; more than the caches"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
      {"loads", argument_number, &options.loads, 1, 1ull << 32, "of core 0 that are measured for each delay"},
      {"delays", argument_text, &options.delays, 1, 255, "iterations behind each line, between commas"},
      {"mix", argument_choice, &options.mix, 0, 0, "reads to writes of the load"},
  };
  if (!READ_ARGUMENTS(argc, argv, table) || !read_delays(argv[0])) return exit_usage;
  const unsigned cores = start_cores(argv[0], options.cores);
  if (cores == 0) return exit_usage;
  if (options.size == 0) options.size = beyond_caches(cores);
  options.loads = (options.loads + chase_unit - 1) / chase_unit * chase_unit;
  chaser.warm_up = (options.loads / 4 + chase_unit - 1) / chase_unit * chase_unit;
  load.mix = &mix_of[options.mix.index];
  if (!allocate_load(argv[0], cores)) return load.lines == 0 ? exit_usage : exit_unavailable;
  ChainLine* const first = make_chain(argv[0]);
  if (first == NULL) return exit_unavailable;

  print_machine(argv[0], cores);
  printf("%12s %12s %12s\n", "delay", "GB/s", "ns");
  cores_run(begin, NULL);
  chaser.at = first;
  for (unsigned i = 0; i < delays; ++i) {
    run.delay = delay_of[i];
    run.has_ended = 0;
    cores_run(chase_or_load, NULL);
    double bandwidth = 0;
    for (unsigned core = 1; core < cores; ++core) bandwidth += found[core].bandwidth;
    printf("%12llu %12.3f %12.3f\n", (Printable)run.delay, bandwidth,
           nanoseconds(chaser.ticks) / (double)options.loads);
  }
  return print_verdict(argv[0], chaser.at == first);
}
