#include "fabric/traffic/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/fields.h"
#include "fabric/traffic/trace.h"

namespace asterism {
namespace {

Picoseconds period_of(const Topology& topology, NodeId node) {
  return topology.routers[topology.nodes[node].router].period;
}

// The probability of a packet per trial, at a clock of this period.
double probability(const TrafficConfig& config, Picoseconds period) {
  if (config.rate_unit == RateUnit::per_cycle) return config.rate;
  return config.rate * static_cast<double>(period.count()) / 1000;
}

bool happens(double share, Random& random) {
  return share >= 1 || random.next() < static_cast<std::uint64_t>(share * 0x1p64);
}

// Tiles of a grid: columns from `left` on, rows from `top` on.
struct Rectangle {
  std::uint32_t left, top, columns, rows;

  std::uint32_t tiles() const { return columns * rows; }
  NodeId tile(std::uint32_t index, std::uint32_t grid_columns) const {
    return (top + index / columns) * grid_columns + left + index % columns;
  }
  std::uint32_t index(NodeId node, std::uint32_t grid_columns) const {
    return (node / grid_columns - top) * columns + node % grid_columns - left;
  }
};

// The cluster at a position among the clusters; empty outside the grid.
Rectangle cluster_at(std::int64_t column, std::int64_t row, Grid cluster, Grid grid) {
  const std::int64_t left = column * cluster.columns, top = row * cluster.rows;
  if (left < 0 || top < 0 || left >= grid.columns || top >= grid.rows) return {0, 0, 0, 0};
  return {static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(top), cluster.columns, cluster.rows};
}

}  // namespace

static_assert(member_count<TrafficConfig>() == 11);
void describe(Fields& f, TrafficConfig& c) {
  using enum TrafficPattern;
  f("traffic", c.pattern, "Which nodes send to which nodes.", one_of<TrafficPattern>());
  f.when("traffic", c.pattern, {uniform, clustered, transpose, bit_complement, hotspot}, [&] {
    f("rate", c.rate,
      "The rate at which a node creates packets. Near saturation the latency rises; beyond it packets queue "
      "at the sources.",
      within(0.0, 1000.0));
    f("rate_unit", c.rate_unit, "The unit of `rate`.", one_of<RateUnit>());
    f("packet_flits", c.packet_flits,
      "The length of a packet. A longer one holds its virtual channels for longer.", within(1, 65'536));
  });
  f.when("traffic", c.pattern, {clustered, transpose}, [&] {
    f("grid_columns", c.grid_columns,
      "The number of columns of tiles, which are numbered row by row; 0: those of the most square grid.");
  });
  f.when("traffic", c.pattern, {uniform, transpose, bit_complement, hotspot}, [&] {
    f("to_self", c.to_self,
      "Whether a node also sends to itself if its pattern allows it. Such a packet takes one hop, which "
      "reduces the mean.");
  });
  f.when("traffic", c.pattern, clustered, [&] {
    f("cluster", c.cluster,
      "The tiles of a cluster, a block as square as the grid allows. A larger cluster has longer paths.",
      within(1, 65'536));
    f("local_share", c.local_share,
      "The share of packets that stay in their cluster; absent: every tile in reach is equally likely.",
      within(0.0, 1.0));
  });
  f.when("traffic", c.pattern, hotspot, [&] {
    f("hotspots", c.hotspots,
      "The hotspot nodes. Fewer of them saturate earlier, each at one flit per cycle.");
    f("hotspot_share", c.hotspot_share, "The share of packets that go to hotspots.", within(0.0, 1.0));
  });
  f.when("traffic", c.pattern, TrafficPattern::trace,
         [&] { f("trace", c.trace, "A file of packets, as text or binary (fabric/trace.h).", required()); });
}

double injection_bound(const TrafficConfig& config, const Topology& topology) {
  if (config.pattern == TrafficPattern::trace) return std::numeric_limits<double>::infinity();
  const double flits = config.packet_flits;
  if (config.rate_unit == RateUnit::per_cycle) return 1 / flits;
  Picoseconds slowest;
  for (NodeId node = 0; node < topology.nodes.size(); ++node)
    slowest = std::max(slowest, period_of(topology, node));
  return 1000 / (flits * static_cast<double>(slowest.count()));
}

Traffic::Traffic(const TrafficConfig& config, const Topology& topology, std::uint64_t seed)
    : config_(config), nodes_(static_cast<NodeId>(topology.nodes.size())), grid_(squarest_grid(nodes_)) {
  if (config.grid_columns != 0) grid_ = {config.grid_columns, nodes_ / config.grid_columns};
  check();
  if (config.pattern == TrafficPattern::clustered) cluster_ = squarest_block(grid_, config.cluster);
  const double bound = injection_bound(config, topology);
  if (!(config.rate >= 0 && config.rate <= bound))
    throw std::invalid_argument(
        fmt::format("a rate of {} packets {} and node is not from 0 to the injection bandwidth of {}: a node "
                    "sends one flit per cycle, and a packet has {}",
                    config.rate, config.rate_unit == RateUnit::per_ns ? "per ns" : "per cycle", bound,
                    config.packet_flits));
  if (config.rate == 0) return;

  std::vector<Picoseconds> periods;
  for (NodeId node = 0; node < nodes_; ++node) {
    const Picoseconds period = period_of(topology, node);
    auto at = std::find(periods.begin(), periods.end(), period);
    if (at == periods.end()) {
      const double p = std::min(1.0, probability(config, period));
      if (p < Geometric::least)
        throw std::invalid_argument(fmt::format("a rate of {} is too low to be simulated", config.rate));
      const Random random(Random(seed).at(periods.size()));
      at = periods.insert(periods.end(), period);
      domains_.push_back({period, {}, Geometric(p), random, 0});
    }
    if (sends(node)) domains_[static_cast<std::size_t>(at - periods.begin())].senders.push_back(node);
  }
  std::erase_if(domains_, [](const Domain& domain) { return domain.senders.empty(); });
  for (Domain& domain : domains_) domain.slot = domain.gap.draw(domain.random);
}

void Traffic::check() const {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
  const std::string pattern(to_text(config_.pattern));
  if (config_.pattern == TrafficPattern::trace) refuse("a trace is not a synthetic pattern");
  if (config_.packet_flits == 0) refuse("a packet has at least one flit");
  const bool on_grid =
      config_.pattern == TrafficPattern::clustered || config_.pattern == TrafficPattern::transpose;
  if (on_grid && grid_.size() != nodes_)
    refuse(fmt::format("{} traffic needs whole rows of tiles: {} nodes are not a multiple of {} columns",
                       pattern, nodes_, grid_.columns));
  if (config_.pattern == TrafficPattern::transpose && grid_.columns != grid_.rows)
    refuse(fmt::format("transpose traffic needs a square of tiles, not {} x {}", grid_.columns, grid_.rows));
  if (config_.pattern == TrafficPattern::clustered && config_.cluster == 0)
    refuse("a cluster has at least one tile");
  if (config_.pattern == TrafficPattern::hotspot) {
    if (config_.hotspots.empty()) refuse("hotspot traffic needs a hotspot");
    for (const NodeId node : config_.hotspots)
      if (node >= nodes_) refuse(fmt::format("hotspot {} is not a node: there are {}", node, nodes_));
  }
}

bool Traffic::sends(NodeId node) const {
  switch (config_.pattern) {
    case TrafficPattern::transpose:
      return transposed(node) != node || config_.to_self;
    case TrafficPattern::bit_complement:
      return nodes_ - 1 - node != node || config_.to_self;
    case TrafficPattern::clustered:
      return nodes_ > 1;
    default:
      return nodes_ > 1 || config_.to_self;
  }
}

std::optional<PacketSource::TimedPacket> Traffic::next() {
  Domain* first = nullptr;
  for (Domain& domain : domains_)
    if (first == nullptr || domain.time() < first->time() ||
        (domain.time() == first->time() && domain.source() < first->source()))
      first = &domain;
  if (first == nullptr) return std::nullopt;
  TimedPacket packet{{.source = first->source(), .destination = 0, .flits = config_.packet_flits, .tag = 0},
                     first->time()};
  packet.packet.destination = destination(packet.packet.source, first->random);
  first->slot += 1 + first->gap.draw(first->random);
  return packet;
}

NodeId Traffic::destination(NodeId source, Random& random) const {
  switch (config_.pattern) {
    case TrafficPattern::clustered:
      return clustered(source, random);
    case TrafficPattern::transpose:
      return transposed(source);
    case TrafficPattern::bit_complement:
      return nodes_ - 1 - source;
    case TrafficPattern::hotspot:
      if (happens(config_.hotspot_share, random)) {
        const NodeId spot = config_.hotspots[random.below(config_.hotspots.size())];
        if (spot != source || config_.to_self) return spot;
      }
      return uniform(source, random);
    default:
      return uniform(source, random);
  }
}

NodeId Traffic::uniform(NodeId source, Random& random) const {
  if (config_.to_self) return static_cast<NodeId>(random.below(nodes_));
  const auto node = static_cast<NodeId>(random.below(nodes_ - 1));
  return node < source ? node : node + 1;
}

NodeId Traffic::clustered(NodeId source, Random& random) const {
  const std::int64_t column = source % grid_.columns / cluster_.columns;
  const std::int64_t row = source / grid_.columns / cluster_.rows;
  const auto cluster = [&](int right, int down) {
    return cluster_at(column + right, row + down, cluster_, grid_);
  };
  const std::array<Rectangle, 5> clusters = {cluster(0, 0), cluster(0, -1), cluster(-1, 0), cluster(1, 0),
                                             cluster(0, 1)};
  const std::uint32_t local = clusters[0].tiles() - 1;
  const std::uint32_t beside = std::accumulate(clusters.begin() + 1, clusters.end(), 0u,
                                               [](auto sum, const Rectangle& c) { return sum + c.tiles(); });
  std::uint32_t pick = 0;  // among the local tiles without the source, then among the neighbouring ones
  if (!config_.local_share || local == 0 || beside == 0)
    pick = static_cast<std::uint32_t>(random.below(local + beside));
  else if (happens(*config_.local_share, random))
    pick = static_cast<std::uint32_t>(random.below(local));
  else
    pick = local + static_cast<std::uint32_t>(random.below(beside));

  if (pick < local) {
    const bool behind = pick >= clusters[0].index(source, grid_.columns);
    return clusters[0].tile(behind ? pick + 1 : pick, grid_.columns);
  }
  pick -= local;
  std::size_t at = 1;
  while (pick >= clusters[at].tiles()) pick -= clusters[at++].tiles();
  return clusters[at].tile(pick, grid_.columns);
}

std::unique_ptr<PacketSource> make_packet_source(const TrafficConfig& config, const Topology& topology,
                                                 std::uint64_t seed) {
  if (config.pattern == TrafficPattern::trace) return std::make_unique<TraceSource>(config.trace, topology);
  return std::make_unique<Traffic>(config, topology, seed);
}

}  // namespace asterism
