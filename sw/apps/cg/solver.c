#include "apps/cg/solver.h"

#include <stddef.h>

#include "boot/cores.h"
#include "boot/memory.h"

typedef struct {
  uint32_t first, last;              // rows
  uint32_t first_block, last_block;  // of reduction_rows each
} Share;

static uint32_t block_count(const Problem* problem) {
  return (problem->rows + reduction_rows - 1) / reduction_rows;
}

static uint32_t block_end(const Problem* problem, uint32_t block) {
  const uint32_t end = (block + 1) * reduction_rows;
  return end < problem->rows ? end : problem->rows;
}

static Share share_of(const Problem* problem, unsigned core, unsigned cores) {
  const uint64_t blocks = block_count(problem);
  const uint32_t first = (uint32_t)(blocks * core / cores);
  const uint32_t last = (uint32_t)(blocks * (core + 1) / cores);
  const uint32_t end = last * reduction_rows;
  return (Share){first * reduction_rows, end < problem->rows ? end : problem->rows, first, last};
}

static double sum(const double* partial, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i) total += partial[i];
  return total;
}

// The sum is computed in four chains, so that a core with pipelined floating point need not wait for each
// addition; the order is still fixed.
static double dot(const double* a, const double* b, uint32_t first, uint32_t last) {
  double chain[4] = {0, 0, 0, 0};
  uint32_t i = first;
  for (; i + 4 <= last; i += 4) {
    chain[0] += a[i] * b[i];
    chain[1] += a[i + 1] * b[i + 1];
    chain[2] += a[i + 2] * b[i + 2];
    chain[3] += a[i + 3] * b[i + 3];
  }
  for (; i < last; ++i) chain[0] += a[i] * b[i];
  return (chain[0] + chain[1]) + (chain[2] + chain[3]);
}

static double row_product(const Problem* problem, const double* vector, uint32_t row) {
  const uint32_t end = problem->row_start[row + 1];
  double total = 0;
  for (uint32_t entry = problem->row_start[row]; entry < end; ++entry)
    total += problem->values[entry] * vector[problem->columns[entry]];
  return total;
}

bool solver_allocate(Solver* solver) {
  const uint64_t bytes = solver_vector_bytes(solver);
  const uint64_t partial_bytes = block_count(solver->problem) * sizeof(double);
  double** const vectors[] = {&solver->x, &solver->r, &solver->p, &solver->ap};
  for (int i = 0; i < 4; ++i)
    if ((*vectors[i] = memory_allocate(bytes)) == NULL) return false;
  solver->partial_a = memory_allocate(partial_bytes);
  solver->partial_b = memory_allocate(partial_bytes);
  return solver->partial_a != NULL && solver->partial_b != NULL;
}

uint64_t solver_vector_bytes(const Solver* solver) {
  return (uint64_t)solver->problem->rows * sizeof(double);
}

bool solver_converged(const Solver* solver) {
  const double limit = solver->tolerance * solver->tolerance * solver->scalars.right_side_2;
  return solver->scalars.rho <= limit;
}

void solver_begin(unsigned core, unsigned cores, void* argument) {
  Solver* const solver = argument;
  const Problem* const problem = solver->problem;
  const Share share = share_of(problem, core, cores);
  problem_assemble(problem, share.first, share.last);
  for (uint32_t row = share.first; row < share.last; ++row) {
    solver->x[row] = 0;
    solver->r[row] = solver->p[row] = problem->right_side[row];
  }
  for (uint32_t block = share.first_block; block < share.last_block; ++block)
    solver->partial_a[block] =
        dot(problem->right_side, problem->right_side, block * reduction_rows, block_end(problem, block));
  cores_barrier();
  if (core != 0) return;
  const double norm_2 = sum(solver->partial_a, block_count(problem));
  solver->scalars =
      (SolverScalars){.iteration = 0, .rho = norm_2, .right_side_2 = norm_2, .edge = problem->edge};
}

// Computes p.Ap over the core's own rows, block by block.
static void multiply(const Solver* solver, Share share) {
  const Problem* const problem = solver->problem;
  for (uint32_t block = share.first_block; block < share.last_block; ++block) {
    const uint32_t first = block * reduction_rows, last = block_end(problem, block);
    for (uint32_t row = first; row < last; ++row) solver->ap[row] = row_product(problem, solver->p, row);
    solver->partial_a[block] = dot(solver->p, solver->ap, first, last);
  }
}

// Computes x += alpha p, r -= alpha Ap, and r.r over the core's own rows.
static void advance(const Solver* solver, Share share, double alpha) {
  for (uint32_t block = share.first_block; block < share.last_block; ++block) {
    const uint32_t first = block * reduction_rows, last = block_end(solver->problem, block);
    for (uint32_t row = first; row < last; ++row) {
      solver->x[row] += alpha * solver->p[row];
      solver->r[row] -= alpha * solver->ap[row];
    }
    solver->partial_b[block] = dot(solver->r, solver->r, first, last);
  }
}

void solver_iterate(unsigned core, unsigned cores, void* argument) {
  Solver* const solver = argument;
  const uint32_t blocks = block_count(solver->problem);
  const Share share = share_of(solver->problem, core, cores);
  // Every core keeps its own copy of the scalars and computes the same bits; core 0 publishes them.
  double rho = solver->scalars.rho;
  uint64_t iteration = solver->scalars.iteration;
  const double limit = solver->tolerance * solver->tolerance * solver->scalars.right_side_2;
  cores_barrier();
  while (rho > limit && iteration < solver->iteration_limit) {
    multiply(solver, share);
    cores_barrier();
    advance(solver, share, rho / sum(solver->partial_a, blocks));
    cores_barrier();
    const double rho_before = rho;
    rho = sum(solver->partial_b, blocks);
    ++iteration;
    const double beta = rho / rho_before;
    for (uint32_t row = share.first; row < share.last; ++row)
      solver->p[row] = solver->r[row] + beta * solver->p[row];
    if (core == 0) {
      solver->scalars.rho = rho;
      solver->scalars.iteration = iteration;
    }
    cores_barrier();
    if (core == 0 && rho > limit) solver->after_iteration(solver);
    // The other cores continue with multiply(), which writes nothing that a checkpoint holds, and wait before
    // advance().
  }
}

void solver_measure(unsigned core, unsigned cores, void* argument) {
  Solver* const solver = argument;
  const Problem* const problem = solver->problem;
  const Share share = share_of(problem, core, cores);
  for (uint32_t block = share.first_block; block < share.last_block; ++block) {
    const uint32_t first = block * reduction_rows, last = block_end(problem, block);
    for (uint32_t row = first; row < last; ++row)
      solver->r[row] = problem->right_side[row] - row_product(problem, solver->x, row);
    solver->partial_a[block] = dot(solver->r, solver->r, first, last);
  }
  cores_barrier();
  if (core == 0) solver->scalars.rho = sum(solver->partial_a, block_count(problem));
}
