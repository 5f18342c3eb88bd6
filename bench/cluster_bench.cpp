// The speed of simulating clusters of traffic nodes: events a second of 64 nodes against those of the
// smallest cluster.
//
//   cluster_bench [--check]
//
// A single rank has no buddy, so one node is measured as two nodes, which do what any two of the 64 do. All
// run with the default state of 32 KiB a rank, with a checkpoint every ten steps of 100 us, until the same
// number of events has happened. The runs alternate, and figures are medians.
#include <fmt/format.h>

#include <vector>

#include "cluster/traffic_cluster.h"
#include "figures.h"

namespace asterism {
namespace {

// Events per second of host time.
double rate_of(std::uint32_t nodes, std::uint64_t events) {
  ClusterConfig config;
  config.nodes = nodes;
  config.program.steps = 1'000'000;
  NoEventLog log;
  TrafficCluster cluster(config, 1, log);
  cluster.begin();
  const double seconds = seconds_of([&] {
    while (cluster.event_queue().events() < events) cluster.event_queue().step();
  });
  return static_cast<double>(cluster.event_queue().events()) / seconds;
}

void measure_all() {
  constexpr std::uint64_t events = 400'000;
  std::vector<double> small, large;
  for (int round = 0; round < 5; ++round) {
    small.push_back(rate_of(2, events));
    large.push_back(rate_of(ClusterConfig::max_nodes, events));
  }
  const double of_small = median(small), of_large = median(large);
  figures.add("2 nodes", fmt::format("{:.2f} M events/s", of_small / 1e6));
  figures.add("64 nodes", fmt::format("{:.2f} M events/s", of_large / 1e6));
  figures.add("64 nodes to 2", fmt::format("{:.2f}", of_large / of_small), of_large >= 0.5 * of_small,
              ">= 0.5");
}

}  // namespace
}  // namespace asterism

int main(int argc, char** argv) { return asterism::bench_main(argc, argv, asterism::measure_all); }
