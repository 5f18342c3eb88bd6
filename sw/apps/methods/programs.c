#include "apps/methods/programs.h"

#include <stddef.h>

#include "apps/cg/problem.h"
#include "apps/cg/solver.h"
#include "apps/stencil/lattice.h"
#include "boot/cores.h"
#include "checkpoint/checksum.h"

static Checkpoints* taken;

static void after_iteration(Solver* solver) {
  if (taken != NULL) checkpoints_take(taken, solver->scalars.iteration);
}

static void after_sweep(Lattice* lattice) {
  if (taken != NULL) checkpoints_take(taken, lattice->state.sweeps);
}

static Problem problem;
static Solver solver = {
    .problem = &problem, .iteration_limit = 1000, .tolerance = 1e-10, .after_iteration = after_iteration};
static Lattice lattice = {.after_sweep = after_sweep};

static void begin_cg(void) { cores_run(solver_begin, &solver); }
static void run_cg(void) { cores_run(solver_iterate, &solver); }
static uint64_t result_of_cg(void) {
  return checksum(CHECKSUM_START, solver.x, solver_vector_bytes(&solver));
}
static CheckpointStatus protect_cg(void) {
  double* const vectors[] = {solver.x, solver.r, solver.p};
  CheckpointStatus status = checkpoint_protect(3, &solver.scalars, sizeof solver.scalars);
  for (int i = 0; i < 3 && status == checkpoint_ok; ++i)
    status = checkpoint_protect(i, vectors[i], solver_vector_bytes(&solver));
  return status;
}

static void begin_stencil(void) { cores_run(lattice_begin, &lattice); }
static void run_stencil(void) { cores_run(lattice_run, &lattice); }
static uint64_t result_of_stencil(void) {
  return checksum(CHECKSUM_START, lattice.cells, lattice_cell_bytes(&lattice));
}
static CheckpointStatus protect_stencil(void) {
  const CheckpointStatus status = checkpoint_protect(0, lattice.cells, lattice_cell_bytes(&lattice));
  return status == checkpoint_ok ? checkpoint_protect(1, &lattice.state, sizeof lattice.state) : status;
}

const Program programs[program_count] = {
    {"cg", begin_cg, run_cg, protect_cg, result_of_cg},
    {"stencil", begin_stencil, run_stencil, protect_stencil, result_of_stencil}};

bool programs_allocate(ProgramSizes sizes) {
  lattice.columns = (uint32_t)sizes.columns;
  lattice.rows = (uint32_t)sizes.rows;
  lattice.sweep_limit = sizes.sweeps;
  return problem_allocate(&problem, (uint32_t)sizes.nx) && solver_allocate(&solver) &&
         lattice_allocate(&lattice);
}

void programs_take_checkpoints(Checkpoints* checkpoints) { taken = checkpoints; }
