#include "apps/training/network.h"

#include <math.h>

// The rates that Adam's authors recommend.
static const float first_decay = 0.9f, second_decay = 0.999f, least = 1e-8f;

// The finaliser of SplitMix64: random bits of a number.
static uint64_t mixed(uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Between -1 and 1, with 24 bits.
static float uniform(uint64_t seed, uint64_t number) {
  const int32_t bits = (int32_t)(mixed(mixed(seed) ^ number) >> 40) - (1 << 23);
  return (float)bits * 0x1p-23f;
}

uint32_t network_parameters(uint32_t hidden) {
  return hidden * (network_inputs + 1) + network_outputs * (hidden + 1);
}

void network_begin(float* weights, uint32_t first, uint32_t count, uint32_t hidden, uint64_t seed) {
  const uint32_t biases = hidden * network_inputs, outputs = biases + hidden,
                 last_biases = outputs + network_outputs * hidden;
  const float of_inputs = 1 / sqrtf(network_inputs), of_hidden = 1 / sqrtf((float)hidden);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = first + i;
    const float scale = at < biases ? of_inputs : at < outputs ? 0 : at < last_biases ? of_hidden : 0;
    weights[i] = scale * uniform(~seed, at);
  }
}

static void sample(uint64_t seed, uint64_t number, float* inputs, float* outputs) {
  for (uint32_t i = 0; i < network_inputs; ++i) inputs[i] = uniform(seed, number * network_inputs + i);
  for (uint32_t i = 0; i < network_outputs; ++i)
    outputs[i] = inputs[i] * inputs[i + 8] + 0.5f * inputs[i + 16] - 0.25f * inputs[i + 24];
}

static float dot(const float* a, const float* b, uint32_t count) {
  float sum = 0;
  for (uint32_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// a += factor * b
static void add(float* a, float factor, const float* b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) a[i] += factor * b[i];
}

void network_add_sample(const float* weights, uint32_t hidden, uint64_t seed, uint64_t number,
                        float* gradient, float* loss) {
  const uint32_t biases = hidden * network_inputs, outputs = biases + hidden,
                 last_biases = outputs + network_outputs * hidden;
  float inputs[network_inputs], wanted[network_outputs], units[network_hidden_limit],
      of_units[network_hidden_limit];
  sample(seed, number, inputs, wanted);
  for (uint32_t unit = 0; unit < hidden; ++unit) {
    const float sum = dot(weights + unit * network_inputs, inputs, network_inputs) + weights[biases + unit];
    units[unit] = sum > 0 ? sum : 0;
    of_units[unit] = 0;
  }
  for (uint32_t output = 0; output < network_outputs; ++output) {
    const uint32_t row = outputs + output * hidden;
    const float error = dot(weights + row, units, hidden) + weights[last_biases + output] - wanted[output];
    *loss += 0.5f * error * error;
    add(gradient + row, error, units, hidden);
    gradient[last_biases + output] += error;
    add(of_units, error, weights + row, hidden);
  }
  for (uint32_t unit = 0; unit < hidden; ++unit) {
    if (units[unit] == 0) continue;  // rectified
    add(gradient + unit * network_inputs, of_units[unit], inputs, network_inputs);
    gradient[biases + unit] += of_units[unit];
  }
}

float network_gradient(const float* weights, uint32_t hidden, uint64_t seed, uint64_t first, uint32_t count,
                       float* gradient) {
  float loss = 0;
  for (uint32_t i = 0; i < network_parameters(hidden); ++i) gradient[i] = 0;
  for (uint64_t number = first; number < first + count; ++number)
    network_add_sample(weights, hidden, seed, number, gradient, &loss);
  return loss;
}

static float power(float base, uint64_t exponent) {
  float result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

AdamStep adam_step(float rate, uint64_t number) {
  return (AdamStep){.rate = rate / (1 - power(first_decay, number)),
                    .correction = 1 / (1 - power(second_decay, number))};
}

void adam_update(AdamState state, uint32_t at, float gradient, AdamStep step) {
  const float first = first_decay * state.first[at] + (1 - first_decay) * gradient;
  const float second = second_decay * state.second[at] + (1 - second_decay) * gradient * gradient;
  state.first[at] = first;
  state.second[at] = second;
  state.weights[at] -= step.rate * first / (sqrtf(second * step.correction) + least);
}
