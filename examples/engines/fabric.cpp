// Mean latencies of a mesh and of Super-Star with 576 nodes, under uniform random traffic.
#include <asterism/fabric/topology/topologies.h>
#include <asterism/fabric/traffic/simulation.h>

#include <iostream>

int main() {
  using namespace asterism;
  for (const TopologyKind kind : {TopologyKind::mesh, TopologyKind::superstar}) {
    const auto topology = build_topology({.topology = kind, .nodes = 576}, SwitchTechnology{});
    const SimulationResult result =
        simulate(topology, FlitParameters{}, TrafficConfig{.rate = 0.01}, SimulationConfig{});
    std::cout << (kind == TopologyKind::mesh ? "mesh" : "superstar") << ": " << result.latency.mean() / 1000
              << " ns, " << result.mean_hops << " routers\n";
  }
}
