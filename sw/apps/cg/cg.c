// Solves a finite-element diffusion problem on all cores, checkpoints as it goes, and continues after a power
// loss or an uncorrectable memory error from the newest complete checkpoint with the same bits.
//
//   cg [nx=16] [interval=5] [iterations=200] [tolerance=1e-10] [cores=N] [checkpoint=on|off] [name=cg]
//      [memory_checkpoints=on|off] [ssd_every=4]
//
// memory_checkpoints: to memory under strong ECC (level 1) as well, and to the DIMM-SSD (level 2) only every
// ssd_every-th time, 0 for never.
//
// Exit status: 0 converged and verified, 1 not, 2 a wrong argument, 3 too little memory. result.txt holds
// what two runs are compared by, in exact bits.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/cg/memory_errors.h"
#include "apps/cg/problem.h"
#include "apps/cg/solver.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checksum.h"
#include "drivers/power.h"
#include "drivers/semihosting.h"

typedef unsigned long long Printable;

static struct {
  uint64_t nx, interval, iterations, cores, ssd_every;
  double tolerance;
  bool checkpoint, memory_checkpoints;
  const char* name;
} options = {.nx = 16,
             .interval = 5,
             .iterations = 200,
             .cores = 0,
             .ssd_every = 4,
             .tolerance = 1e-10,
             .checkpoint = true,
             .name = "cg"};

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"nx", argument_number, &options.nx, 3, 256, "nodes along an edge"},
      {"interval", argument_number, &options.interval, 1, 1000000, "iterations between two checkpoints"},
      {"iterations", argument_number, &options.iterations, 1, 1000000, "at most so many"},
      {"tolerance", argument_real, &options.tolerance, 0, 0, "residual relative to the right-hand side"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
      {"checkpoint", argument_switch, &options.checkpoint, 0, 0, "write and look for checkpoints"},
      {"name", argument_text, &options.name, 1, 31, "name of the checkpoints"},
      {"memory_checkpoints", argument_switch, &options.memory_checkpoints, 0, 0, "to memory as well"},
      {"ssd_every", argument_number, &options.ssd_every, 0, 1000000, "which of them go to the DIMM-SSD too"},
  };
  return arguments_read(argc, argv, table, sizeof table / sizeof *table);
}

static double square_root(double value) {
  double root;
  __asm__("fsqrt %d0, %d1" : "=w"(root) : "w"(value));
  return root;
}

