// The bandwidth of mixes of reads and writes on several cores, each on its part of an array, as ASCT's
// peak-bandwidth; with one core and a small array, that of a cache, as its bandwidth-sweep.
#include <stdio.h>

#include "apps/memory_timing/measurement.h"
#include "apps/memory_timing/traffic.h"

enum { words_a_line = line_bytes / sizeof(uint64_t), bytes_at_least = 4 << 20 };

static struct { uint64_t size, cores; } options;

static uint64_t* array;
static uint64_t lines;  // of each core

static struct {
  uint64_t wrong;  // lines
  uint64_t rest[7];
} found[MAX_CORES] __attribute__((aligned(line_bytes)));

static uint64_t* part(unsigned core) { return array + core * lines * words_a_line; }
static uint64_t stored_value(const Mix* mix) { return 0x5ca1ab1e + (uint64_t)(mix - mix_of); }

static void begin(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  for (uint64_t i = 0; i < lines * words_a_line; ++i) part(core)[i] = 0;
}

typedef struct {
  const Mix* mix;
  uint64_t passes;
} Task;

static void run(unsigned core, unsigned cores, void* argument) {
  (void)cores;
  const Task* const task = argument;
  task->mix->at_once(part(core), lines, stored_value(task->mix), task->passes);
}

// One word of each line.
static void check(unsigned core, unsigned cores, void* argument) {
  (void)cores;
  const Mix* const mix = ((const Task*)argument)->mix;
  for (uint64_t i = 0; i < lines; ++i) {
    const bool is_stored = mix->group != 0 && i % mix->group == mix->group - 1;
    found[core].wrong +=
        part(core)[i * words_a_line + i % words_a_line] != (is_stored ? stored_value(mix) : 0);
  }
}

ExitStatus measure_bandwidth(int argc, char** argv) {
  const Argument table[] = {
      {"size", argument_number, &options.size, 1 << 12, 1ull << 40, "of all cores' parts together"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
  };
  if (!READ_ARGUMENTS(argc, argv, table)) return exit_usage;
  const unsigned cores = start_cores(argv[0], options.cores);
  if (cores == 0) return exit_usage;
  if (options.size == 0) options.size = beyond_caches(cores);
  lines = part_lines(options.size, cores);
  if (lines == 0) {
    printf("%s: argument 'size=%llu' is wrong: less than %u KiB a core\n", argv[0], (Printable)options.size,
           part_unit * line_bytes / 1024);
    return exit_usage;
  }
  array = allocate(argv[0], options.size);
  if (array == NULL) return exit_unavailable;
  const uint64_t passes = (bytes_at_least - 1) / (cores * lines * line_bytes) + 1;

  print_machine(argv[0], cores);
  printf("%12s %12s %12s %12s\n", "mix", "KiB", "us", "GB/s");
  for (unsigned i = 0; i < mixes; ++i) {
    Task once = {&mix_of[i], 1}, task = {&mix_of[i], passes};
    cores_run(begin, NULL);
    cores_run(run, &once);  // so that memory also gets the write-backs of the pass before
    const uint64_t ticks = run_together(run, &task);
    cores_run(check, &task);
    const uint64_t bytes = passes * cores * traffic_bytes(task.mix, lines);
    printf("%12s %12llu %12.2f %12.3f\n", mix_of[i].name, (Printable)(bytes / 1024), nanoseconds(ticks) / 1e3,
           gigabytes_per_second(bytes, ticks));
  }
  uint64_t wrong = 0;
  for (unsigned core = 0; core < cores; ++core) wrong += found[core].wrong;
  return print_verdict(argv[0], wrong == 0);
}
