#include "memory/dram_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "memory/dram_masters.h"

namespace asterism {
namespace {

using Places = DramLoad::Places;

struct Pattern {
  DramLoad load;
  DramConfig config;
  DramLoadResult exact;
  bool is_below_knee = true;
};

struct Numbers {
  std::vector<std::uint32_t> masters, in_flight;
  std::vector<Tick> gaps;
  std::vector<double> writes;
  std::uint64_t seed;
};
const Numbers fitted{{1, 4, 16}, {1, 10}, {0, 20, 100, 400}, {0, 0.33}, 1};
const Numbers held_out{{2, 8}, {1, 4, 8}, {0, 10, 50, 200}, {0, 0.2, 0.5}, 2};

std::vector<DramLoad> loads(const Numbers& numbers, const DramFitSettings& settings) {
  std::vector<DramLoad> all;
  std::size_t count = 0;
  for (const Places places : {Places::random, Places::streams, Places::mixed})
    for (const std::uint32_t masters : numbers.masters)
      for (const std::uint32_t in_flight : numbers.in_flight)
        for (const Tick gap : numbers.gaps)
          for (const double writes : numbers.writes) {
            if (settings.coarse && count++ % 11 != 0) continue;
            if (places == Places::mixed && masters == 1) continue;
            all.push_back({.places = places,
                           .masters = masters,
                           .in_flight = in_flight,
                           .gap = gap,
                           .writes = writes,
                           .requests = settings.requests / masters,
                           .seed = numbers.seed});
          }
  return all;
}

// `measured` is called after each of them.
std::vector<Pattern> patterns(const DramPart& part, const Numbers& numbers, const DramFitSettings& settings,
                              const std::function<void()>& measured) {
  std::vector<Pattern> all;
  for (const std::uint32_t ranks : {1u, 2u}) {
    DramConfig config;
    config.ranks = ranks;
    std::array<double, 3> unloaded{};
    for (const Places places : {Places::random, Places::streams, Places::mixed})
      unloaded[static_cast<std::size_t>(places)] =
          run_exact({.places = places, .masters = 2, .gap = 2000, .requests = 1000}, config, part).latency;
    for (const DramLoad& load : loads(numbers, settings)) {
      Pattern pattern{load, config, run_exact(load, config, part)};
      pattern.is_below_knee = pattern.exact.latency < 2 * unloaded[static_cast<std::size_t>(load.places)];
      all.push_back(pattern);
      measured();
    }
  }
  return all;
}

// Of the latency below the knee, of the throughput above it.
double error_of(const Pattern& pattern, const DramPart& part, const DramCurves& curves) {
  constexpr Tick quantum = 80;
  const DramLoadResult result = run_contended(pattern.load, pattern.config, part, curves, quantum);
  if (pattern.is_below_knee) return result.latency / pattern.exact.latency - 1;
  return static_cast<double>(pattern.exact.ended) / static_cast<double>(result.ended) - 1;
}

std::vector<LoadError> errors_of(const std::vector<Pattern>& all, const DramPart& part,
                                 const DramCurves& curves) {
  std::vector<LoadError> errors;
  errors.reserve(all.size());
  for (const Pattern& pattern : all)
    errors.push_back({error_of(pattern, part, curves), pattern.is_below_knee});
  return errors;
}

constexpr std::array parameters{
    &DramCurves::channel_residual,  &DramCurves::bank_residual,   &DramCurves::burst_overhead,
    &DramCurves::activate_overhead, &DramCurves::rank_switch,     &DramCurves::write_activate,
    &DramCurves::turnaround,        &DramCurves::drain,           &DramCurves::drain_knee,
    &DramCurves::row_closing,       &DramCurves::idle_turnaround, &DramCurves::write_recovery};

}  // namespace

DramCurves fit_dram_curves(const std::string& name, const DramPart& part, const DramCurves& start,
                           const DramFitSettings& settings, const std::function<void(double)>& progress) {
  const auto steps = static_cast<double>(settings.rounds * parameters.size());
  double done = 0;
  const auto report = [&] {
    if (progress) progress(done / steps);
  };
  const std::vector<Pattern> all = patterns(part, fitted, settings, report);
  DramCurves best = start;
  best.part = name;
  best.digest = curves_digest(part);
  double least = misfit_of(errors_of(all, part, best)), step = 0.3;
  for (unsigned round = 0; round < settings.rounds; ++round, step *= 0.7)
    for (const auto parameter : parameters) {
      for (const double factor : {1 + step, 1 / (1 + step)}) {
        DramCurves tried = best;
        tried.*parameter = std::round(tried.*parameter * factor * 1e3) / 1e3;
        const double value = misfit_of(errors_of(all, part, tried));
        if (value >= least) continue;
        least = value;
        best = tried;
        break;
      }
      ++done;
      report();
    }
  best.fitted = summary_of(errors_of(all, part, best));
  best.held_out = summary_of(errors_of(patterns(part, held_out, settings, report), part, best));
  return best;
}

CurveErrors dram_curve_errors(const DramPart& part, const DramCurves& curves, bool of_held_out,
                              const DramFitSettings& settings) {
  return summary_of(
      errors_of(patterns(part, of_held_out ? held_out : fitted, settings, [] {}), part, curves));
}

}  // namespace asterism
