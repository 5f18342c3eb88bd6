// What the cores compute in a step of training, in place of the GPUs: one rank on each core.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apps/training/group.h"

typedef struct {
  Group* group;
  uint32_t hidden;
  uint64_t samples, seed;  // samples of each rank in a step
  uint64_t step;           // which the functions below make
  float* weights;          // all of them, where each rank has a part only
  float* gradients;        // of each rank
  float losses[transfers_gpu_limit];
  bool sound[transfers_gpu_limit];            // whether the rank's state is that of the step
  unsigned wrong_reads[transfers_gpu_limit];  // in a row, of the states of each rank, without an error
} Computation;

// Allocates memory, and begins the cores. Returns false if there is too little.
bool computation_prepare(Computation* c);
// The slot's copies become the states of step 0.
void computation_begin(Computation* c);
// Checks the states that were read from the GPUs. Returns whether all are sound.
bool computation_check(Computation* c);
void computation_gradients(Computation* c);
float computation_loss(const Computation* c);         // the mean over all samples of the step
void computation_update(Computation* c);              // the states become those of the next step
uint64_t computation_checksum(const Computation* c);  // of the weights
