#include "cluster/traffic_cluster.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace asterism {

namespace {

const ClusterConfig& checked(const ClusterConfig& config) {
  if (config.nodes == 0) throw std::invalid_argument("a cluster has nodes: at least 2");
  if (const auto problem = problem_of(config))
    throw std::invalid_argument("expected for cluster." + std::string(problem->key) + " a value that " +
                                std::string(problem->rule));
  return config;
}

// Of all nodes that make traffic.
struct Sums {
  BuddyProtocol::Counts protocol;
  TrafficNode::Counts program;
  Picoseconds overhead;
  std::uint64_t standing_steps = 0;  // of the ranks as they are now

  void add(const TrafficNode& node) {
    const BuddyProtocol::Counts& p = node.protocol().counts();
    protocol.dumps += p.dumps;
    protocol.commits += p.commits;
    protocol.stored += p.stored;
    protocol.drained += p.drained;
    protocol.dump += p.dump;
    protocol.overlap += p.overlap;
    protocol.stood += p.stood;
    protocol.drain += p.drain;
    program.steps += node.counts().steps;
    program.stale_frames += node.counts().stale_frames;
    overhead += node.overhead();
    if (node.has_rank()) standing_steps += node.step();
  }
};

constexpr std::uint64_t mean(std::uint64_t sum, std::uint64_t count) { return count == 0 ? 0 : sum / count; }

}  // namespace

TrafficCluster::TrafficCluster(const ClusterConfig& config, std::uint64_t seed, EventLog& events,
                               BuddyPlant plant)
    : config_(checked(config)),
      events_(events),
      network_(timeline_, config_.network, config_.node_count(), seed),
      management_(timeline_, network_, config_.nodes, config_.detection, events_),
      nodes_(config_.node_count()),
      is_dead_(config_.node_count()),
      lost_at_(config_.nodes) {
  for (NodeNumber number = 0; number < config_.storage_node(); ++number) {
    if (config_.is_firmware(number)) continue;
    auto node = std::make_unique<TrafficNode>(
        config_, seed, number, TrafficNode::Surroundings{timeline_, network_, management_, events_}, plant);
    node->on_restored([this](Rank rank, std::uint64_t version) {
      const auto lost_at = std::exchange(lost_at_[rank], std::nullopt);
      if (!lost_at || version == 0) return;
      ++restarts_;
      restart_ += timeline_.now() - *lost_at;
    });
    network_.attach(number, *node);
    management_.attach(number, *node);
    nodes_[number] = std::move(node);
  }
  if (!config_.has_storage()) return;
  storage_ = std::make_unique<StorageNode>(config_, timeline_, network_, events_);
  network_.set_bandwidth(config_.storage_node(), config_.storage.bandwidth);
  network_.attach(config_.storage_node(), *storage_);
  management_.attach(config_.storage_node(), *storage_);
}

void TrafficCluster::attach(NodeNumber node, NetworkPort& port, Management::Member& member) {
  if (node >= config_.node_count() || !config_.is_firmware(node))
    throw std::invalid_argument("node " + std::to_string(node) + " is none with firmware");
  network_.attach(node, port);
  management_.attach(node, member);
}

void TrafficCluster::begin() { management_.begin(); }

std::optional<Management::Outcome> TrafficCluster::run(Picoseconds until) {
  while (!management_.outcome() && timeline_.next() && *timeline_.next() <= until) timeline_.step();
  return management_.outcome();
}

void TrafficCluster::check_node(NodeNumber node) const {
  if (node >= config_.storage_node())
    throw std::invalid_argument("expected a node from 0 to " + std::to_string(config_.storage_node() - 1) +
                                " to lose, got " + std::to_string(node));
}

void TrafficCluster::inject(const NodeLoss& loss) {
  check_node(loss.node);
  timeline_.at(loss.at, [this, loss] {
    if (!lose(loss.node, loss.loss, loss.restore_after)) ++idle_losses_;
  });
}

bool TrafficCluster::lose(NodeNumber node, Loss loss, Picoseconds restore_after) {
  check_node(node);
  if (management_.outcome() || is_dead_[node]) return false;
  if (!network_.link_is_up(node) && loss != Loss::node) return false;
  is_dead_[node] = loss == Loss::node;
  const Rank rank = management_.membership().rank_of(node);
  const bool is_whole = loss == Loss::node || loss == Loss::link;
  if (is_whole && rank != no_rank && !lost_at_[rank]) lost_at_[rank] = timeline_.now();
  management_.lost(node, loss);
  if (nodes_[node])
    nodes_[node]->lose(loss);
  else if (on_loss_)
    on_loss_(node, loss);
  if (loss == Loss::link && restore_after != Picoseconds())
    timeline_.after(restore_after, [this, node] { management_.returned(node); });
  return true;
}

void TrafficCluster::report(Statistics& statistics) const {
  Sums all;
  for (const auto& node : nodes_)
    if (node) all.add(*node);
  statistics.add("ranks", std::uint64_t{config_.nodes});
  statistics.add("outcome", !management_.outcome()            ? "none"
                            : management_.outcome()->finished ? "finished"
                                                              : "not_recoverable");
  if (management_.outcome() && management_.outcome()->finished)
    statistics.add("result", management_.outcome()->result);
  statistics.add("epochs", std::uint64_t{management_.membership().epoch});
  statistics.add("losses", management_.losses());
  statistics.add("idle_losses", idle_losses_);
  statistics.add("steps", all.program.steps);
  statistics.add("lost_steps", all.program.steps - std::min(all.program.steps, all.standing_steps));
  statistics.add("dumps", all.protocol.dumps);
  statistics.add("commits", all.protocol.commits);
  statistics.add("global_commits", storage_ ? storage_->global_commits() : 0);
  statistics.add("stood_still", all.protocol.stood);
  statistics.add("stale_frames", all.program.stale_frames);
  network_.report(statistics.group("network"));
  report_costs(statistics.group("checkpoint_costs"));
}

void TrafficCluster::report_costs(Statistics& statistics) const {
  Sums all;
  for (const auto& node : nodes_)
    if (node) all.add(*node);
  const BuddyProtocol::Counts& p = all.protocol;
  statistics.add("state", config_.program.state());
  statistics.add("dump", Picoseconds(mean(p.dump.count(), p.dumps)));
  statistics.add("overlap", Picoseconds(mean(p.overlap.count(), p.stored)));
  statistics.add("overhead", Picoseconds(mean(all.overhead.count(), p.stored)));
  statistics.add("drain_bytes_per_second", p.drain == Picoseconds()
                                               ? 0
                                               : scale(config_.program.state().count() * p.drained,
                                                       1'000'000'000'000, p.drain.count()));
  statistics.add("restart", Picoseconds(mean(restart_.count(), restarts_)));
}

}  // namespace asterism
