#include "apps/cg/problem.h"

#include <stddef.h>

#include "boot/memory.h"

typedef struct {
  uint32_t i, j, k;
} Node;

static Node node_of(const Problem* problem, uint32_t row) {
  const uint32_t n = problem->edge;
  return (Node){row % n, row / n % n, row / n / n};
}

static bool inside(const Problem* problem, uint32_t index) { return index > 0 && index + 1 < problem->edge; }

static bool is_free(const Problem* problem, Node node) {
  return inside(problem, node.i) && inside(problem, node.j) && inside(problem, node.k);
}

// The neighbours (-1, 0, +1) of a free node along one edge that are free themselves.
static uint32_t free_neighbours(const Problem* problem, uint32_t index) {
  return 1u + inside(problem, index - 1) + inside(problem, index + 1);
}

bool problem_allocate(Problem* problem, uint32_t edge) {
  problem->edge = edge;
  problem->rows = edge * edge * edge;
  problem->row_start = memory_allocate((problem->rows + 1) * sizeof(uint32_t));
  if (problem->row_start == NULL) return false;
  uint32_t entries = 0;
  for (uint32_t row = 0; row < problem->rows; ++row) {
    const Node at = node_of(problem, row);
    problem->row_start[row] = entries;
    entries += is_free(problem, at) ? free_neighbours(problem, at.i) * free_neighbours(problem, at.j) *
                                          free_neighbours(problem, at.k)
                                    : 1;
  }
  problem->row_start[problem->rows] = entries;
  problem->columns = memory_allocate((uint64_t)entries * sizeof(uint32_t));
  problem->values = memory_allocate((uint64_t)entries * sizeof(double));
  problem->right_side = memory_allocate((uint64_t)problem->rows * sizeof(double));
  return problem->columns != NULL && problem->values != NULL && problem->right_side != NULL;
}

static double exact_at(const Problem* problem, Node node) {
  const double h = 1.0 / (problem->edge - 1);
  const double x = node.i * h, y = node.j * h, z = node.k * h;
  return 1 + x + 2 * y + 3 * z + 4 * x * y * z;
}

double problem_exact(const Problem* problem, uint32_t row) {
  return exact_at(problem, node_of(problem, row));
}

// The gradient of the shape function of local node a (bit 0: x, 1: y, 2: z) at a point of the reference cube
// [-1, 1]^3.
static void shape_gradient(uint32_t a, const double point[3], double gradient[3]) {
  double side[3], factor[3];
  for (uint32_t d = 0; d < 3; ++d) {
    side[d] = (a >> d & 1) != 0 ? 0.5 : -0.5;
    factor[d] = 0.5 + side[d] * point[d];
  }
  gradient[0] = side[0] * factor[1] * factor[2];
  gradient[1] = factor[0] * side[1] * factor[2];
  gradient[2] = factor[0] * factor[1] * side[2];
}

// The integral of grad a . grad b over a cube of edge h, by 2x2x2 Gauss points, which is exact for this
// element.
static void element_matrix(double h, double matrix[8][8]) {
  const double gauss = 0.57735026918962576451;  // 1/sqrt(3)
  for (uint32_t a = 0; a < 8; ++a)
    for (uint32_t b = 0; b < 8; ++b) matrix[a][b] = 0;
  for (uint32_t q = 0; q < 8; ++q) {
    const double point[3] = {(q & 1) != 0 ? gauss : -gauss, (q & 2) != 0 ? gauss : -gauss,
                             (q & 4) != 0 ? gauss : -gauss};
    double gradients[8][3];
    for (uint32_t a = 0; a < 8; ++a) shape_gradient(a, point, gradients[a]);
    // Chain rule (2/h)^2 times the volume of a Gauss point (h/2)^3.
    for (uint32_t a = 0; a < 8; ++a)
      for (uint32_t b = 0; b < 8; ++b)
        matrix[a][b] += 0.5 * h *
                        (gradients[a][0] * gradients[b][0] + gradients[a][1] * gradients[b][1] +
                         gradients[a][2] * gradients[b][2]);
  }
}

// Sums the contributions of the 8 elements around a free node to its 27 neighbours (x fastest).
static void gather(const double matrix[8][8], double stencil[27]) {
  for (uint32_t s = 0; s < 27; ++s) stencil[s] = 0;
  for (uint32_t element = 0; element < 8; ++element) {  // bit set: the element lies on the lower side
    const uint32_t own = element;                       // there the node is the upper one
    for (uint32_t b = 0; b < 8; ++b) {
      const uint32_t x = 1 + (b & 1) - (element & 1);
      const uint32_t y = 1 + (b >> 1 & 1) - (element >> 1 & 1);
      const uint32_t z = 1 + (b >> 2 & 1) - (element >> 2 & 1);
      stencil[(z * 3 + y) * 3 + x] += matrix[own][b];
    }
  }
}

static void assemble_free_row(const Problem* problem, uint32_t row, Node node, const double matrix[8][8]) {
  double stencil[27];
  gather(matrix, stencil);
  uint32_t entry = problem->row_start[row];
  double right_side = 0;
  for (uint32_t s = 0; s < 27; ++s) {
    const Node other = {node.i + s % 3 - 1, node.j + s / 3 % 3 - 1, node.k + s / 9 - 1};
    if (is_free(problem, other)) {
      problem->columns[entry] = (other.k * problem->edge + other.j) * problem->edge + other.i;
      problem->values[entry++] = stencil[s];
    } else {
      right_side -= stencil[s] * exact_at(problem, other);
    }
  }
  problem->right_side[row] = right_side;
}

void problem_assemble(const Problem* problem, uint32_t first, uint32_t last) {
  double matrix[8][8];
  element_matrix(1.0 / (problem->edge - 1), matrix);
  const double diagonal = 8 * matrix[0][0];  // of a free row; prescribed rows are scaled in the same way
  for (uint32_t row = first; row < last; ++row) {
    const Node node = node_of(problem, row);
    if (is_free(problem, node)) {
      assemble_free_row(problem, row, node, matrix);
    } else {
      const uint32_t entry = problem->row_start[row];
      problem->columns[entry] = row;
      problem->values[entry] = diagonal;
      problem->right_side[row] = diagonal * exact_at(problem, node);
    }
  }
}
