// Sweeps a lattice Boltzmann stencil over a grid on all cores, saves it to a level of the checkpoint library,
// and resumes after a power loss, a reset or lost data from the newest complete checkpoint, with an identical
// result. The level is that of the app (lattice_level.h).
//
//   NAME [columns=96] [rows=64] [sweeps=40] [interval=4] [incremental=on|off] [memory=on|off] [ssd_every=0]
//        [reset_at=0] [cores=N]
//
// incremental: only of a level that has increments. memory=on: each checkpoint is also written to memory
// under strong ECC. ssd_every: every n-th is also written to the DIMM-SSD (0: none). reset_at: warm reset
// after this sweep of the first boot (0: none).
//
// Exit status: 0 verified, 1 not, 2 a wrong argument, 3 the level is missing, or too little memory.
// result.txt holds exact bits by which two runs are compared.
#include "apps/lattice_level/lattice_level.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/result/result.h"
#include "apps/stencil/lattice.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checksum.h"
#include "drivers/generic_timer.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

static struct {
  uint64_t columns, rows, sweeps, interval, ssd_every, reset_at, cores;
  bool incremental, memory;
} options = {.columns = 96, .rows = 64, .sweeps = 40, .interval = 4, .incremental = true};

static unsigned saved, failed;
static uint64_t ticks;
static bool has_power;

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"columns", argument_number, &options.columns, 8, 4096, "cells in a row"},
      {"rows", argument_number, &options.rows, 8, 4096, "rows of cells"},
      {"sweeps", argument_number, &options.sweeps, 1, 1000000, "over all cells"},
      {"interval", argument_number, &options.interval, 1, 1000000, "sweeps between two checkpoints"},
      {"memory", argument_switch, &options.memory, 0, 0, "write checkpoints also to memory"},
      {"ssd_every", argument_number, &options.ssd_every, 0, 1000000,
       "every n-th is also written to the DIMM-SSD"},
      {"reset_at", argument_number, &options.reset_at, 0, 1000000,
       "sweep behind which the node starts again"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
      {"incremental", argument_switch, &options.incremental, 0, 0,
       "leave out pages that a layer already has"},
  };
  const int count = sizeof table / sizeof *table - (lattice_level.has_increments ? 0 : 1);
  return arguments_read(argc, argv, table, count) &&
         arguments_interval_fits(lattice_level.name, "interval", options.interval, options.sweeps, "sweeps");
}

static void after_sweep(Lattice* lattice) {
  if (lattice->state.sweeps == options.reset_at && has_power && power_boot_count() == 1) power_warm_reset();
  if (lattice->state.sweeps % options.interval != 0) return;
  const uint64_t start = generic_timer_now();
  checkpoint_write(lattice_level.name, lattice->state.sweeps);
  ticks += generic_timer_now() - start;
  const CheckpointStatus status = checkpoint_level_status(lattice_level.level);
  if (status == checkpoint_ok) {
    ++saved;
    return;
  }
  ++failed;
  printf("%s: sweep %llu: not saved: %s\n", lattice_level.name, (Printable)lattice->state.sweeps,
         checkpoint_text(status));
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
  printf("%s: %u checkpoints saved, %u not", lattice_level.name, saved, failed);
  if (lattice_level.report != NULL) lattice_level.report();
  printf(", %llu us\n", (Printable)(ticks * 1000000 / generic_timer_frequency()));
  printf("%s: after %llu sweeps: %s, lattice checksum 0x%016llx\n", lattice_level.name,
         (Printable)lattice->state.sweeps, right ? "verified" : "WRONG", (Printable)sum);
  char text[160];
  snprintf(text, sizeof text, "sweeps %llu\nvortex 0x%016llx\nlattice 0x%016llx\n",
           (Printable)lattice->state.sweeps, (Printable)result_bits(sums->vortex), (Printable)sum);
  const bool written = result_write(text);
  if (!written) printf("%s: result.txt cannot be written\n", lattice_level.name);
  return right && written;
}

