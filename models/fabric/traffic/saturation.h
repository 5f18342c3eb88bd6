// Finds the highest rate that a fabric sustains, by bisection.
//
// A rate is sustained if the packets delivered in the measuring window keep up with those created
// (SimulationResult::keeps_up) and, if latency_factor is given, the mean latency stays below that multiple of
// the latency at `low`. A drift of the latency alone does not count, since near saturation every run of
// finite length has it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/traffic/simulation.h"

namespace asterism {

struct SaturationConfig {
  double low = 0.0005;  // a rate that is surely sustained; its latency counts as zero-load latency
  // A rate that is not sustained; the injection bound if absent or higher than it.
  std::optional<double> high = {};
  double tolerance = 0.01;  // of the result: the bracket is no wider than this share of it
  std::optional<double> latency_factor = {};
};
void describe(Fields& f, SaturationConfig& config);

struct SaturationResult {
  struct Point {
    double rate;
    bool sustained;
    SimulationResult result;
  };
  // The highest sustained rate, in the unit of the TrafficConfig; 0 if `low` was not sustained.
  double rate = 0;
  std::optional<double> unsustained;  // the lowest rate that was not sustained; nullopt if even `high` was
  SimulationResult::Rate accepted;    // at `rate`
  SimulationResult::Rate throughput;  // the highest accepted rate of any point
  double zero_load_latency = 0;       // ps, at `low`
  std::vector<Point> points;          // sorted by rate
};

// Throws std::invalid_argument for invalid bounds.
SaturationResult find_saturation(const std::function<SimulationResult(double rate)>& run, double high,
                                 const SaturationConfig& config);

// Calls simulate() for every point; the rate of `traffic` is not used. A stopped search returns what it has
// found so far.
SaturationResult find_saturation(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                                 TrafficConfig traffic, SimulationConfig simulation,
                                 const SaturationConfig& config, const SimulationControl& control = {});

}  // namespace asterism
