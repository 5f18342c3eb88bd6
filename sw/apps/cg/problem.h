// The linear system: diffusion on the unit cube, with finite elements of 8 nodes on nx^3 nodes, as miniFE
// assembles it. A row has up to 27 entries. The solution is prescribed on the whole surface (Dirichlet): such
// a row keeps only its diagonal, and its column moves to the right-hand side, so that the matrix remains
// symmetric.
//
// The prescribed values are those of u = 1 + x + 2y + 3z + 4xyz, which is harmonic and in the space of the
// elements: the exact solution of the linear system is u at every node, so that an app can check its result.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint32_t edge;        // nodes along an edge, nx
  uint32_t rows;        // nx^3; node (i, j, k) is row (k nx + j) nx + i
  uint32_t* row_start;  // [rows + 1] into columns and values (compressed sparse rows)
  uint32_t* columns;    // ascending in a row
  double* values;
  double* right_side;
} Problem;

bool problem_allocate(Problem* problem,
                      uint32_t edge);  // false: does not fit into memory. Fills in row_start.
// Assembles rows first .. last-1, each from its 8 elements. No two rows share a store, so that cores need no
// lock, and the sums have the same order for any number of cores.
void problem_assemble(const Problem* problem, uint32_t first, uint32_t last);
double problem_exact(const Problem* problem, uint32_t row);
