// Solves a finite-element diffusion problem on all cores, takes checkpoints, and resumes after a power loss
// or an uncorrectable memory error from the newest complete checkpoint, with an identical result.
//
//   cg [nx=16] [interval=5] [iterations=200] [tolerance=1e-10] [cores=N] [checkpoint=on|off] [name=cg]
//      [method=configured] [async=on|off] [memory_checkpoints=on|off] [ssd_every=4]
//      [controller=on|off] [lifetime=5] [overhead=10] [forced_every=0]
//
// method: how the DIMM-SSD takes checkpoints, by the names of drivers/dimm_ssd.h. async: the program
// continues when a checkpoint is handed over, if the method permits it, instead of waiting until it is
// durable.
//
// memory_checkpoints: checkpoints are also written to memory under strong ECC (level 1), and only every
// ssd_every-th one to the DIMM-SSD (level 2), 0: none.
//
// controller: the Checkpoint Location Controller selects one of the two (checkpoint/location.h), with the
// lifetime of the DIMM-SSD in years, 0 for any, the overhead in percent, 0 for any, and every forced_every-th
// checkpoint on the DIMM-SSD anyway.
//
// Exit status: 0 converged and verified, 1 not, 2 a wrong argument, 3 too little memory. result.txt holds
// exact bits by which two runs are compared.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/cg/memory_errors.h"
#include "apps/cg/problem.h"
#include "apps/cg/solver.h"
#include "apps/checkpoints/checkpoints.h"
#include "apps/result/result.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checksum.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

static struct {
  uint64_t nx, iterations, cores, ssd_every, lifetime, overhead, forced_every;
  double tolerance;
  bool checkpoint, controller;
  ArgumentChoice method;
} options = {.nx = 16,
             .iterations = 200,
             .cores = 0,
             .ssd_every = 4,
             .lifetime = 5,
             .overhead = 10,
             .tolerance = 1e-10,
             .checkpoint = true,
             .method = {dimm_ssd_method_names, dimm_ssd_methods, dimm_ssd_configured}};