static uint64_t bits(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

// --- Checkpoints: the version is the iteration; the two newest are kept, so that one is whole while the next
// is written.

static const CheckpointLevel levels[] = {checkpoint_memory, checkpoint_dimm_ssd};
static const char* const level_names[] = {"level 1 (memory)", "level 2 (DIMM-SSD)"};

static void print_levels(uint64_t version) {
  for (int i = 0; i < 2; ++i) {
    const CheckpointStatus status = checkpoint_level_status(levels[i]);
    if (status != checkpoint_not_asked)
      printf("cg: checkpoint %llu, %s: %s\n", (Printable)version, level_names[i], checkpoint_text(status));
  }
}

static void write_checkpoint(Solver* solver) {
  const uint64_t iteration = solver->scalars.iteration;
  if (!options.checkpoint || iteration % options.interval != 0) return;
  const CheckpointStatus status = checkpoint_write(options.name, iteration);
  if (options.memory_checkpoints) print_levels(iteration);
  memory_errors_read();
  if (status != checkpoint_ok) {
    printf("cg: checkpoint %llu not written: %s\n", (Printable)iteration, checkpoint_text(status));
    return;  // and none given up for it
  }
  printf("cg: checkpoint %llu written\n", (Printable)iteration);
  // With two levels the newest of the DIMM-SSD are older than that; it keeps as many as it is told to.
  if (!options.memory_checkpoints && iteration > 2 * options.interval)
    checkpoint_discard(options.name, iteration - 2 * options.interval);
}

static CheckpointStatus protect(Solver* solver) {
  const uint64_t bytes = solver_vector_bytes(solver);
  CheckpointStatus status = checkpoint_protect(0, solver->x, bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(1, solver->r, bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(2, solver->p, bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(3, &solver->scalars, sizeof solver->scalars);
  return status;
}

static bool is_usable(const Solver* solver, uint64_t version) {
  const CheckpointStatus status = checkpoint_restore(options.name, version);
  if (options.memory_checkpoints) print_levels(version);
  memory_errors_read();
  if (status == checkpoint_ok && solver->scalars.edge == options.nx) return true;
  printf("cg: checkpoint %llu refused: %s\n", (Printable)version,
         status == checkpoint_ok ? "made of another problem" : checkpoint_text(status));
  return false;
}

// Goes back from the newest checkpoint until one can be restored; otherwise begins anew.
static void restore_newest(Solver* solver) {
  uint64_t version = checkpoint_any_version;
  CheckpointStatus status = checkpoint_find_newest(options.name, version, &version);
  if (status == checkpoint_not_found)
    printf("cg: no checkpoint '%s', starting at iteration 0\n", options.name);
  else if (status != checkpoint_ok)
    printf("cg: no checkpoint '%s': %s\n", options.name, checkpoint_text(status));
  while (status == checkpoint_ok) {
    if (is_usable(solver, version)) {
      printf("cg: checkpoint %llu restored\n", (Printable)version);
      memory_errors_recovered(checkpoint_level_status(checkpoint_memory) == checkpoint_ok
                                  ? checkpoint_memory
                                  : checkpoint_dimm_ssd);
      return;
    }
    cores_run(solver_begin, solver);  // the refused one may have left its contents in the vectors
    status =
        version == 0 ? checkpoint_not_found : checkpoint_find_newest(options.name, version - 1, &version);
    if (status != checkpoint_ok) printf("cg: no older checkpoint, starting at iteration 0\n");
  }
}

// Before anything is allocated: level 1 takes its place in memory.
static CheckpointStatus prepare_levels(const Solver* solver) {
  if (!options.checkpoint) return checkpoint_ok;
  CheckpointStatus status = checkpoint_initialize();
  if (!options.memory_checkpoints) return status;
  const uint64_t rows = options.nx * options.nx * options.nx;
  const uint64_t bytes = 3 * rows * sizeof(double) + sizeof solver->scalars;
  const CheckpointStatus memory = checkpoint_use_memory(bytes, (unsigned)options.ssd_every);
  if (memory != checkpoint_ok) printf("cg: %s: %s\n", level_names[0], checkpoint_text(memory));
  options.memory_checkpoints = memory != checkpoint_no_strong_memory;
  if (!options.memory_checkpoints) return status;
  if (status != checkpoint_ok) printf("cg: %s: %s\n", level_names[1], checkpoint_text(status));
  memory_errors_read();
  return checkpoint_ok;
}

static void prepare_checkpoints(Solver* solver, CheckpointStatus status) {
  if (!options.checkpoint) return;
  if (status == checkpoint_ok) status = protect(solver);
  if (status != checkpoint_ok) {
    printf("cg: %s: solving without checkpoints\n", checkpoint_text(status));
    options.checkpoint = false;
  }
}

// --- Results

static double largest_error(const Solver* solver) {
  double largest = 0;
  for (uint32_t row = 0; row < solver->problem->rows; ++row) {
    const double error = __builtin_fabs(solver->x[row] - problem_exact(solver->problem, row));
    if (error > largest) largest = error;
  }
  return largest;
}

static bool write_result(uint64_t iterations, double residual, uint64_t solution) {
  char text[160];
  const int length = snprintf(text, sizeof text, "iterations %llu\nresidual 0x%016llx\nsolution 0x%016llx\n",
                              (Printable)iterations, (Printable)bits(residual), (Printable)solution);
  const int file = semihosting_open("result.txt", file_write);
  if (file < 0) return false;
  const bool written = semihosting_write(file, text, (size_t)length) == 0;
  semihosting_close(file);
  return written;
}

static bool report(Solver* solver) {
  const double norm = square_root(solver->scalars.right_side_2);
  const double residual = square_root(solver->scalars.rho) / norm;
  const uint64_t iterations = solver->scalars.iteration;
  const bool converged = solver_converged(solver);
  const uint64_t solution = checksum(CHECKSUM_START, solver->x, solver_vector_bytes(solver));
  printf("cg: %s after %llu iterations, residual %a (%.3e)\n", converged ? "converged" : "NOT converged",
         (Printable)iterations, residual, residual);
  cores_run(solver_measure, solver);
  const double true_residual = square_root(solver->scalars.rho) / norm;
  const double error = largest_error(solver);
  // The recurrence drifts by rounding; an error is a residual times the condition number, which is of the
  // order of nx^2.
  const bool right =
      true_residual <= 10 * options.tolerance && error <= 10.0 * options.nx * options.nx * options.tolerance;
  printf("cg: true residual %.3e, largest error %.3e: %s\n", true_residual, error,
         right ? "verified" : "WRONG");
  printf("cg: solution checksum 0x%016llx\n", (Printable)solution);
  const bool written = write_result(iterations, residual, solution);
  if (!written) printf("cg: result.txt cannot be written\n");
  return converged && right && written;
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  const unsigned cores = cores_start(options.cores == 0 ? MAX_CORES : (unsigned)options.cores);
  if (cores < options.cores) {
    printf("cg: argument 'cores=%llu' is wrong: this machine has %u\n", (Printable)options.cores, cores);
    return exit_usage;
  }
  const bool has_power = power_probe();
  if (has_power)
    printf("cg: reset cause %s, boot %u\n", power_reset_cause_text(), (unsigned)power_boot_count());
  static Problem problem;
  static Solver solver = {.problem = &problem, .after_iteration = write_checkpoint};
  solver.iteration_limit = options.iterations;
  solver.tolerance = options.tolerance;
  memory_errors_prepare(has_power);
  const CheckpointStatus levels_status = prepare_levels(&solver);
  if (!problem_allocate(&problem, (uint32_t)options.nx) || !solver_allocate(&solver)) {
    printf("cg: nx=%llu does not fit into the memory of this machine\n", (Printable)options.nx);
    return exit_unavailable;
  }
  printf("cg: %u rows, %u entries, %u core%s\n", (unsigned)problem.rows,
         (unsigned)problem.row_start[problem.rows], cores, cores == 1 ? "" : "s");
  prepare_checkpoints(&solver, levels_status);
  cores_run(solver_begin, &solver);
  if (options.checkpoint) restore_newest(&solver);
  cores_run(solver_iterate, &solver);
  return report(&solver) ? exit_passed : exit_failed;
}
