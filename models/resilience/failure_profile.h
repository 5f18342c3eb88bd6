// What fails in a fleet of GPUs, as its field data have it: how often each class of failures was counted, and
// what such a failure takes from a training run. Files in configs/failures.
//
// Source of the form: the tables of the field studies that the files name count interruptions by root cause
// over a number of GPU hours. What is lost with a cause, and how long it takes to be found, they mostly do
// not say: the files say which of it is assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "resilience/long_duration.h"
#include "resilience/seconds.h"

namespace asterism {

class Fields;

enum class FailedComponent { gpu, hbm, host, network, software, maintenance, unknown };
constexpr auto enum_names(FailedComponent) {
  return std::to_array<EnumName<FailedComponent>>(
      {{FailedComponent::gpu, "gpu", "a GPU, but not its memory"},
       {FailedComponent::hbm, "hbm", "the memory of a GPU, beyond what its code corrects"},
       {FailedComponent::host, "host", "another part of a node"},
       {FailedComponent::network, "network", "switches and cables"},
       {FailedComponent::software, "software", "programs, libraries and services"},
       {FailedComponent::maintenance, "maintenance", "work on a node that was not planned"},
       {FailedComponent::unknown, "unknown", "no cause was found"}});
}
constexpr std::size_t failed_components = 7;

enum class FailureEffect { stops, corrupts, slows };
constexpr auto enum_names(FailureEffect) {
  return std::to_array<EnumName<FailureEffect>>(
      {{FailureEffect::stops, "stops", "the run stops"},
       {FailureEffect::corrupts, "corrupts", "the run goes on with wrong data until a check finds them"},
       {FailureEffect::slows, "slows", "the run goes on, more slowly, until the slow GPU is found"}});
}

enum class FailureLoss { process, node };
constexpr auto enum_names(FailureLoss) {
  return std::to_array<EnumName<FailureLoss>>(
      {{FailureLoss::process, "process", "the state in the GPUs; nodes and their memory stay"},
       {FailureLoss::node, "node", "nodes with all that they hold; spares take over"}});
}

struct FailureClass {
  std::string name = "failure";
  FailedComponent component = FailedComponent::unknown;
  double count = 1;  // in FailureProfile::gpu_hours
  FailureEffect effect = FailureEffect::stops;
  FailureLoss loses = FailureLoss::node;
  std::uint32_t nodes = 1;        // that fail at once
  LongDuration found_after = {};  // the mean time until a check finds what does not stop the run
  double slowdown = 0;  // of a run that is slowed, the time of an iteration over the usual one, less 1

  bool operator==(const FailureClass&) const = default;
};
void describe(Fields& f, FailureClass& c);

struct FailureProfile {
  double gpu_hours = 1e6;
  std::uint32_t gpus_per_node = 8;
  double shape = 1;  // Weibull, of the lifetimes of nodes
  std::vector<FailureClass> classes = {FailureClass{}};

  Rate rate(const FailureClass& c) const { return Rate(c.count / gpu_hours / 3600); }  // of a GPU
  Rate rate() const;                                                                   // of all classes
  // Of the classes of a component.
  Rate rate_of(FailedComponent component) const;

  bool operator==(const FailureProfile&) const = default;
};
void describe(Fields& f, FailureProfile& c);

// The profile in which all classes of a component that stop the run together have `fit` failures in 1e9 hours
// of a GPU, in their proportion to each other. Throws std::invalid_argument if there is no such class.
FailureProfile with_fit(FailureProfile profile, FailedComponent component, double fit);

}  // namespace asterism
