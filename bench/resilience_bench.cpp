// The number of evaluations a second of the analytic models of checkpointing, the time of their optimisers,
// and the number of failures a second that are simulated.
//
//   resilience_bench [--check] [--evaluations N] [--failures N]
//
// Parameters differ between evaluations, so that the compiler cannot move one out of the loop. The optimisers
// run once for everything that `asterism paper` needs: the GPU-dense machines of lee2019 by the Markov model,
// dong2011's machines from 1 to 1000 petaflops in four ways, ni2012's buddies at ten mean times to failure.
// Times are processor time. N: evaluations of each model (1 million by default), failures of each Monte Carlo
// simulation (200,000).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "figures.h"
#include "resilience/first_order.h"
#include "resilience/gpu_system.h"
#include "resilience/local_global.h"
#include "resilience/local_global_monte_carlo.h"
#include "resilience/monte_carlo.h"
#include "resilience/moody_markov.h"
#include "resilience/mpp_system.h"
#include "resilience/semi_blocking.h"
#include "resilience/young_daly.h"

namespace asterism {
namespace {

constexpr double least_evaluations = 1e5, least_failures = 1e4,
                 max_seconds = 5;  // the first two per second, the last for all optimisers

double sink = 0;  // the sum of all results, so that all are computed

void evaluate(const std::string& name, std::uint64_t count, const std::function<double(double)>& model) {
  const double seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < count; ++i) sink += model(1 + static_cast<double>(i % 1000) * 1e-3);
  });
  const double a_second = static_cast<double>(count) / seconds;
  figures.add(name, fmt::format("{:.2f} M/s", a_second / 1e6), a_second >= least_evaluations, ">= 0.1");
}

