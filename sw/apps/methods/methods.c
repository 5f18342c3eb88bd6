// Runs the programs of cg and stencil without checkpoints and with each checkpoint method of the DIMM-SSD,
// and compares them in a table. Each run starts from the beginning with a name of its own, and discards its
// checkpoints at the end.
//
//   methods [nx=20] [iterations=10] [columns=96] [rows=64] [sweeps=30] [interval=5] [cores=N]
//
// iterations: iterations of cg between two checkpoints; interval: sweeps of stencil between two checkpoints.
//
// The columns: run time of the program; its increase over the run without checkpoints; time in the calls that
// take checkpoints; writes that waited in the memory controller; bytes that checkpoints read from memory and
// flash pages programmed, both until the last checkpoint was durable; and those bytes divided by the run
// time.
//
// Every result is compared with that of the run without checkpoints, and so is the result after resuming from
// the newest checkpoint. Exit status: 0 all are identical, 1 one is not or a checkpoint failed, 2 a wrong
// argument, 3 the machine lacks memory or a DIMM-SSD.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/checkpoints/checkpoints.h"
#include "apps/methods/programs.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "checkpoint/checkpoint.h"
#include "drivers/generic_timer.h"

typedef unsigned long long Printable;

static ProgramSizes sizes = {.nx = 20, .columns = 96, .rows = 64, .sweeps = 30};
static uint64_t intervals[program_count] = {10, 5}, cores_wanted;

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"nx", argument_number, &sizes.nx, 3, 256, "nodes along an edge of cg's problem"},
      {"iterations", argument_number, &intervals[0], 1, 1000, "iterations of cg between two checkpoints"},
      {"columns", argument_number, &sizes.columns, 8, 4096, "cells in a row of the stencil"},
      {"rows", argument_number, &sizes.rows, 8, 4096, "rows of cells"},
      {"sweeps", argument_number, &sizes.sweeps, 1, 1000000, "over all cells"},
      {"interval", argument_number, &intervals[1], 1, 1000000, "sweeps between two checkpoints"},
      {"cores", argument_number, &cores_wanted, 1, MAX_CORES, "cores to run on; all by default"},
  };
  return arguments_read(argc, argv, table, sizeof table / sizeof *table) &&
         arguments_interval_fits("methods", "interval", intervals[1], sizes.sweeps, "sweeps");
}

typedef struct {
  double milliseconds, called;  // of the run; in the calls that take checkpoints
  uint32_t held, lines, flash_pages;
  unsigned durable;
  uint64_t result, result_after_restore;
  bool sound;  // every checkpoint became durable and the newest was restored
} Measured;

static double milliseconds(uint64_t ticks) { return 1e3 * (double)ticks / (double)generic_timer_frequency(); }

static bool discard_all(const char* name) {
  uint64_t version;
  while (checkpoint_find_newest(name, checkpoint_any_version, &version) == checkpoint_ok)
    if (checkpoint_discard(name, version) != checkpoint_ok) return false;
  return true;
}

static void run(const Program* program, Measured* measured) {
  program->begin();
  measured->held = dimm_ssd_writes_held();
  measured->lines = dimm_ssd_lines_copied();
  measured->flash_pages = dimm_ssd_flash_pages();
  const uint64_t start = generic_timer_now();
  program->run();
  measured->milliseconds = milliseconds(generic_timer_now() - start);
  measured->result = program->result();
}

// The data moved until the last checkpoint was durable.
static void count_moved(Measured* measured) {
  measured->held = dimm_ssd_writes_held() - measured->held;
  measured->lines = dimm_ssd_lines_copied() - measured->lines;
  measured->flash_pages = dimm_ssd_flash_pages() - measured->flash_pages;
}

// Resumes from the newest checkpoint and runs to the end again.
static bool run_from_newest(const Program* program, const char* name, Measured* measured) {
  uint64_t version;
  program->begin();
  if (checkpoint_find_newest(name, checkpoint_any_version, &version) != checkpoint_ok) return false;
  if (checkpoint_restore(name, version) != checkpoint_ok) return false;
  program->run();
  measured->result_after_restore = program->result();
  return true;
}

