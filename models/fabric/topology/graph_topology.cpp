#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <stdexcept>
#include <string>

#include "fabric/topology/graph_routing.h"
#include "fabric/topology/topologies.h"
#include "fabric/topology/topology_builder.h"

namespace asterism {
namespace {

constexpr std::uint64_t unreachable = std::numeric_limits<std::uint64_t>::max();

// Reads the names, builds the parts and finds the paths, in this order.
class GraphBuilder {
 public:
  GraphBuilder(const FabricConfig& config, const SwitchTechnology& technology, const GraphConfig& graph)
      : graph_(graph),
        router_stages_(config.router_stages),
        builder_(config.graph.empty() ? "graph" : config.graph, config, technology) {
    add_routers();
    for (std::size_t i = 0; i < graph.links.size(); ++i)
      add_link(graph.links[i], "links[" + std::to_string(i) + "]");
    for (const GraphNodes& nodes : graph.nodes)
      for (unsigned n = 0; n < nodes.count; ++n) builder_.add_node(id_of_.at(nodes.router), nodes.length);
  }

  std::shared_ptr<const Topology> finish() {
    const std::size_t routers = graph_.routers.size();
    ways_.resize(routers * routers);
    for (RouterId destination = 0; destination < routers; ++destination) find_ways(destination);
    for (std::size_t i = 0; i < graph_.routes.size(); ++i)
      give_route(graph_.routes[i], "routes[" + std::to_string(i) + "].path");
    make_alike_sets_equal();
    return builder_.finish(std::make_shared<GraphRouting>(static_cast<unsigned>(routers), ways_));
  }

 private:
  struct Run {  // parallel channels
    ChannelId first;
    std::uint32_t count;
    void append_to(std::vector<ChannelId>& channels) const {
      for (std::uint32_t i = 0; i < count; ++i) channels.push_back(first + i);
    }
  };

  [[noreturn]] static void refuse(const std::string& where, const std::string& what) {
    throw std::invalid_argument(where + ": " + what);
  }
  RouterId id(const std::string& name, const std::string& where) const {
    const auto known = id_of_.find(name);
    if (known == id_of_.end()) refuse(where, "no router has the name \"" + name + "\"");
    return known->second;
  }

