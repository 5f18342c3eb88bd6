#include "fabric/traffic/fabric_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fabric/traffic/fabric_masters.h"

namespace asterism {
namespace {

// The contended fabric expects waits after a while only.
constexpr FabricLoadTime exact_time{.warm_up = 2_us, .measured = 4_us};
constexpr FabricLoadTime contended_time{.warm_up = 16_us, .measured = 4_us};
constexpr Picoseconds quantum = 1_us;

struct Pattern {
  std::shared_ptr<const Topology> topology;
  FabricLoad load;
  FabricLoadResult exact;
  bool is_below_knee = true;
};

struct Loop {
  std::uint32_t masters, targets, in_flight;  // of the first two, at most half of the nodes
};
struct Numbers {
  std::vector<Loop> loops;
  std::vector<Picoseconds> pauses;
  std::vector<double> writes;
  std::uint64_t seed;
};
const Numbers fitted{{{4, 1, 10}, {16, 1, 10}, {16, 4, 10}, {72, 72, 1}, {72, 72, 10}, {72, 72, 30}},
                     {0_ns, 50_ns},
                     {0, 0.5},
                     1};
const Numbers held_out{
    {{8, 1, 4}, {8, 2, 10}, {32, 1, 8}, {32, 2, 4}, {64, 64, 5}, {60, 60, 20}}, {20_ns, 100_ns}, {0.3}, 2};

std::vector<FabricLoad> loads(const Numbers& numbers, std::size_t nodes, bool coarse) {
  const auto half = static_cast<std::uint32_t>(nodes / 2);
  std::vector<FabricLoad> all;
  std::size_t count = 0;
  for (const Loop& loop : numbers.loops)
    for (const Picoseconds pause : numbers.pauses)
      for (const double writes : numbers.writes) {
        if (coarse && count++ % 5 != 0) continue;
        all.push_back({.masters = std::min(loop.masters, half),
                       .targets = std::min(loop.targets, half),
                       .in_flight = loop.in_flight,
                       .pause = pause,
                       .writes = writes,
                       .seed = numbers.seed});
      }
  return all;
}

// `measured` is called after each of them.
std::vector<Pattern> patterns(const FabricsToFit& fabrics, const FlitParameters& flit, const Numbers& numbers,
                              const FabricFitSettings& settings, const std::function<void()>& measured) {
  std::vector<Pattern> all;
  for (const auto& topology : fabrics)
    for (const FabricLoad& load : loads(numbers, topology->nodes.size(), settings.coarse)) {
      Pattern pattern{topology, load, run_flit(load, topology, flit, exact_time)};
      const double alone = run_predicted(load, topology, flit, {}, quantum, {0_us, 1_us}).latency;
      pattern.is_below_knee = pattern.exact.latency < 2 * alone;
      all.push_back(pattern);
      measured();
    }
  return all;
}

// Of the latency below the knee, of the throughput above it.
double error_of(const Pattern& pattern, const FlitParameters& flit, const FabricCurves& curves) {
  const FabricLoadResult result =
      run_predicted(pattern.load, pattern.topology, flit, curves, quantum, contended_time);
  if (pattern.is_below_knee) return result.latency / pattern.exact.latency - 1;
  return static_cast<double>(result.accesses) / static_cast<double>(pattern.exact.accesses) - 1;
}

std::vector<LoadError> errors_of(const std::vector<Pattern>& all, const FlitParameters& flit,
                                 const FabricCurves& curves) {
  std::vector<LoadError> errors;
  errors.reserve(all.size());
  for (const Pattern& pattern : all)
    errors.push_back({error_of(pattern, flit, curves), pattern.is_below_knee});
  return errors;
}

struct Parameter {
  LinkCurve FabricCurves::*link;
  double LinkCurve::*value;
};
constexpr std::array parameters{Parameter{&FabricCurves::channel, &LinkCurve::contention},
                                Parameter{&FabricCurves::channel, &LinkCurve::knee},
                                Parameter{&FabricCurves::injection, &LinkCurve::contention},
                                Parameter{&FabricCurves::injection, &LinkCurve::knee},
                                Parameter{&FabricCurves::ejection, &LinkCurve::contention},
                                Parameter{&FabricCurves::ejection, &LinkCurve::knee}};

}  // namespace

FabricConfig fabric_to_fit(TopologyKind topology) {
  FabricConfig config;
  config.topology = topology;
  config.nodes = topology == TopologyKind::superring ? 128 : 144;  // whole parts of its ring
  if (topology == TopologyKind::swizzle_switch) config.ports = 64;
  return config;
}

FabricCurves fit_fabric_curves(const FabricsToFit& fabrics, const FlitParameters& flit,
                               const FabricCurves& start, const FabricFitSettings& settings,
                               const std::function<void(double)>& progress) {
  const double steps = static_cast<double>(settings.rounds * parameters.size());
  double done = 0;
  const auto report = [&] {
    if (progress) progress(done / steps);
  };
  const std::vector<Pattern> all = patterns(fabrics, flit, fitted, settings, report);
  FabricCurves best = start;
  double least = misfit_of(errors_of(all, flit, best)), step = 0.3;
  for (unsigned round = 0; round < settings.rounds; ++round, step *= 0.7)
    for (const auto& [link, value] : parameters) {
      for (const double factor : {1 + step, 1 / (1 + step)}) {
        FabricCurves tried = best;
        double& parameter = (tried.*link).*value;
        parameter = std::round(parameter * factor * 1e3) / 1e3;
        if (value == &LinkCurve::knee) parameter = std::min(parameter, 1.0);
        const double error = misfit_of(errors_of(all, flit, tried));
        if (error >= least) continue;
        least = error;
        best = tried;
        break;
      }
      ++done;
      report();
    }
  best.fitted = summary_of(errors_of(all, flit, best));
  best.held_out = summary_of(errors_of(patterns(fabrics, flit, held_out, settings, report), flit, best));
  return best;
}

CurveErrors fabric_curve_errors(const FabricsToFit& fabrics, const FlitParameters& flit,
                                const FabricCurves& curves, bool of_held_out,
                                const FabricFitSettings& settings) {
  return summary_of(
      errors_of(patterns(fabrics, flit, of_held_out ? held_out : fitted, settings, [] {}), flit, curves));
}

}  // namespace asterism
