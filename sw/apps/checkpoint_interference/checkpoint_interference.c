// Shows what checkpoints cost a program that works on more memory than its caches hold: that of stencil,
// without checkpoints and with methods of the DIMM-SSD, in a table.
//
//   checkpoint_interference [columns=192] [rows=160] [sweeps=18] [interval=6] [cores=N] [method=NAME]
//
// method: compared with no checkpoints. Without it, stop_and_copy and early_late+consolidate are.
//
// The columns: time of all sweeps; its increase over the run without checkpoints; time for which the program
// was stopped, in the calls that take checkpoints; and the mean time of a sweep, and of a load from memory
// behind it, while the device copied no pages and while it copied some.
//
// Exit status: 0 all results are the same bits, 1 one is not or a checkpoint failed, 2 a wrong argument, 3
// the machine lacks memory or a DIMM-SSD.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/checkpoints/checkpoints.h"
#include "apps/stencil/lattice.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checksum.h"
#include "drivers/generic_timer.h"

static struct {
  uint64_t columns, rows, sweeps, interval, cores;
  ArgumentChoice method;
} options = {.columns = 192,
             .rows = 160,
             .sweeps = 18,
             .interval = 6,
             .method = {dimm_ssd_method_names, dimm_ssd_methods, dimm_ssd_configured}};

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"columns", argument_number, &options.columns, 8, 4096, "cells in a row"},
      {"rows", argument_number, &options.rows, 8, 4096, "rows of cells"},
      {"sweeps", argument_number, &options.sweeps, 2, 1000000, "over all cells"},
      {"interval", argument_number, &options.interval, 1, 1000000, "sweeps between two checkpoints"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
      {"method", argument_choice, &options.method, 0, 0, "how checkpoints are taken"},
  };
  return arguments_read(argc, argv, table, sizeof table / sizeof *table) &&
         arguments_interval_fits("checkpoint_interference", "interval", options.interval, options.sweeps,
                                 "sweeps");
}

typedef struct {
  uint64_t sweeps, sweeping, loads, loading;  // counts, and their ticks
} Times;

static struct {
  Checkpoints checkpoints;
  bool takes_checkpoints;
  Times alone, beside;  // while the device copied no pages, and some
  uint64_t sweep_start;
  uint32_t lines_copied;
} run;

enum { loads_at_a_time = 256, line = 64, lines = (8 << 20) / line };
static const volatile uint64_t* memory;  // which no cache holds
static const volatile uint64_t no_bits = 0;
static uint64_t next_line;

// Each waits for the one before it.
static void load(void) {
  const uint64_t none = no_bits;
  uint64_t next = next_line;
  for (unsigned i = 0; i < loads_at_a_time; ++i)
    next = (5 * next + 12347 + (memory[next * line / sizeof *memory] & none)) % lines;
  next_line = next;
}

static void begin_sweep(void) {
  run.lines_copied = dimm_ssd_lines_copied();
  run.sweep_start = generic_timer_now();
}

static void after_sweep(Lattice* lattice) {
  const uint64_t end = generic_timer_now();
  const uint32_t copied = dimm_ssd_lines_copied();
  Times* times = copied == run.lines_copied ? &run.alone : &run.beside;
  ++times->sweeps;
  times->sweeping += end - run.sweep_start;
  const uint64_t start = generic_timer_now();
  load();
  const uint64_t loading = generic_timer_now() - start;
  times = copied == dimm_ssd_lines_copied() ? &run.alone : &run.beside;
  times->loads += loads_at_a_time;
  times->loading += loading;
  if (run.takes_checkpoints) checkpoints_take(&run.checkpoints, lattice->state.sweeps);
  begin_sweep();
}

static Lattice lattice = {.after_sweep = after_sweep};

static double milliseconds(uint64_t ticks) { return 1e3 * (double)ticks / (double)generic_timer_frequency(); }

static void print_mean(int digits, double unit, uint64_t ticks, uint64_t count) {
  if (count == 0)
    printf(" %8s", "");
  else
    printf(" %8.*f", digits, milliseconds(ticks) / unit / (double)count);
}