static Measured measure(const Program* program, uint64_t interval, DimmSsdMethod method) {
  char name[32];
  snprintf(name, sizeof name, "%s.%u", program->name, (unsigned)method);
  Checkpoints checkpoints;  // no initializer: gcc would use unaligned stores in spite of -mstrict-align
  memset(&checkpoints, 0, sizeof checkpoints);
  checkpoints.app = program->name;
  checkpoints.name = name;
  checkpoints.interval = interval;
  checkpoints.method = method;
  checkpoints.async = checkpoints.quiet = true;
  Measured measured = {.sound = false};
  if (checkpoints_prepare(&checkpoints) != checkpoint_ok) return measured;
  programs_take_checkpoints(&checkpoints);
  run(program, &measured);
  checkpoints_settle(&checkpoints);
  programs_take_checkpoints(NULL);
  count_moved(&measured);
  measured.called = milliseconds(checkpoints.ticks);
  measured.durable = checkpoints.durable;
  measured.sound = checkpoints.failed == 0 && checkpoints.durable > 0 &&
                   run_from_newest(program, name, &measured) && discard_all(name);
  return measured;
}

static void print_header(void) {
  printf(
      "                                  time slower  calls   held   read flash memory\n"
      "program method                      ms      %%     ms writes    MiB pages   MB/s\n");
}

static void print_row(const char* program, const char* method, const Measured* measured, double without) {
  const double bytes = 64.0 * measured->lines;
  printf("%-7s %-22s %7.2f %6.1f %6.2f %6u %6.2f %5u %6.1f\n", program, method, measured->milliseconds,
         100 * (measured->milliseconds / without - 1), measured->called, (unsigned)measured->held,
         bytes / (1 << 20), (unsigned)measured->flash_pages, bytes / 1e3 / measured->milliseconds);
}

static bool is_right(const char* method, const Measured* measured, uint64_t result) {
  const char* what = NULL;
  if (measured->durable == 0)
    what = "no checkpoint became durable, or none was due within the run";
  else if (!measured->sound)
    what = "a checkpoint failed";
  else if (measured->result != result)
    what = "another result";
  else if (measured->result_after_restore != result)
    what = "another result after the restore";
  if (what != NULL) printf("methods: %s: %s\n", method, what);
  return what == NULL;
}

static bool compare(const Program* program, uint64_t interval) {
  Measured without = {.sound = true};
  run(program, &without);
  count_moved(&without);
  print_row(program->name, "none", &without, without.milliseconds);
  checkpoint_initialize();
  bool right = program->protect() == checkpoint_ok;
  for (unsigned method = dimm_ssd_stop_and_copy; method < dimm_ssd_methods && right; ++method) {
    const Measured measured = measure(program, interval, (DimmSsdMethod)method);
    print_row(program->name, dimm_ssd_method_names[method], &measured, without.milliseconds);
    right = is_right(dimm_ssd_method_names[method], &measured, without.result);
  }
  return right;
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  const unsigned cores = cores_start(cores_wanted == 0 ? MAX_CORES : (unsigned)cores_wanted);
  if (cores < cores_wanted) {
    printf("methods: argument 'cores=%llu' is wrong: this machine has %u\n", (Printable)cores_wanted, cores);
    return exit_usage;
  }
  const CheckpointStatus status = checkpoint_initialize();
  if (status != checkpoint_ok || !programs_allocate(sizes)) {
    printf("methods: %s\n", status != checkpoint_ok ? checkpoint_text(status) : "too little memory");
    return exit_unavailable;
  }
  print_header();
  bool right = true;
  for (int i = 0; i < program_count; ++i) right = compare(&programs[i], intervals[i]) && right;
  printf("methods: results are %s\n", right ? "the same bits under all methods" : "NOT the same");
  return right ? exit_passed : exit_failed;
}