void measure_models(std::uint64_t count) {
  const auto level = [](double scale) {
    return CheckpointLevel{Rate(1 / (14'400 * scale)), Seconds(90), Seconds(120)};
  };
  evaluate("Young, interval", count, [&](double x) { return young_interval(level(x)).count(); });
  evaluate("Daly, first order", count, [&](double x) { return daly_first_order_interval(level(x)).count(); });
  evaluate("Daly, higher order", count, [&](double x) { return daly_interval(level(x)).count(); });
  evaluate("optimum of one level", count, [&](double x) { return best_interval(level(x)).count(); });
  evaluate("expected time of a run", count,
           [&](double x) { return expected_run_time(level(x), Seconds(1600), Seconds(604'800)).count(); });
  std::vector<CheckpointLevel> levels = {{Rate(5.34e-4), Seconds(8.01), Seconds(8.01)},
                                         {Rate(2.08e-6), Seconds(475.7), Seconds(475.7)},
                                         {Rate(1.77e-7), Seconds(1943), Seconds(1943)}};
  evaluate("first order, three levels", count, [&](double x) {
    levels[0].checkpoint = Seconds(8 * x);
    return first_order_efficiency(levels);
  });
  CheckpointSchedule schedule{Seconds(150), {96, 10}};
  evaluate("Markov, three levels", count, [&](double x) {
    schedule.interval = Seconds(150 * x);
    return markov_efficiency(levels, schedule);
  });
  LocalGlobalCheckpoint local_global = checkpoint_of({}, mpp_system({}, 1), CheckpointMedia::dimm_dimm, 0.25);
  evaluate("dong2011, Eq. 7", count, [&](double x) {
    return local_global_time(local_global, Seconds(1e6), Seconds(43 * x), 0.677).total().count();
  });
  const BuddyCheckpoint buddies{.overlap = Seconds(9.6),
                                .overhead = Seconds(0.2),
                                .local = Seconds(0.25),
                                .blocking = Seconds(6.5),
                                .restart = Seconds(6.5),
                                .mttf = Seconds(300)};
  evaluate("ni2012, Eq. 3.1", count, [&](double x) {
    return semi_blocking_time(buddies, Seconds(1e6), Seconds(20 * x)).total().count();
  });
}

void measure_optimisers() {
  const double markov = seconds_of([] {
    for (const double exaflops : {0.45, 0.9, 1.8, 3.6, 7.2})
      for (const std::uint32_t density : {2u, 4u, 8u, 16u, 32u})
        for (const double often : {0.1, 1.0, 10.0})
          sink += markov_optimum(levels_of(gpu_system({}, exaflops, density, often), {})).efficiency;
  });
  const double local_global = seconds_of([] {
    for (double petaflops = 1; petaflops < 1001; petaflops *= std::sqrt(10.0))
      for (const CheckpointMedia media : {CheckpointMedia::pure_hdd, CheckpointMedia::dimm_hdd,
                                          CheckpointMedia::dimm_dimm, CheckpointMedia::pcram_3d})
        for (const double usage : {0.001, 0.114, 0.146, 0.168, 0.177, 0.217, 0.25, 0.824, 1.0})
          sink +=
              local_global_optimum(checkpoint_of({}, mpp_system({}, petaflops), media, usage)).local_share;
  });
  const double buddies = seconds_of([] {
    for (double mttf = 60; mttf < 60'000; mttf *= 2) {
      const BuddyCheckpoint one{.overlap = Seconds(9.6),
                                .overhead = Seconds(0.2),
                                .local = Seconds(0.25),
                                .blocking = Seconds(6.5),
                                .restart = Seconds(6.5),
                                .mttf = Seconds(mttf)};
      sink += semi_blocking_optimum(one, Seconds(1e6)).tau.count() +
              blocking_optimum(one, Seconds(1e6)).tau.count();
    }
  });
  const double all = markov + local_global + buddies;
  figures.add("optimisers: 75 of Markov, 252 of dong2011, 20 of ni2012",
              fmt::format("{:.2f} + {:.3f} + {:.4f} s", markov, local_global, buddies), all < max_seconds,
              "< 5 s");
}

void measure_failures(std::uint64_t failures) {
  const auto add = [](const std::string& name, std::uint64_t played, double seconds) {
    const double a_second = static_cast<double>(played) / seconds;
    figures.add(name, fmt::format("{:.0f} k/s", a_second / 1e3), a_second >= least_failures, ">= 10");
  };
  for (const double shape : {1.0, 0.7}) {
    LocalGlobalMonteCarlo played;
    const LocalGlobalCheckpoint exa =
        checkpoint_of({}, mpp_system({}, 1000), CheckpointMedia::pcram_3d, 0.25);
    const LocalGlobalOptimum best = local_global_optimum(exa);
    const double seconds = seconds_of([&] {
      played = simulate_local_global(exa, best.tau, best.local_share,
                                     {.nodes = 100'000, .shape = shape, .failures = failures});
    });
    add(fmt::format("failures of 100,000 nodes, shape {}, local/global", shape), played.failures, seconds);
  }
  const auto levels = levels_of(gpu_system({}, 3.6, 16), {});
  const MarkovOptimum best = markov_optimum(levels);
  MonteCarloResult played;
  const double of_a_cycle = failures_of(levels) * (best.schedule.work() / best.efficiency);
  const double seconds = seconds_of([&] {
    played = simulate_checkpoints(
        levels, best.schedule,
        {.cycles = static_cast<std::uint64_t>(static_cast<double>(failures) / of_a_cycle) + 2});
  });
  add("failures of a schedule of three levels", played.failures, seconds);
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app;
  std::uint64_t evaluations = 1'000'000, failures = 200'000;
  app.add_option("--evaluations", evaluations, "Of each model")->check(CLI::PositiveNumber);
  app.add_option("--failures", failures, "Of each Monte Carlo")->check(CLI::PositiveNumber);
  const int status = asterism::bench_main(argc, argv, app, [&] {
    asterism::measure_models(evaluations);
    asterism::measure_optimisers();
    asterism::measure_failures(failures);
  });
  return std::isnan(asterism::sink) ? 70 : status;
}
