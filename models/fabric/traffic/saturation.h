// The highest rate that a fabric sustains, found by bisection.
//
// A rate is sustained when the packets delivered in the measuring window keep up with those created
// (SimulationResult::keeps_up) and, where latency_factor is given, the mean latency stays below that many times the
// one at `low`. A drift of the latency alone does not count: near saturation every run of finite length has it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/traffic/simulation.h"

namespace asterism {

struct SaturationConfig {
  double low = 0.0005;              // a rate that is surely sustained; its latency counts as zero-load
  std::optional<double> high = {};  // one that is not; absent, or beyond it: the injection bound
  double tolerance = 0.01;          // of the result: the bracket is no wider than this share of it
  std::optional<double> latency_factor = {};
};
void describe(Fields& f, SaturationConfig& config);

struct SaturationResult {
  struct Point {
    double rate;
    bool sustained;
    SimulationResult result;
  };
  double rate = 0;  // the highest that was sustained, in the unit of the TrafficConfig; 0 when `low` was not
  std::optional<double> unsustained;  // the lowest that was not; none when even `high` was sustained
  SimulationResult::Rate accepted;    // at `rate`
  SimulationResult::Rate throughput;  // the highest accepted at any point
  double zero_load_latency = 0;       // ps, at `low`
  std::vector<Point> points;          // by rate
};

// Throws std::invalid_argument for bounds that are none.
SaturationResult find_saturation(const std::function<SimulationResult(double rate)>& run, double high,
                                 const SaturationConfig& config);

// A simulate() for every point; the rate of `traffic` is not used. A stopped search ends with what it has.
SaturationResult find_saturation(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                                 TrafficConfig traffic, SimulationConfig simulation,
                                 const SaturationConfig& config, const SimulationControl& control = {});

}  // namespace asterism
