#include "apps/stencil/lattice.h"

#include <math.h>
#include <stddef.h>

#include "boot/cores.h"
#include "boot/memory.h"

// Velocity i + 4 is the opposite of i, for i from 1 to 4.
static const int velocity_x[lattice_velocities] = {0, 1, 0, 1, -1, -1, 0, -1, 1};
static const int velocity_y[lattice_velocities] = {0, 0, 1, 1, 1, 0, -1, -1, -1};
static const double weights[lattice_velocities] = {4.0 / 9, 1.0 / 9, 1.0 / 9,  1.0 / 36, 1.0 / 36,
                                                   1.0 / 9, 1.0 / 9, 1.0 / 36, 1.0 / 36};
static const double relaxation_time = 0.8, first_vortex = 0.02, two_pi = 6.283185307179586;

typedef struct {
  uint32_t first, last;
} Share;

static Share share_of(const Lattice* lattice, unsigned core, unsigned cores) {
  return (Share){(uint32_t)((uint64_t)lattice->rows * core / cores),
                 (uint32_t)((uint64_t)lattice->rows * (core + 1) / cores)};
}

static double* cell_at(const Lattice* lattice, uint32_t column, uint32_t row) {
  return lattice->cells + ((uint64_t)row * lattice->columns + column) * lattice_velocities;
}

static void equilibrium(double* populations, double density, double x, double y) {
  const double square = 1 - 1.5 * (x * x + y * y);
  for (int i = 0; i < lattice_velocities; ++i) {
    const double along = 3 * (velocity_x[i] * x + velocity_y[i] * y);
    populations[i] = weights[i] * density * (square + along + 0.5 * along * along);
  }
}

static LatticeSums sums_of(const double* f) {
  const double x = f[1] - f[5] + (f[3] - f[7]) + (f[8] - f[4]);
  const double y = f[2] - f[6] + (f[3] - f[7]) + (f[4] - f[8]);
  const double mass = f[0] + ((f[1] + f[5]) + (f[2] + f[6])) + ((f[3] + f[7]) + (f[4] + f[8]));
  return (LatticeSums){mass, x, y, 0};
}

static void wave(double* sine, double* cosine, uint32_t length) {
  for (uint32_t i = 0; i < length; ++i) {
    sine[i] = sin(two_pi * i / length);
    cosine[i] = cos(two_pi * i / length);
  }
}

bool lattice_allocate(Lattice* lattice) {
  double** const tables[] = {&lattice->sine_x, &lattice->cosine_x, &lattice->sine_y, &lattice->cosine_y};
  for (int i = 0; i < 4; ++i)
    if ((*tables[i] = memory_allocate((i < 2 ? lattice->columns : lattice->rows) * sizeof(double))) == NULL)
      return false;
  wave(lattice->sine_x, lattice->cosine_x, lattice->columns);
  wave(lattice->sine_y, lattice->cosine_y, lattice->rows);
  lattice->partial = memory_allocate(lattice->rows * sizeof *lattice->partial);
  lattice->cells = memory_allocate(lattice_cell_bytes(lattice));
  return lattice->partial != NULL && lattice->cells != NULL;
}

uint64_t lattice_cell_bytes(const Lattice* lattice) {
  return (uint64_t)lattice->columns * lattice->rows * lattice_velocities * sizeof(double);
}

// The flow has no divergence: its two velocities are proportional to the wave numbers, exchanged.
static double flow_x(const Lattice* lattice, uint32_t column, uint32_t row) {
  return -lattice->cosine_x[column] * lattice->sine_y[row];
}

static double flow_y(const Lattice* lattice, uint32_t column, uint32_t row) {
  return lattice->sine_x[column] * lattice->cosine_y[row] * lattice->rows / lattice->columns;
}

