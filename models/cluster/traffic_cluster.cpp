#include "cluster/traffic_cluster.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace asterism {

namespace {

const ClusterConfig& checked(const ClusterConfig& config) {
  if (config.nodes == 0) throw std::invalid_argument("expected a cluster of at least 2 nodes, got none");
  if (const auto problem = find_problem(config))
    throw std::invalid_argument("expected for cluster." + std::string(problem->key) + " a value that " +
                                std::string(problem->rule));
  return config;
}

// As text, since not every JSON reader keeps 64 bits of a number.
std::string hexadecimal(std::uint64_t word) {
  std::ostringstream text;
  text << "0x" << std::hex << std::setw(16) << std::setfill('0') << word;
  return text.str();
}

}  // namespace

TrafficCluster::TrafficCluster(const ClusterConfig& config, std::uint64_t seed, EventLog& events,
                               BuddyMutant mutant)
    : config_(checked(config)),
      events_(events),
      network_(event_queue_, config_.network, config_.node_count(), seed),
      management_(event_queue_, network_, config_.nodes, config_.detection, events_),
      announcements_(event_queue_, management_, events_),
      meter_(event_queue_, config_.node_count(), config_.nodes),
      nodes_(config_.node_count()),
      is_dead_(config_.node_count()) {
  if (ActivityLog* const activity = events.activity_log()) network_.record_in(*activity);
  if (!config_.is_ring()) management_.keep_results();
  if (config_.is_independent()) management_.keep_ranks();
  if (config_.is_ring()) network_.on_send = [this](const Frame& frame) { announcements_.observe(frame); };
  management_.on_mark = [this](NodeNumber node, Rank rank, RankMark mark, std::uint64_t number) {
    meter_.mark(node, rank, mark, number);
    if (config_.is_ring()) announcements_.mark(node, rank, mark, number);
  };
  for (NodeNumber number = 0; number < config_.storage_node(); ++number) {
    if (config_.is_firmware(number)) continue;
    auto node = std::make_unique<TrafficNode>(
        config_, seed, number, TrafficNode::Environment{event_queue_, network_, management_}, mutant);
    network_.attach(number, *node);
    management_.attach(number, *node);
    nodes_[number] = std::move(node);
  }
  if (!config_.has_storage()) return;
  storage_ = std::make_unique<StorageNode>(config_, event_queue_, network_, events_);
  network_.set_bandwidth(config_.storage_node(), config_.storage.bandwidth);
  network_.remove_host_thread(config_.storage_node());
  network_.attach(config_.storage_node(), *storage_);
  management_.attach(config_.storage_node(), *storage_);
}

void TrafficCluster::attach(NodeNumber node, NetworkPort& port, Management::Member& member) {
  if (node >= config_.node_count() || !config_.is_firmware(node))
    throw std::invalid_argument("node " + std::to_string(node) + " is not a node with firmware");
  network_.attach(node, port);
  management_.attach(node, member);
}

void TrafficCluster::begin() { management_.begin(); }

std::optional<Management::Outcome> TrafficCluster::run(Picoseconds until) {
  while (!management_.outcome() && event_queue_.next() && *event_queue_.next() <= until) event_queue_.step();
  return management_.outcome();
}

void TrafficCluster::check_node(NodeNumber node) const {
  if (node >= config_.storage_node())
    throw std::invalid_argument("expected a node from 0 to " + std::to_string(config_.storage_node() - 1) +
                                " to lose, got " + std::to_string(node));
}

void TrafficCluster::inject(const NodeLoss& loss) {
  check_node(loss.node);
  event_queue_.at(loss.at, [this, loss] {
    if (!lose(loss.node, loss.loss, loss.restore_after)) ++ineffective_faults_;
  });
}

bool TrafficCluster::lose(NodeNumber node, Loss loss, Picoseconds restore_after, std::string why) {
  check_node(node);
  if (management_.outcome() || is_dead_[node]) return false;
  if (!network_.link_is_up(node) && loss != Loss::node) return false;
  is_dead_[node] = loss == Loss::node;
  const Rank rank = management_.membership().rank_of(node);
  const bool is_whole = loss == Loss::node || loss == Loss::link;
  if (is_whole && rank != no_rank) meter_.lost(rank);
  management_.lost(node, loss, std::move(why));
  if (nodes_[node])
    nodes_[node]->lose(loss);
  else if (on_loss_)
    on_loss_(node, loss);
  if (loss == Loss::node && config_.is_independent()) management_.finished(node, 0);  // it ends so
  if (loss == Loss::link && restore_after != Picoseconds())
    event_queue_.after(restore_after, [this, node] { management_.returned(node); });
  return true;
}

void TrafficCluster::report(Statistics& statistics) const {
  std::uint64_t stale_frames = 0, retained = 0;
  for (const auto& node : nodes_)
    if (node) stale_frames += node->counts().stale_frames;
  for (const NodeNumber node : management_.membership().node_of_rank)
    if (node < is_dead_.size() && !is_dead_[node]) retained += meter_.step(node);
  statistics.add("ranks", std::uint64_t{config_.nodes});
  statistics.add("outcome", !management_.outcome()            ? "none"
                            : management_.outcome()->finished ? "finished"
                                                              : "not_recoverable");
  if (management_.outcome() && management_.outcome()->finished && !config_.is_independent())
    statistics.add("result", hexadecimal(management_.outcome()->result));
  statistics.add("epochs", std::uint64_t{management_.membership().epoch});
  statistics.add("losses", management_.losses());
  statistics.add("ineffective_faults", ineffective_faults_);
  statistics.add("steps", meter_.steps());
  statistics.add("lost_steps", meter_.steps() - std::min(meter_.steps(), retained));
  statistics.add("global_commits", storage_ ? storage_->global_commits() : 0);
  meter_.report(statistics);
  statistics.add("stale_frames", stale_frames);
  network_.report(statistics.group("network"));
}

}  // namespace asterism
