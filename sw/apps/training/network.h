// The network that is trained: 32 inputs, one hidden layer of rectified units, 8 outputs. Its loss is half
// the squared error. All arithmetic is IEEE single precision in a fixed order, so that equal weights and
// samples give equal bits.
//
// The parameters are one array: for each hidden unit its 32 weights, the biases of the hidden units, for each
// output its weights, the biases of the outputs.
#pragma once

#include <stdint.h>

enum { network_inputs = 32, network_outputs = 8, network_hidden_limit = 1024 };

typedef struct {
  float* weights;
  float* first;   // mean of the gradients, decaying
  float* second;  // mean of their squares, decaying
} AdamState;

uint32_t network_parameters(uint32_t hidden);
// The first weights; they depend on the seed and on their number only.
void network_begin(float* weights, uint32_t first, uint32_t count, uint32_t hidden, uint64_t seed);

// Adds the gradient of a sample and its loss. Sample n has random inputs, which depend on the seed and n
// only, and the outputs of a fixed function of them.
void network_add_sample(const float* weights, uint32_t hidden, uint64_t seed, uint64_t number,
                        float* gradient, float* loss);
// Writes the sum of the gradients over the samples first..first+count-1, and returns the sum of their losses.
float network_gradient(const float* weights, uint32_t hidden, uint64_t seed, uint64_t first, uint32_t count,
                       float* gradient);

// One step of Adam (Kingma and Ba, 2015) on one parameter; `number` counts the steps from 1.
typedef struct {
  float rate;        // of learning, with the corrections of both means
  float correction;  // of the mean of squares
} AdamStep;
AdamStep adam_step(float rate, uint64_t number);
void adam_update(AdamState state, uint32_t at, float gradient, AdamStep step);
