// The linear system: diffusion on the unit cube, finite elements with 8-node bricks on nx^3 nodes, as miniFE
// assembles it. A row has up to 27 entries. The solution is prescribed on the whole surface (Dirichlet): such
// a row keeps its diagonal only, and its column goes to the right-hand side, so that the matrix stays
// symmetric.
//
// The prescribed values are those of u = 1 + x + 2y + 3z + 4xyz, which is harmonic and lies in the space of
// the elements: the exact solution of the linear system is u at every node, and an app can check what it has
// computed.
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

bool problem_allocate(Problem* problem, uint32_t edge);  // false: does not fit into memory. Fills row_start.
// Assembles rows first .. last-1. A row gathers from its 8 elements: no two rows share a store, so cores need
// no lock and the sums have one order whatever the number of cores.
void problem_assemble(const Problem* problem, uint32_t first, uint32_t last);
double problem_exact(const Problem* problem, uint32_t row);
