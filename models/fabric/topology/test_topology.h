// Small fabrics for tests, which choose the routes themselves, even ones that deadlock.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fabric/topology/topology.h"

namespace asterism {

class TableRouting final : public Routing {
 public:
  struct Entry {
    std::vector<ChannelId> channels, fallback = {};
    unsigned vc_class = 0;
  };
  std::map<std::pair<RouterId, RouterId>, Entry> table;
  unsigned classes = 1;

  unsigned vc_classes() const override { return classes; }
  Step step(RouterId here, RouterId destination, unsigned) const override {
    const Entry& entry = table.at({here, destination});
    return {entry.channels, entry.fallback, entry.vc_class};
  }
};

// Routers "R0", "R1", ... of the given periods, each with a node whose channels take one cycle.
struct TestTopology {
  explicit TestTopology(const std::vector<Picoseconds>& periods) {
    for (RouterId r = 0; r < periods.size(); ++r) {
      topology->routers.push_back({"R" + std::to_string(r), {}, 4, periods[r], false});
      topology->nodes.push_back({r, 500_um, 1_cycles});
    }
    topology->routing = routing;
  }
  // Adds a channel in one direction.
  ChannelId channel(RouterId from, RouterId to, Cycles latency = 1_cycles) {
    topology->channels.push_back({from, to, 1000_um, latency});
    return static_cast<ChannelId>(topology->channels.size() - 1);
  }
  void route(RouterId here, RouterId destination, std::vector<ChannelId> channels,
             std::vector<ChannelId> fallback = {}) {
    routing->table[{here, destination}] = {std::move(channels), std::move(fallback)};
  }

  std::shared_ptr<Topology> topology = std::make_shared<Topology>();
  std::shared_ptr<TableRouting> routing = std::make_shared<TableRouting>();
};

// Channels lead from R0 over R1 and so on to the last router, and back; all have the same latency.
inline TestTopology line(const std::vector<Picoseconds>& periods, Cycles latency = 1_cycles) {
  TestTopology line(periods);
  const auto count = static_cast<RouterId>(periods.size());
  for (RouterId r = 0; r + 1 < count; ++r) {
    const ChannelId up = line.channel(r, r + 1, latency), down = line.channel(r + 1, r, latency);
    for (RouterId d = 0; d < count; ++d) {
      if (d > r) line.route(r, d, {up});
      if (d < r + 1) line.route(r + 1, d, {down});
    }
  }
  return line;
}

}  // namespace asterism
