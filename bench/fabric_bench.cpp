// Speed and accuracy of the flit engine: a 24x24 mesh in one clock domain, 4 virtual channels of 5 flits,
// packets of 4 flits, uniform random traffic, routers of 3 cycles, links of 1. And the host time of an access
// of one master to a line of memory, which is two packets, on the loose and the contended fabric and flit by
// flit: 16 masters and 4 targets with four accesses in flight each on superstar with 576 nodes.
//
//   fabric_bench [--check] [--booksim PATH]
//
// With --booksim the same work is given alternately to this BookSim2 program, which is no part of this
// project, and speeds are printed as ratios. Without it, latencies and saturation are compared with recorded
// results of BookSim2. With --check the exit status is 1 when a figure misses its limit.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "fabric/topology/topologies.h"
#include "fabric/traffic/fabric_masters.h"
#include "fabric/traffic/saturation.h"
#include "fabric/traffic/simulation.h"
#include "figures.h"

namespace asterism {
namespace {

FabricConfig one_clock(TopologyKind topology, std::uint32_t nodes) {
  FabricConfig config;
  config.topology = topology;
  config.nodes = nodes;
  config.clock = 1_GHz;
  config.link_cycles = 1_cycles;
  return config;
}
std::shared_ptr<const Topology> build(const FabricConfig& config) {
  return build_topology(config, SwitchTechnology{});
}

TrafficConfig uniform(double rate) {
  TrafficConfig traffic;
  traffic.rate = rate;
  traffic.rate_unit = RateUnit::per_cycle;
  traffic.to_self = true;  // as in BookSim2
  return traffic;
}

SimulationConfig window(Picoseconds warm_up, Picoseconds measure, Picoseconds drain) {
  SimulationConfig config;
  config.warm_up = warm_up;
  config.measure = measure;
  config.drain = drain;
  return config;
}

struct Speed {
  double cycles_per_second, latency_cycles;
};
Speed run(const std::shared_ptr<const Topology>& topology, double rate, Picoseconds measure) {
  const double start = cpu_seconds();
  const SimulationResult result = simulate(topology, {}, uniform(rate), window(2_us, measure, 3_us));
  const double seconds = cpu_seconds() - start;
  return {static_cast<double>(result.simulated_cycles.count()) / seconds, result.latency.mean() / 1000};
}

// ---- BookSim2 ----

Speed run_booksim(const std::string& program, double rate) {
  const TemporaryFolder folder;
  const std::string config = folder / "mesh.cfg";
  std::FILE* file = std::fopen(config.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + config);
  fmt::print(file,
             "topology = mesh; k = 24; n = 2; routing_function = dim_order; num_vcs = 4; vc_buf_size = 5;\n"
             "packet_size = 4; traffic = uniform; injection_rate_uses_flits = 0; sim_type = latency;\n"
             "routing_delay = 0; injection_rate = {};\n",
             rate);
  std::fclose(file);
  Speed speed{0, 0};
  const double seconds = user_seconds_of(RUSAGE_CHILDREN, [&] {
    std::FILE* out = popen(("'" + program + "' " + config + " 2>&1").c_str(), "r");
    if (out == nullptr) throw std::runtime_error("cannot start " + program);
    char line[512];
    while (std::fgets(line, sizeof line, out) != nullptr) {
      double value = 0;
      if (std::sscanf(line, "Time taken is %lf cycles", &value) == 1) speed.cycles_per_second = value;
      if (std::sscanf(line, "Packet latency average = %lf", &value) == 1) speed.latency_cycles = value;
    }
    pclose(out);
  });
  if (speed.cycles_per_second == 0) throw std::runtime_error(program + " did not run to its end");
  speed.cycles_per_second /= seconds;
  return speed;
}

void compare_with(const std::string& booksim, const std::shared_ptr<const Topology>& mesh) {
  for (const auto& [rate, limit] : {std::pair{0.02, 40.0}, {0.034, 20.0}}) {
    std::vector<double> ratios;
    double theirs = 0;
    for (int round = 0; round < 3; ++round) {
      theirs = run_booksim(booksim, rate).cycles_per_second;
      ratios.push_back(run(mesh, rate, 10_us).cycles_per_second / theirs);
    }
    figures.add(fmt::format("cycles/s over BookSim2's at {}", rate),
                fmt::format("{:.1f} ({:.0f}/s)", median(ratios), theirs), median(ratios) >= limit,
                fmt::format(">= {:.0f}", limit));
  }
}

// ---- the figures ----

void measure_accuracy(const std::shared_ptr<const Topology>& mesh) {
  // The results of BookSim2 for the same network (routing_delay 0).
  for (const auto& [rate, theirs] : {std::pair{0.002, 73.4}, {0.020, 78.2}, {0.028, 86.1}}) {
    const double ours = run(mesh, rate, 20_us).latency_cycles, off = 100 * (ours / theirs - 1);
    figures.add(fmt::format("latency at {:.3f}, cycles ({} there)", rate, theirs),
                fmt::format("{:.1f}", ours), off < 3 && off > -3, fmt::format("within 3%: {:+.1f}%", off));
  }
  SaturationConfig bracket;
  bracket.low = 0.03;
  bracket.high = 0.045;
  const SaturationResult found = find_saturation(mesh, {}, uniform(0.03), window(5_us, 10_us, 0_ps), bracket);
  const double off = 100 * (found.rate / 0.0361 - 1);
  figures.add("saturation, packets/cycle/node (0.0361 there)", fmt::format("{:.4f}", found.rate),
              off < 5 && off > -5, fmt::format("within 5%: {:+.1f}%", off));
}

void measure_speed(const std::shared_ptr<const Topology>& mesh) {
  std::vector<double> ratios, speeds;
  for (int round = 0; round < 3; ++round) {
    const double busy = run(mesh, 0.020, 5_us).cycles_per_second;
    speeds.push_back(busy);
    ratios.push_back(run(mesh, 0.0005, 100_us).cycles_per_second / busy);
  }
  figures.add("cycles/s at 0.020", fmt::format("{:.0f}", median(speeds)));
  figures.add("cycles/s at 0.0005 over those at 0.020", fmt::format("{:.1f}", median(ratios)),
              median(ratios) >= 15, ">= 15");
}

void measure_size() {
  FabricConfig star = one_clock(TopologyKind::superstar, 4096);
  star.concentration = 64;
  for (const auto& [name, config] :
       {std::pair{"mesh", one_clock(TopologyKind::mesh, 4096)}, {"superstar", star}}) {
    const auto topology = build(config);
    const double start = cpu_seconds();
    const SimulationResult result = simulate(topology, {}, uniform(0.005), window(1_us, 2_us, 3_us));
    const double speed = static_cast<double>(result.simulated_cycles.count()) / (cpu_seconds() - start);
    const auto bytes = FlitNetwork(topology, {}).memory().count() / config.nodes;
    figures.add(fmt::format("4,096-node {} at 0.005: cycles/s", name), fmt::format("{:.0f}", speed),
                result.converged, fmt::format("runs; {} bytes a node", bytes));
  }
}

void measure_accesses() {
  FabricConfig config;
  config.topology = TopologyKind::superstar;
  const auto topology = build(config);
  const FabricLoad load{.masters = 16, .targets = 4, .in_flight = 4, .pause = 20_ns, .writes = 0.3};
  const auto nanoseconds = [&](Picoseconds measured, const auto& run) {
    const double start = cpu_seconds();
    const FabricLoadResult result = run(FabricLoadTime{.warm_up = 0_us, .measured = measured});
    return (cpu_seconds() - start) * 1e9 / static_cast<double>(result.accesses);
  };
  std::vector<double> loose, contended, flit;
  for (int round = 0; round < 5; ++round) {
    flit.push_back(nanoseconds(50_us, [&](const auto& time) { return run_flit(load, topology, {}, time); }));
    loose.push_back(flit.back() / nanoseconds(300_us, [&](const auto& time) {
                      return run_predicted(load, topology, {}, {}, 1_us, time);
                    }));
    contended.push_back(flit.back() / nanoseconds(300_us, [&](const auto& time) {
                          return run_predicted(load, topology, {}, FabricCurves(), 1_us, time);
                        }));
  }
  const auto text = [&](const std::vector<double>& ratios) {
    return fmt::format("{:.1f} ({:.0f} ns)", median(ratios), median(flit) / median(ratios));
  };
  figures.add("an access on superstar flit by flit, over a loose one", text(loose), median(loose) >= 8,
              ">= 8");
  figures.add("the same, over a contended one", text(contended), median(contended) >= 4, ">= 4");
}

void measure(const std::string& booksim) {
  measure_accesses();
  const auto mesh = build(one_clock(TopologyKind::mesh, 576));
  measure_accuracy(mesh);
  measure_speed(mesh);
  if (!booksim.empty()) compare_with(booksim, mesh);
  measure_size();
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) {
  CLI::App app;
  std::string booksim;
  app.add_option("--booksim", booksim, "The program of BookSim2, to run alternately");
  return asterism::bench_main(argc, argv, app, [&] { asterism::measure(booksim); });
}
