#include <gtest/gtest.h>

#include <cmath>
#include <vector>

extern "C" {
#include "apps/training/network.h"
}

namespace asterism {
namespace {

constexpr std::uint32_t hidden = 12, samples = 16;
constexpr std::uint64_t seed = 3;  // no unit is near its kink

std::vector<float> first_weights() {
  std::vector<float> weights(network_parameters(hidden));
  network_begin(weights.data(), 0, network_parameters(hidden), hidden, seed);
  return weights;
}

float loss_of(const std::vector<float>& weights, std::vector<float>& gradient) {
  return network_gradient(weights.data(), hidden, seed, 100, samples, gradient.data());
}

TEST(NetworkTest, GradientIsTheSlopeOfTheLoss) {
  std::vector<float> weights = first_weights(), gradient(weights.size()), unused(weights.size());
  loss_of(weights, gradient);
  for (std::size_t i = 0; i < weights.size(); i += 7) {
    const float kept = weights[i], step = 2e-3f;
    weights[i] = kept + step;
    const float above = loss_of(weights, unused);
    weights[i] = kept - step;
    const float below = loss_of(weights, unused);
    weights[i] = kept;
    EXPECT_NEAR((above - below) / (2 * step), gradient[i], 0.02f * std::abs(gradient[i]) + 0.02f) << i;
  }
}

TEST(NetworkTest, APartOfTheFirstWeightsIsThatOfTheWhole) {
  const std::vector<float> weights = first_weights();
  std::vector<float> part(50);
  network_begin(part.data(), 200, 50, hidden, seed);
  for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part[i], weights[200 + i]);
}

TEST(NetworkTest, TheGradientOfAllSamplesIsTheSumOfItsParts) {
  const std::vector<float> weights = first_weights();
  std::vector<float> all(weights.size()), one(weights.size()), other(weights.size());
  const float loss = loss_of(weights, all);
  const float parts = network_gradient(weights.data(), hidden, seed, 100, 6, one.data()) +
                      network_gradient(weights.data(), hidden, seed, 106, samples - 6, other.data());
  EXPECT_NEAR(loss, parts, 1e-4f);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(all[i], one[i] + other[i], 1e-4f);
}

TEST(NetworkTest, AdamReducesTheLoss) {
  std::vector<float> weights = first_weights(), first(weights.size()), second(weights.size()),
                     gradient(weights.size());
  const float before = loss_of(weights, gradient);
  for (std::uint64_t step = 1; step <= 200; ++step) {
    loss_of(weights, gradient);
    const AdamStep adam = adam_step(0.01f, step);
    for (std::uint32_t i = 0; i < weights.size(); ++i)
      adam_update({weights.data(), first.data(), second.data()}, i, gradient[i] / samples, adam);
  }
  EXPECT_LT(loss_of(weights, gradient), before / 20);
}

}  // namespace
}  // namespace asterism
