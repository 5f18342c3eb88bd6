// Sweeps a lattice Boltzmann stencil over a grid on all cores, saves it to PCRAM as it goes, and continues after a power loss from
// the newest whole checkpoint with the same bits.
//
//   pcram [columns=96] [rows=64] [sweeps=40] [interval=4] [incremental=on|off] [cores=N]
//
// Exit status: 0 verified, 1 not, 2 a wrong argument, 3 no PCRAM or too little memory. result.txt holds what two runs are compared
// by, in exact bits.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/result/result.h"
#include "apps/stencil/lattice.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checksum.h"
#include "checkpoint/pcram_level.h"
#include "drivers/generic_timer.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

static struct {
  uint64_t columns, rows, sweeps, interval, cores;
  bool incremental;
} options = {.columns = 96, .rows = 64, .sweeps = 40, .interval = 4, .incremental = true};

static unsigned saved, failed;
static uint64_t copied, ticks;

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"columns", argument_number, &options.columns, 8, 4096, "cells in a row"},
      {"rows", argument_number, &options.rows, 8, 4096, "rows of cells"},
      {"sweeps", argument_number, &options.sweeps, 1, 1000000, "over all cells"},
      {"interval", argument_number, &options.interval, 1, 1000000, "sweeps between two checkpoints"},
      {"incremental", argument_switch, &options.incremental, 0, 0, "leaves out what a layer has already"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
  };
  return arguments_read(argc, argv, table, sizeof table / sizeof *table);
}

static void write_checkpoint(Lattice* lattice) {
  if (lattice->state.sweeps % options.interval != 0) return;
  const uint64_t start = generic_timer_now();
  const PcramError error = pcram_level_write(lattice->state.sweeps, options.incremental);
  ticks += generic_timer_now() - start;
  copied += pcram_level_copied();
  if (error == pcram_ok) {
    ++saved;
    return;
  }
  ++failed;
  printf("pcram: sweep %llu: not saved: %s at page %u\n", (Printable)lattice->state.sweeps,
         pcram_error_text(error), (unsigned)pcram_bad_index());
}

static bool near(double value, double wanted, double tolerance) {
  return __builtin_fabs(value - wanted) <= tolerance;
}

static bool report(Lattice* lattice) {
  cores_run(lattice_measure, lattice);
  const LatticeSums* const sums = &lattice->sums;
  const double cells = (double)options.columns * (double)options.rows,
               rounding = 1e-15 * cells * (1000 + (double)options.sweeps);
  const bool right = near(sums->mass, cells, rounding) && near(sums->momentum_x, 0, rounding) &&
                     near(sums->momentum_y, 0, rounding);
  const uint64_t sum = checksum(CHECKSUM_START, lattice->cells, lattice_cell_bytes(lattice));
  printf("pcram: %u checkpoints saved, %u not, %llu pages copied, %llu us\n", saved, failed,
         (Printable)copied, (Printable)(ticks * 1000000 / generic_timer_frequency()));
  printf("pcram: after %llu sweeps: %s, lattice checksum 0x%016llx\n", (Printable)lattice->state.sweeps,
         right ? "verified" : "WRONG", (Printable)sum);
  char text[160];
  snprintf(text, sizeof text, "sweeps %llu\nvortex 0x%016llx\nlattice 0x%016llx\n",
           (Printable)lattice->state.sweeps, (Printable)result_bits(sums->vortex), (Printable)sum);
  const bool written = result_write(text);
  if (!written) printf("pcram: result.txt cannot be written\n");
  return right && written;
}

static bool is_of_this_lattice(const LatticeState* state) {
  return state->columns == options.columns && state->rows == options.rows && state->sweeps <= options.sweeps;
}

static void restore(Lattice* lattice, bool has_power) {
  uint64_t version;
  if (!pcram_level_restore(&version) || !is_of_this_lattice(&lattice->state)) {
    cores_run(lattice_begin, lattice);
    return;
  }
  printf("pcram: goes on from sweep %llu\n", (Printable)version);
  if (has_power) power_recovered(recovered_from_pcram);
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  const unsigned cores = cores_start(options.cores == 0 ? MAX_CORES : (unsigned)options.cores);
  if (cores < options.cores) {
    printf("pcram: argument 'cores=%llu' is wrong: this machine has %u\n", (Printable)options.cores, cores);
    return exit_usage;
  }
  const bool has_power = power_probe();
  if (has_power)
    printf("pcram: reset cause %s, boot %u\n", power_reset_cause_text(), (unsigned)power_boot_count());
  if (!pcram_probe()) {
    printf("pcram: this machine has no PCRAM\n");
    return exit_unavailable;
  }
  static Lattice lattice = {.after_sweep = write_checkpoint};
  lattice.columns = (uint32_t)options.columns;
  lattice.rows = (uint32_t)options.rows;
  lattice.sweep_limit = options.sweeps;
  if (!lattice_allocate(&lattice)) {
    printf("pcram: %u x %u cells do not fit into the memory of this machine\n", (unsigned)lattice.columns,
           (unsigned)lattice.rows);
    return exit_unavailable;
  }
  const uint32_t pages = (uint32_t)((lattice_cell_bytes(&lattice) + page_bytes - 1) / page_bytes);
  if (!pcram_level_prepare(lattice.cells, pages, &lattice.state, sizeof lattice.state)) {
    printf("pcram: two checkpoints of %u pages do not fit into %u pages of PCRAM\n", (unsigned)pages,
           (unsigned)pcram_pages());
    return exit_unavailable;
  }
  printf("pcram: %u x %u cells, %u pages, %u pages of PCRAM%s\n", (unsigned)lattice.columns,
         (unsigned)lattice.rows, (unsigned)pages, (unsigned)pcram_pages(),
         pcram_layer_pages() != 0 ? " on top of memory" : "");
  cores_run(lattice_begin, &lattice);
  restore(&lattice, has_power);
  cores_run(lattice_run, &lattice);
  return report(&lattice) ? exit_passed : exit_failed;
}
