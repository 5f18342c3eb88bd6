// Sweeps a lattice Boltzmann stencil over a grid on all cores, takes checkpoints, and resumes after a power
// loss from the newest durable checkpoint, with an identical result.
//
//   stencil [columns=96] [rows=64] [sweeps=40] [interval=10] [cores=N] [checkpoint=on|off] [name=stencil]
//           [method=configured] [async=on|off]
//
// method, async: as in cg.
//
// Exit status: 0 verified, 1 not, 2 a wrong argument, 3 too little memory. result.txt holds exact bits by
// which two runs are compared.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/checkpoints/checkpoints.h"
#include "apps/result/result.h"
#include "apps/stencil/lattice.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checksum.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

static struct {
  uint64_t columns, rows, sweeps, cores;
  bool checkpoint;
  ArgumentChoice method;
} options = {.columns = 96,
             .rows = 64,
             .sweeps = 40,
             .checkpoint = true,
             .method = {dimm_ssd_method_names, dimm_ssd_methods, dimm_ssd_configured}};

static Checkpoints checkpoints = {.app = "stencil", .unit = "sweep", .name = "stencil", .interval = 10};

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"columns", argument_number, &options.columns, 8, 4096, "cells in a row"},
      {"rows", argument_number, &options.rows, 8, 4096, "rows of cells"},
      {"sweeps", argument_number, &options.sweeps, 1, 1000000, "over all cells"},
      {"interval", argument_number, &checkpoints.interval, 1, 1000000, "sweeps between two checkpoints"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
      {"checkpoint", argument_switch, &options.checkpoint, 0, 0, "write and restore checkpoints"},
      {"name", argument_text, &checkpoints.name, 1, 31, "name of the checkpoints"},
      {"method", argument_choice, &options.method, 0, 0, "how checkpoints are taken"},
      {"async", argument_switch, &checkpoints.async, 0, 0, "continue before a checkpoint is durable"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return false;
  checkpoints.method = (DimmSsdMethod)options.method.index;
  return !options.checkpoint ||
         arguments_interval_fits("stencil", "interval", checkpoints.interval, options.sweeps, "sweeps");
}

static void write_checkpoint(Lattice* lattice) {
  if (options.checkpoint) checkpoints_take(&checkpoints, lattice->state.sweeps);
}

static void prepare_checkpoints(Lattice* lattice) {
  if (!options.checkpoint) return;
  CheckpointStatus status = checkpoint_initialize();
  if (status == checkpoint_ok) status = checkpoint_protect(0, lattice->cells, lattice_cell_bytes(lattice));
  if (status == checkpoint_ok) status = checkpoint_protect(1, &lattice->state, sizeof lattice->state);
  if (status == checkpoint_ok) status = checkpoints_prepare(&checkpoints);
  if (status == checkpoint_ok) return;
  printf("stencil: %s: sweeping without checkpoints\n", checkpoint_text(status));
  options.checkpoint = false;
}

static bool is_of_this_lattice(void* argument) {
  const LatticeState* const state = &((const Lattice*)argument)->state;
  return state->columns == options.columns && state->rows == options.rows;
}

static void begin_anew(void* lattice) { cores_run(lattice_begin, lattice); }

static bool near(double value, double wanted, double tolerance) {
  return __builtin_fabs(value - wanted) <= tolerance;
}

static bool report(Lattice* lattice) {
  cores_run(lattice_measure, lattice);
  const LatticeSums* const sums = &lattice->sums;
  const double cells = (double)options.columns * (double)options.rows,
               rounding = 1e-15 * cells * (1000 + (double)options.sweeps);
  const double begun = lattice_expected_vortex(lattice, 0),
               expected = lattice_expected_vortex(lattice, options.sweeps);
  // The error is of second order in the cells of a wave; and the flow begins without its stress, which costs
  // up to a sweep.
  const double tolerance = 0.05 * (begun - expected) + begun - lattice_expected_vortex(lattice, 1);
  const bool right = near(sums->mass, cells, rounding) && near(sums->momentum_x, 0, rounding) &&
                     near(sums->momentum_y, 0, rounding) && near(sums->vortex, expected, tolerance);
  const uint64_t sum = checksum(CHECKSUM_START, lattice->cells, lattice_cell_bytes(lattice));
  printf("stencil: after %llu sweep%s mass has changed by %.1e of %.0f\n", (Printable)lattice->state.sweeps,
         lattice->state.sweeps == 1 ? "" : "s", sums->mass - cells, cells);
  printf("stencil: vortex %.6f, expected %.6f, begun with %.6f: %s\n", sums->vortex, expected, begun,
         right ? "verified" : "WRONG");
  printf("stencil: lattice checksum 0x%016llx\n", (Printable)sum);
  char text[160];
  snprintf(text, sizeof text, "sweeps %llu\nvortex 0x%016llx\nlattice 0x%016llx\n",
           (Printable)lattice->state.sweeps, (Printable)result_bits(sums->vortex), (Printable)sum);
  const bool written = result_write(text);
  if (!written) printf("stencil: result.txt cannot be written\n");
  return right && written;
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  const unsigned cores = cores_start(options.cores == 0 ? MAX_CORES : (unsigned)options.cores);
  if (cores < options.cores) {
    printf("stencil: argument 'cores=%llu' is wrong: this machine has %u\n", (Printable)options.cores, cores);
    return exit_usage;
  }
  if (power_probe())
    printf("stencil: reset cause %s, boot %u\n", power_reset_cause_text(), (unsigned)power_boot_count());
  static Lattice lattice = {.after_sweep = write_checkpoint};
  lattice.columns = (uint32_t)options.columns;
  lattice.rows = (uint32_t)options.rows;
  lattice.sweep_limit = options.sweeps;
  if (!lattice_allocate(&lattice)) {
    printf("stencil: %u x %u cells do not fit into the memory of this machine\n", (unsigned)lattice.columns,
           (unsigned)lattice.rows);
    return exit_unavailable;
  }
  printf("stencil: %u x %u cells, %llu pages, %u core%s\n", (unsigned)lattice.columns, (unsigned)lattice.rows,
         (Printable)((lattice_cell_bytes(&lattice) + page_bytes - 1) / page_bytes), cores,
         cores == 1 ? "" : "s");
  prepare_checkpoints(&lattice);
  cores_run(lattice_begin, &lattice);
  const CheckpointsUser user = {is_of_this_lattice, begin_anew, &lattice};
  if (options.checkpoint) checkpoints_restore_newest(&checkpoints, user);
  cores_run(lattice_run, &lattice);
  checkpoints_settle(&checkpoints);
  return report(&lattice) ? exit_passed : exit_failed;
}
