// Conjugate gradients (Hestenes and Stiefel 1952), parallel over the cores in blocks of rows.
//
// The state {x, r, p, scalars} at the end of an iteration is sufficient for the next one: a checkpoint holds
// it, and a restored run continues with an identical result.
//
// Every dot product is summed in blocks of `reduction_rows` rows, and the blocks in ascending order: the bits
// of the result depend neither on timing nor on the number of cores.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apps/cg/problem.h"

enum { reduction_rows = 128 };

typedef struct {
  uint64_t iteration;   // iterations done
  double rho;           // r . r after them
  double right_side_2;  // b . b
  uint64_t edge;        // of the problem this belongs to
} SolverScalars;

typedef struct Solver Solver;

// Runs on core 0 after every iteration except the last, while the other cores wait.
typedef void (*AfterIteration)(Solver* solver);

struct Solver {
  const Problem* problem;
  uint64_t iteration_limit;
  double tolerance;  // converged: |r| <= tolerance |b|
  AfterIteration after_iteration;
  double *x, *r, *p;  // page aligned
  double* ap;         // A p
  double *partial_a,
      *partial_b;  // a sum for each block; two sets, so that one barrier lies between write and reuse
  SolverScalars scalars;
};

bool solver_allocate(Solver* solver);  // false: does not fit into memory
uint64_t solver_vector_bytes(const Solver* solver);

// The three below are CoresFunctions; argument is the Solver.
void solver_begin(unsigned core, unsigned cores, void* argument);  // assembles; x = 0, r = p = b, iteration 0
void solver_iterate(unsigned core, unsigned cores,
                    void* argument);  // from the present state to convergence or limit
void solver_measure(unsigned core, unsigned cores, void* argument);  // r = b - A x, rho = r . r

bool solver_converged(const Solver* solver);