// Time of all sweeps in ms, from the start.
static double sweep_all(void) {
  memset(&run.alone, 0, sizeof run.alone);
  memset(&run.beside, 0, sizeof run.beside);
  cores_run(lattice_begin, &lattice);
  const uint64_t start = generic_timer_now();
  begin_sweep();
  cores_run(lattice_run, &lattice);
  return milliseconds(generic_timer_now() - start);
}

static uint64_t result(void) { return checksum(CHECKSUM_START, lattice.cells, lattice_cell_bytes(&lattice)); }

static void print_row(const char* method, double time, double without) {
  printf("%-22s %7.2f %6.1f%% %7.2f", method, time, 100 * (time / without - 1),
         milliseconds(run.checkpoints.ticks));
  print_mean(3, 1, run.alone.sweeping, run.alone.sweeps);
  print_mean(3, 1, run.beside.sweeping, run.beside.sweeps);
  print_mean(1, 1e-6, run.alone.loading, run.alone.loads);
  print_mean(1, 1e-6, run.beside.loading, run.beside.loads);
  printf("\n");
}

static bool use(DimmSsdMethod method) {
  memset(&run.checkpoints, 0, sizeof run.checkpoints);
  run.checkpoints.app = run.checkpoints.name = dimm_ssd_method_names[method];
  run.checkpoints.interval = options.interval;
  run.checkpoints.method = method;
  run.checkpoints.async = run.checkpoints.quiet = true;
  run.takes_checkpoints = checkpoints_prepare(&run.checkpoints) == checkpoint_ok;
  return run.takes_checkpoints;
}

static bool compare(DimmSsdMethod method, double without, uint64_t wanted) {
  bool right = use(method);
  const double time = sweep_all();
  checkpoints_settle(&run.checkpoints);
  print_row(dimm_ssd_method_names[method], time, without);
  right = right && run.checkpoints.failed == 0 && run.checkpoints.durable > 0;
  if (!right) printf("checkpoint_interference: a checkpoint failed, or none was due\n");
  return right && result() == wanted;
}

static bool compare_all(void) {
  printf(
      "                          time         stopped      sweep, ms           load, ns\n"
      "method                      ms  slower      ms    alone   beside    alone   beside\n");
  const double without = sweep_all();
  const uint64_t wanted = result();
  print_row("none", without, without);
  CheckpointStatus status = checkpoint_initialize();
  if (status == checkpoint_ok) status = checkpoint_protect(0, lattice.cells, lattice_cell_bytes(&lattice));
  if (status == checkpoint_ok) status = checkpoint_protect(1, &lattice.state, sizeof lattice.state);
  if (status != checkpoint_ok) {
    printf("checkpoint_interference: %s\n", checkpoint_text(status));
    return false;
  }
  if (options.method.index != dimm_ssd_configured)
    return compare((DimmSsdMethod)options.method.index, without, wanted);
  return compare(dimm_ssd_stop_and_copy, without, wanted) &&
         compare(dimm_ssd_early_late_consolidate, without, wanted);
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  const unsigned cores = cores_start(options.cores == 0 ? MAX_CORES : (unsigned)options.cores);
  if (cores < options.cores) {
    printf("checkpoint_interference: argument 'cores=%llu' is wrong: this machine has %u\n",
           (unsigned long long)options.cores, cores);
    return exit_usage;
  }
  lattice.columns = (uint32_t)options.columns;
  lattice.rows = (uint32_t)options.rows;
  lattice.sweep_limit = options.sweeps;
  const CheckpointStatus status = checkpoint_initialize();
  memory = memory_allocate((size_t)lines * line);
  if (status != checkpoint_ok || memory == NULL || !lattice_allocate(&lattice)) {
    printf("checkpoint_interference: %s\n",
           status != checkpoint_ok ? checkpoint_text(status) : "too little memory");
    return exit_unavailable;
  }
  const bool right = compare_all();
  printf("checkpoint_interference: results are %s\n", right ? "the same bits" : "NOT the same");
  return right ? exit_passed : exit_failed;
}