void lattice_begin(unsigned core, unsigned cores, void* argument) {
  Lattice* const lattice = argument;
  const Share share = share_of(lattice, core, cores);
  for (uint32_t row = share.first; row < share.last; ++row)
    for (uint32_t column = 0; column < lattice->columns; ++column)
      equilibrium(cell_at(lattice, column, row), 1, first_vortex * flow_x(lattice, column, row),
                  first_vortex * flow_y(lattice, column, row));
  if (core == 0) lattice->state = (LatticeState){0, lattice->columns, lattice->rows};
}

static void collide(double* cell) {
  const LatticeSums sums = sums_of(cell);
  double at_equilibrium[lattice_velocities];
  equilibrium(at_equilibrium, sums.mass, sums.momentum_x / sums.mass, sums.momentum_y / sums.mass);
  for (int i = 0; i < lattice_velocities; ++i) cell[i] += (at_equilibrium[i] - cell[i]) / relaxation_time;
  for (int i = 1; i <= 4; ++i) {
    const double kept = cell[i];
    cell[i] = cell[i + 4];
    cell[i + 4] = kept;
  }
}

static uint32_t next(uint32_t at, int step, uint32_t length) {
  if (step < 0) return at == 0 ? length - 1 : at - 1;
  return at + (uint32_t)step == length ? 0 : at + (uint32_t)step;
}

static void stream(const Lattice* lattice, uint32_t column, uint32_t row) {
  double* const cell = cell_at(lattice, column, row);
  for (int i = 1; i <= 4; ++i) {
    double* const neighbour = cell_at(lattice, next(column, velocity_x[i], lattice->columns),
                                      next(row, velocity_y[i], lattice->rows));
    const double kept = cell[i + 4];
    cell[i + 4] = neighbour[i];
    neighbour[i] = kept;
  }
}

void lattice_run(unsigned core, unsigned cores, void* argument) {
  Lattice* const lattice = argument;
  const Share share = share_of(lattice, core, cores);
  uint64_t sweeps = lattice->state.sweeps;
  cores_barrier();
  while (sweeps < lattice->sweep_limit) {
    double* const end = cell_at(lattice, 0, share.last);
    for (double* cell = cell_at(lattice, 0, share.first); cell < end; cell += lattice_velocities)
      collide(cell);
    cores_barrier();
    for (uint32_t row = share.first; row < share.last; ++row)
      for (uint32_t column = 0; column < lattice->columns; ++column) stream(lattice, column, row);
    cores_barrier();
    ++sweeps;
    if (core == 0) lattice->state.sweeps = sweeps;
    if (core == 0 && sweeps < lattice->sweep_limit) lattice->after_sweep(lattice);
    cores_barrier();
  }
}

static void add(LatticeSums* sums, LatticeSums more) {
  sums->mass += more.mass;
  sums->momentum_x += more.momentum_x;
  sums->momentum_y += more.momentum_y;
  sums->vortex += more.vortex;
}

void lattice_measure(unsigned core, unsigned cores, void* argument) {
  Lattice* const lattice = argument;
  const Share share = share_of(lattice, core, cores);
  const double per_cell = 4.0 / ((double)lattice->columns * lattice->rows);  // the mean of the flow squared
  for (uint32_t row = share.first; row < share.last; ++row) {
    LatticeSums* const partial = &lattice->partial[row];
    *partial = (LatticeSums){0, 0, 0, 0};
    for (uint32_t column = 0; column < lattice->columns; ++column) {
      LatticeSums sums = sums_of(cell_at(lattice, column, row));
      sums.vortex = per_cell * sums.momentum_x / sums.mass * flow_x(lattice, column, row);
      add(partial, sums);
    }
  }
  cores_barrier();
  if (core != 0) return;
  lattice->sums = (LatticeSums){0, 0, 0, 0};
  for (uint32_t row = 0; row < lattice->rows; ++row) add(&lattice->sums, lattice->partial[row]);
}

double lattice_expected_vortex(const Lattice* lattice, uint64_t sweeps) {
  const double x = two_pi / lattice->columns, y = two_pi / lattice->rows;
  const double viscosity = (relaxation_time - 0.5) / 3;
  return first_vortex * exp(-viscosity * (x * x + y * y) * (double)sweeps);
}