static bool is_of_this_lattice(const LatticeState* state) {
  return state->columns == options.columns && state->rows == options.rows && state->sweeps <= options.sweeps;
}

static RecoverySource source_of(void) {
  if (checkpoint_level_status(checkpoint_memory) == checkpoint_ok) return recovered_from_memory;
  if (checkpoint_level_status(lattice_level.level) == checkpoint_ok) return lattice_level.source;
  return recovered_from_dimm_ssd;
}

// Restores the newest checkpoint that can be read and belongs to this lattice.
static bool restore_newest(Lattice* lattice, uint64_t* version) {
  for (uint64_t limit = checkpoint_any_version;
       checkpoint_find_newest(lattice_level.name, limit, version) == checkpoint_ok; limit = *version - 1) {
    const CheckpointStatus status = checkpoint_restore(lattice_level.name, *version);
    if (status == checkpoint_ok && is_of_this_lattice(&lattice->state)) return true;
    printf("%s: checkpoint of sweep %llu: %s\n", lattice_level.name, (Printable)*version,
           status == checkpoint_ok ? "of another lattice" : checkpoint_text(status));
    if (*version == 0) break;
  }
  return false;
}

static void restore(Lattice* lattice) {
  uint64_t version;
  if (!restore_newest(lattice, &version)) {
    cores_run(lattice_begin, lattice);
    return;
  }
  printf("%s: resumes from sweep %llu\n", lattice_level.name, (Printable)version);
  if (has_power) power_recovered(source_of());
}

// Call it before lattice_allocate: the memory level reserves the last pages.
static bool use_levels(uint64_t bytes) {
  const unsigned ssd_every =
      options.ssd_every == 0 && lattice_level.replaces_ssd ? 1 : (unsigned)options.ssd_every;
  checkpoint_initialize();
  if (options.memory && checkpoint_use_memory(bytes, ssd_every) == checkpoint_no_strong_memory) {
    printf("%s: this machine has no memory under strong ECC\n", lattice_level.name);
    return false;
  }
  return lattice_level.use(bytes, ssd_every, options.incremental);
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  const unsigned cores = cores_start(options.cores == 0 ? MAX_CORES : (unsigned)options.cores);
  if (cores < options.cores) {
    printf("%s: argument 'cores=%llu' is wrong: this machine has %u\n", lattice_level.name,
           (Printable)options.cores, cores);
    return exit_usage;
  }
  has_power = power_probe();
  if (has_power)
    printf("%s: reset cause %s, boot %u\n", lattice_level.name, power_reset_cause_text(),
           (unsigned)power_boot_count());
  static Lattice lattice = {.after_sweep = after_sweep};
  lattice.columns = (uint32_t)options.columns;
  lattice.rows = (uint32_t)options.rows;
  lattice.sweep_limit = options.sweeps;
  if (!use_levels(lattice_cell_bytes(&lattice) + sizeof lattice.state)) return exit_unavailable;
  if (!lattice_allocate(&lattice)) {
    printf("%s: %u x %u cells do not fit into the memory of this machine\n", lattice_level.name,
           (unsigned)lattice.columns, (unsigned)lattice.rows);
    return exit_unavailable;
  }
  checkpoint_protect(0, lattice.cells, lattice_cell_bytes(&lattice));
  checkpoint_protect(1, &lattice.state, sizeof lattice.state);
  const uint32_t pages = (uint32_t)checkpoint_pages();
  if (!lattice_level.fits(pages)) return exit_unavailable;
  printf("%s: %u x %u cells, %u pages, ", lattice_level.name, (unsigned)lattice.columns,
         (unsigned)lattice.rows, (unsigned)pages);
  lattice_level.describe();
  cores_run(lattice_begin, &lattice);
  restore(&lattice);
  cores_run(lattice_run, &lattice);
  return report(&lattice) ? exit_passed : exit_failed;
}
