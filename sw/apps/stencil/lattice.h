// A decaying vortex by the lattice Boltzmann method: two dimensions, nine velocities (D2Q9), one relaxation
// time (BGK), periodic. Like lbm of SPEC CPU, it sweeps over all of its memory in every step.
//
// There is one grid, updated in place: a step collides every cell and stores each population in the place of
// the opposite one; then the two populations of every link between neighbours are exchanged, which moves all
// populations (Mattila et al. 2007, Latt 2007). Every store belongs to one cell or one link, and every sum is
// over a row: the bits of the result depend neither on timing nor on the number of cores.
//
// The flow of Taylor and Green solves the Navier-Stokes equations exactly: its velocity decays with the
// viscosity times the squared wave number, so that an app can check its result. The collisions conserve mass
// and momentum.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { lattice_velocities = 9 };

typedef struct {
  uint64_t sweeps;         // done
  uint64_t columns, rows;  // of the lattice to which this belongs
} LatticeState;

typedef struct {
  double mass, momentum_x, momentum_y;
  double vortex;  // the largest velocity, by projection on the flow
} LatticeSums;

typedef struct Lattice Lattice;
// Runs on core 0 after every sweep except the last, while the other cores wait.
typedef void (*AfterSweep)(Lattice* lattice);

struct Lattice {
  uint32_t columns, rows;
  uint64_t sweep_limit;
  AfterSweep after_sweep;
  double* cells;  // [rows][columns][lattice_velocities], page aligned
  LatticeState state;
  double *sine_x, *cosine_x, *sine_y, *cosine_y;  // of one wave over the columns, over the rows
  LatticeSums* partial;                           // of each row
  LatticeSums sums;
};

bool lattice_allocate(Lattice* lattice);  // false: does not fit into memory
uint64_t lattice_cell_bytes(const Lattice* lattice);

// The three below are CoresFunctions; argument is the Lattice.
void lattice_begin(unsigned core, unsigned cores, void* argument);  // the vortex at sweep 0
void lattice_run(unsigned core, unsigned cores, void* argument);    // from the present state to the limit
void lattice_measure(unsigned core, unsigned cores, void* argument);

// The expected velocity of the vortex after this number of sweeps.
double lattice_expected_vortex(const Lattice* lattice, uint64_t sweeps);
