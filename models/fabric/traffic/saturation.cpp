#include "fabric/traffic/saturation.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/fields.h"

namespace asterism {
namespace {

class Search {
 public:
  Search(const std::function<SimulationResult(double)>& run, const SaturationConfig& config)
      : run_(run), config_(config) {}

  SaturationResult between(double low, double high) {
    if (sustains(low) && !sustains(high)) {
      while (!stopped_ && high - low > config_.tolerance * low) {
        const double middle = (low + high) / 2;
        (sustains(middle) ? low : high) = middle;
      }
    }
    return summary();
  }

 private:
  bool sustains(double rate) {
    SimulationResult result = run_(rate);
    stopped_ = stopped_ || result.stopped;
    if (stopped_) return false;
    if (points_.empty()) zero_load_latency_ = result.latency.mean();
    const bool fast =
        !config_.latency_factor || result.latency.mean() <= *config_.latency_factor * zero_load_latency_;
    const bool sustained = result.keeps_up && fast;
    points_.push_back({rate, sustained, std::move(result)});
    return sustained;
  }

  SaturationResult summary() {
    SaturationResult summary;
    summary.zero_load_latency = zero_load_latency_;
    std::sort(points_.begin(), points_.end(), [](const auto& a, const auto& b) { return a.rate < b.rate; });
    for (const auto& point : points_) {
      if (!point.sustained && !summary.unsustained) summary.unsustained = point.rate;
      if (point.sustained) {
        summary.rate = point.rate;
        summary.accepted = point.result.accepted;
      }
      if (point.result.accepted.per_ns > summary.throughput.per_ns)
        summary.throughput = point.result.accepted;
    }
    summary.points = std::move(points_);
    return summary;
  }

  const std::function<SimulationResult(double)>& run_;
  const SaturationConfig& config_;
  std::vector<SaturationResult::Point> points_;
  double zero_load_latency_ = 0;
  bool stopped_ = false;
};

}  // namespace

static_assert(member_count<SaturationConfig>() == 4);
void describe(Fields& f, SaturationConfig& c) {
  f("low", c.low, "A rate that is surely sustained. Its latency counts as the latency without load.",
    within(1e-9, 1000.0));
  f("high", c.high, "A rate that is not sustained; absent: the most that a node can inject.",
    within(1e-9, 1000.0));
  f("tolerance", c.tolerance, "The accuracy of the rate. Halving it costs one more point.",
    within(1e-4, 1.0));
  f("latency_factor", c.latency_factor,
    "The maximum latency of a sustained rate, as a multiple of the latency without load; absent: any steady "
    "latency.",
    within(1.0, 1e6));
}

SaturationResult find_saturation(const std::function<SimulationResult(double rate)>& run, double high,
                                 const SaturationConfig& config) {
  if (!(config.low > 0 && config.low < high))
    throw std::invalid_argument(
        fmt::format("the search for saturation needs a range that begins above 0 and rises, got {} to {}",
                    config.low, high));
  if (!(config.tolerance > 0)) throw std::invalid_argument("the tolerance of a saturation must be above 0");
  return Search(run, config).between(config.low, high);
}

SaturationResult find_saturation(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                                 TrafficConfig traffic, SimulationConfig simulation,
                                 const SaturationConfig& config, const SimulationControl& control) {
  if (traffic.pattern == TrafficPattern::trace)
    throw std::invalid_argument("a trace has a single rate: there is no saturation to search for");
  if (!simulation.record.empty())
    throw std::invalid_argument("a search for saturation has many points, whose packets cannot be recorded");
  const double bound = injection_bound(traffic, *topology);
  simulation.drain_saturated = false;
  const auto run = [&](double rate) {
    traffic.rate = rate;
    return simulate(topology, parameters, traffic, simulation, control);
  };
  return find_saturation(run, std::min(config.high.value_or(bound), bound), config);
}

}  // namespace asterism
