#include "fabric/network/zero_load.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/random.h"

namespace asterism {
namespace {

// The flits of one packet: the edges, of the clock at their position, at which each flit arrives and then
// leaves.
class Train {
 public:
  Train(const FlitParameters& parameters, unsigned flits) : parameters_(parameters), edges_(flits) {}

  // Starts at the node: the head leaves at the first edge after `created`.
  void start(std::uint64_t created, std::uint64_t period) {
    for (std::size_t i = 0; i < edges_.size(); ++i) edges_[i] = created / period + 1 + i;
  }
  void travel(Cycles latency) {
    for (std::uint64_t& edge : edges_) edge += latency.count();
  }
  void pass_router() {
    const unsigned stages = parameters_.router_stages;
    edges_[0] += stages;
    for (std::size_t i = 1; i < edges_.size(); ++i)
      edges_[i] = std::max(edges_[i] + (stages > 1 ? stages - 1 : stages), edges_[i - 1] + 1);
  }
  void cross(std::uint64_t from_period, std::uint64_t to_period) {
    if (from_period == to_period) return;
    std::uint64_t free = 0;
    for (std::uint64_t& edge : edges_) {
      const std::uint64_t wait = edge * from_period * 100 + parameters_.crossing * to_period;
      edge = std::max((wait + 100 * to_period - 1) / (100 * to_period), free);
      free = edge + 1;
    }
  }
  std::uint64_t tail() const { return edges_.back(); }

 private:
  const FlitParameters& parameters_;
  std::vector<std::uint64_t> edges_;
};

Picoseconds walk(const Topology& topology, Train& train, NodeId source, NodeId destination,
                 Picoseconds created, unsigned choice) {
  const Topology::Node &from = topology.nodes.at(source), &to = topology.nodes.at(destination);
  const auto period = [&](RouterId router) { return topology.routers[router].period.count(); };
  RouterId here = from.router;
  train.start(created.count(), period(here));
  train.travel(from.latency);
  train.pass_router();
  for (unsigned vc_class = 0; here != to.router;) {
    const Routing::Step step = topology.routing->step(here, to.router, vc_class);
    const Topology::Channel& channel = topology.channels[step.channels[choice % step.channels.size()]];
    train.travel(channel.latency);
    train.cross(period(here), period(channel.to));
    train.pass_router();
    here = channel.to;
    vc_class = step.vc_class;
  }
  train.travel(to.latency);
  return Picoseconds(train.tail() * period(here)) - created;
}

}  // namespace

Picoseconds zero_load_latency(const Topology& topology, const FlitParameters& parameters, NodeId source,
                              NodeId destination, unsigned flits, Picoseconds created, unsigned choice) {
  if (source >= topology.nodes.size() || destination >= topology.nodes.size())
    throw std::invalid_argument("a packet's source and destination are nodes of the fabric");
  if (flits == 0) throw std::invalid_argument("a packet has at least one flit");
  Train train(parameters, flits);
  return walk(topology, train, source, destination, created, choice);
}

Picoseconds mean_zero_load(const Topology& topology, const FlitParameters& parameters, unsigned flits,
                           unsigned samples) {
  if (topology.nodes.size() < 2) throw std::invalid_argument("a mean over pairs needs two nodes");
  if (flits == 0 || samples == 0) throw std::invalid_argument("a mean needs packets with flits");
  // Long compared with every clock, so that each phase is equally likely.
  constexpr std::uint64_t window = 1'000'000'000;
  const std::uint64_t nodes = topology.nodes.size();
  Random random(0);
  Train train(parameters, flits);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < samples; ++i) {
    const std::uint64_t source = random.below(nodes);
    const std::uint64_t destination = (source + 1 + random.below(nodes - 1)) % nodes;
    sum += walk(topology, train, static_cast<NodeId>(source), static_cast<NodeId>(destination),
                Picoseconds(random.below(window)), i)
               .count();
  }
  return Picoseconds((sum + samples / 2) / samples);
}

}  // namespace asterism
