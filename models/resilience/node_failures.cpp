#include "resilience/node_failures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace asterism {
namespace {

// Lifetimes after which the ages no longer show that all nodes were new at the same time.
constexpr double warm_up = 20;

const NodeFailureSettings& checked(const NodeFailureSettings& settings) {
  if (settings.nodes == 0) throw std::invalid_argument("a machine has a node");
  if (!std::isfinite(settings.node_mttf.count()) || settings.node_mttf <= Seconds())
    throw std::invalid_argument("the mean time to a failure is above 0");
  if (!(settings.shape >= 0.1 && settings.shape <= 10))
    throw std::invalid_argument("the shape of lifetimes is from 0.1 to 10");
  return settings;
}

}  // namespace

NodeFailures::NodeFailures(const NodeFailureSettings& settings)
    : inverse_shape_(1 / checked(settings).shape),
      scale_(settings.node_mttf.count() / std::tgamma(1 + inverse_shape_)),
      random_(settings.seed),
      failing_(settings.nodes) {
  const bool ages = !settings.new_machine && settings.shape != 1;
  const double start = ages ? warm_up * settings.node_mttf.count() : 0;
  for (double& at : failing_) {
    at = lifetime();
    while (at < start) at += lifetime();
    at -= start;
  }
  std::ranges::make_heap(failing_, std::greater());
}

double NodeFailures::uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }

double NodeFailures::lifetime() {
  const double exponential = -std::log1p(-uniform());
  return scale_ * (inverse_shape_ == 1 ? exponential : std::pow(exponential, inverse_shape_));
}

Seconds NodeFailures::next() {
  std::ranges::pop_heap(failing_, std::greater());
  const double at = failing_.back();
  failing_.back() = at + lifetime();
  std::ranges::push_heap(failing_, std::greater());
  return Seconds(at);
}

}  // namespace asterism