static Checkpoints checkpoints = {
    .app = "cg", .unit = "iteration", .name = "cg", .interval = 5, .after_each = memory_errors_read};

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"nx", argument_number, &options.nx, 3, 256, "nodes along an edge"},
      {"interval", argument_number, &checkpoints.interval, 1, 1000000, "iterations between two checkpoints"},
      {"iterations", argument_number, &options.iterations, 1, 1000000, "maximum number of iterations"},
      {"tolerance", argument_real, &options.tolerance, 0, 0, "residual relative to the right-hand side"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
      {"checkpoint", argument_switch, &options.checkpoint, 0, 0, "write and restore checkpoints"},
      {"name", argument_text, &checkpoints.name, 1, 31, "name of the checkpoints"},
      {"method", argument_choice, &options.method, 0, 0, "how checkpoints are taken"},
      {"async", argument_switch, &checkpoints.async, 0, 0, "continue before a checkpoint is durable"},
      {"memory_checkpoints", argument_switch, &checkpoints.levels, 0, 0, "write checkpoints also to memory"},
      {"ssd_every", argument_number, &options.ssd_every, 0, 1000000,
       "every n-th is also written to the DIMM-SSD"},
      {"controller", argument_switch, &options.controller, 0, 0,
       "the controller selects memory or the DIMM-SSD"},
      {"lifetime", argument_number, &options.lifetime, 0, 1000, "years that the DIMM-SSD shall last; 0: any"},
      {"overhead", argument_number, &options.overhead, 0, 100, "percent of the time for checkpoints; 0: any"},
      {"forced_every", argument_number, &options.forced_every, 0, 1000000,
       "which of them the DIMM-SSD gets anyway"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return false;
  checkpoints.levels = checkpoints.levels || options.controller;
  checkpoints.method = (DimmSsdMethod)options.method.index;
  return !options.checkpoint ||
         arguments_interval_fits("cg", "interval", checkpoints.interval, options.iterations, "iterations");
}

static double square_root(double value) {
  double root;
  __asm__("fsqrt %d0, %d1" : "=w"(root) : "w"(value));
  return root;
}

// --- Checkpoints: the version is the iteration.

static void write_checkpoint(Solver* solver) {
  if (options.checkpoint) checkpoints_take(&checkpoints, solver->scalars.iteration);
}

static CheckpointStatus protect(Solver* solver) {
  const uint64_t bytes = solver_vector_bytes(solver);
  CheckpointStatus status = checkpoint_protect(0, solver->x, bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(1, solver->r, bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(2, solver->p, bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(3, &solver->scalars, sizeof solver->scalars);
  return status;
}

static bool is_of_this_problem(void* argument) {
  const Solver* const solver = argument;
  return solver->scalars.edge == options.nx;
}

static void begin_anew(void* solver) { cores_run(solver_begin, solver); }

static void restore_newest(Solver* solver) {
  const CheckpointsUser user = {is_of_this_problem, begin_anew, solver};
  if (!checkpoints_restore_newest(&checkpoints, user)) return;
  const bool from_memory = checkpoint_level_status(checkpoint_memory) == checkpoint_ok;
  memory_errors_recovered(from_memory ? checkpoint_memory : checkpoint_dimm_ssd);
}

static void use_controller(void) {
  const CheckpointPolicy policy = {.lifetime_years = (double)options.lifetime,
                                   .overhead_percent = (double)options.overhead,
                                   .ranks = 1,
                                   .forced_every = (unsigned)options.forced_every};
  const CheckpointStatus status = checkpoint_use_controller(&policy);
  if (status != checkpoint_ok) printf("cg: without a controller: %s\n", checkpoint_text(status));
}

// Call it before anything is allocated: level 1 reserves its part of memory.
static CheckpointStatus prepare_levels(const Solver* solver) {
  if (!options.checkpoint) return checkpoint_ok;
  CheckpointStatus status = checkpoint_initialize();
  if (!checkpoints.levels) return status;
  const uint64_t rows = options.nx * options.nx * options.nx;
  const uint64_t bytes = 3 * rows * sizeof(double) + sizeof solver->scalars;
  const CheckpointStatus memory = checkpoint_use_memory(bytes, (unsigned)options.ssd_every);
  if (memory != checkpoint_ok) printf("cg: level 1 (memory): %s\n", checkpoint_text(memory));
  checkpoints.levels = memory != checkpoint_no_strong_memory;
  if (!checkpoints.levels) return status;
  if (status != checkpoint_ok) printf("cg: level 2 (DIMM-SSD): %s\n", checkpoint_text(status));
  if (options.controller) use_controller();
  memory_errors_read();
  return checkpoint_ok;
}

static void prepare_checkpoints(Solver* solver, CheckpointStatus status) {
  if (!options.checkpoint) return;
  if (status == checkpoint_ok) status = protect(solver);
  if (status == checkpoint_ok) status = checkpoints_prepare(&checkpoints);
  if (status != checkpoint_ok) {
    printf("cg: %s: solving without checkpoints\n", checkpoint_text(status));
    options.checkpoint = false;
  }
}

// --- Results.

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
  snprintf(text, sizeof text, "iterations %llu\nresidual 0x%016llx\nsolution 0x%016llx\n",
           (Printable)iterations, (Printable)result_bits(residual), (Printable)solution);
  return result_write(text);
}

static bool report(Solver* solver) {
  const double norm = square_root(solver->scalars.right_side_2);
  const double residual = square_root(solver->scalars.rho) / norm;
  const uint64_t iterations = solver->scalars.iteration;
  const bool converged = solver_converged(solver);
  const uint64_t solution = checksum(CHECKSUM_START, solver->x, solver_vector_bytes(solver));
  printf("cg: %s after %llu iterations, residual %a (%.3e)\n", converged ? "converged" : "NOT converged",
         (Printable)iterations, residual, residual);
  if (options.checkpoint && iterations < checkpoints.interval)
    printf("cg: no checkpoint was taken: the first was due at iteration %llu\n",
           (Printable)checkpoints.interval);
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
  checkpoints_settle(&checkpoints);
  return report(&solver) ? exit_passed : exit_failed;
}