  // With the ports that links and nodes need.
  void add_routers() {
    for (std::size_t i = 0; i < graph_.routers.size(); ++i)
      if (!id_of_.emplace(graph_.routers[i].name, static_cast<RouterId>(i)).second)
        refuse("routers[" + std::to_string(i) + "].name",
               "there are two routers \"" + graph_.routers[i].name + "\"");
    std::vector<unsigned> radix(graph_.routers.size());
    for (std::size_t i = 0; i < graph_.links.size(); ++i) {
      const std::string where = "links[" + std::to_string(i) + "]";
      radix[id(graph_.links[i].from, where + ".from")] += graph_.links[i].count;
      radix[id(graph_.links[i].to, where + ".to")] += graph_.links[i].count;
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      radix[id(graph_.nodes[i].router, "nodes[" + std::to_string(i) + "].router")] += graph_.nodes[i].count;
    for (RouterId r = 0; r < radix.size(); ++r) {
      const GraphRouter& router = graph_.routers[r];
      if (radix[r] == 0)
        refuse("routers[" + std::to_string(r) + "]", router.name + " has neither links nor nodes");
      builder_.add_router(router.name, {router.x, router.y}, radix[r], router.global, router.clock);
    }
  }

  void add_link(const GraphLink& link, const std::string& where) {
    const RouterId from = id_of_.at(link.from), to = id_of_.at(link.to);
    if (from == to) refuse(where, "a link joins two different routers");
    for (const auto& [sender, receiver] : {std::pair{from, to}, std::pair{to, from}}) {
      runs_.push_back({builder_.add_channel(sender, receiver, link.length), link.count});
      for (unsigned i = 1; i < link.count; ++i) builder_.add_channel(sender, receiver, link.length);
    }
  }

  std::vector<ChannelId>& ways(RouterId here, RouterId destination) {
    return ways_[here * graph_.routers.size() + destination];
  }
  const Topology::Channel& channel(const Run& run) const { return builder_.topology().channels[run.first]; }
  std::uint64_t cost(const Run& run) const {
    if (graph_.metric == GraphMetric::hops) return 1;
    return (channel(run).latency.count() + router_stages_) *
           builder_.topology().routers[channel(run).from].period.count();
  }

  // The shortest path from everywhere (Dijkstra, from the destination back), then each router's first link on
  // one.
  void find_ways(RouterId destination) {
    std::vector<std::uint64_t> distance(graph_.routers.size(), unreachable);
    using Entry = std::pair<std::uint64_t, RouterId>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    distance[destination] = 0;
    open.push({0, destination});
    if (into_.empty()) {
      into_.resize(graph_.routers.size());
      for (const Run& run : runs_) into_[channel(run).to].push_back(run);
    }
    while (!open.empty()) {
      const auto [far, at] = open.top();
      open.pop();
      if (far > distance[at]) continue;
      for (const Run& run : into_[at]) {
        const std::uint64_t farther = far + cost(run);
        if (farther >= distance[channel(run).from]) continue;
        distance[channel(run).from] = farther;
        open.push({farther, channel(run).from});
      }
    }
    for (const Run& run : runs_) {
      const RouterId from = channel(run).from, to = channel(run).to;
      if (from == destination || distance[to] == unreachable || distance[from] != distance[to] + cost(run))
        continue;
      std::vector<ChannelId>& channels = ways(from, destination);
      if (channels.empty() || graph_.ties == GraphTies::in_turn) run.append_to(channels);
    }
  }

  // A router's round-robin position is stored by the first channel of a set, so sets with the same first
  // channel must have the same size: the last paths of larger sets are dropped.
  void make_alike_sets_equal() {
    std::map<ChannelId, std::size_t> size;
    for (const std::vector<ChannelId>& channels : ways_)
      if (channels.size() > 1) {
        std::size_t& least = size.emplace(channels.front(), channels.size()).first->second;
        least = std::min(least, channels.size());
      }
    for (std::vector<ChannelId>& channels : ways_)
      if (channels.size() > 1) channels.resize(size.at(channels.front()));
  }

  void give_route(const GraphRoute& route, const std::string& where) {
    const RouterId destination = id(route.path.back(), where);
    for (std::size_t i = 0; i + 1 < route.path.size(); ++i) {
      const RouterId from = id(route.path[i], where), to = id(route.path[i + 1], where);
      const auto joins = [&](const Run& run) { return channel(run).from == from && channel(run).to == to; };
      const auto run = std::ranges::find_if(runs_, joins);
      if (run == runs_.end()) refuse(where, "no link joins " + route.path[i] + " and " + route.path[i + 1]);
      const auto [given, is_new] = given_.emplace(std::pair(from, destination), run->first);
      if (given->second != run->first)
        refuse(where, "another route already sends what is at " + route.path[i] + " for " +
                          route.path.back() + " elsewhere");
      ways(from, destination).clear();
      run->append_to(ways(from, destination));
    }
  }

  const GraphConfig& graph_;
  unsigned router_stages_;
  TopologyBuilder builder_;
  std::map<std::string, RouterId> id_of_;
  std::vector<Run> runs_;                     // in the order of the file, both directions of a link
  std::vector<std::vector<Run>> into_;        // by router
  std::vector<std::vector<ChannelId>> ways_;  // [here][destination]: equal channels
  // Given by a route: at a router, for a destination.
  std::map<std::pair<RouterId, RouterId>, ChannelId> given_;
};

}  // namespace

std::shared_ptr<const Topology> build_graph(const FabricConfig& config, const SwitchTechnology& technology,
                                            const GraphConfig& graph) {
  return GraphBuilder(config, technology, graph).finish();
}

}  // namespace asterism
