#include "cluster/membership.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cluster/ring_program.h"

namespace asterism {

Rank Membership::rank_of(NodeNumber node) const {
  const auto found = std::ranges::find(node_of_rank, node);
  return found == node_of_rank.end() ? no_rank : static_cast<Rank>(found - node_of_rank.begin());
}

Management::Management(EventQueue& event_queue, Network& network, Rank ranks, Picoseconds detection,
                       EventLog& events)
    : event_queue_(event_queue),
      network_(network),
      detection_(detection),
      events_(events),
      nodes_(network.count()) {
  if (ranks == 0 || ranks > network.count()) throw std::invalid_argument("more ranks than nodes, or none");
  for (Rank rank = 0; rank < ranks; ++rank) membership_.node_of_rank.push_back(rank);
  results_.resize(ranks);
}

void Management::begin() { begin_epoch(); }

void Management::lost(NodeNumber node, Loss loss, std::string why) {
  if (outcome_) return;
  ++losses_;
  events_.record(event_queue_.now(), "management", "node_loss",
                 {{"node", std::uint64_t{node}}, {"lost", std::string(to_text(loss))}});
  const bool whole = loss == Loss::node || loss == Loss::link;
  if (whole) network_.set_link(node, false);
  if (loss == Loss::node) nodes_.at(node).returns = false;
  if (loss == Loss::node) nodes_.at(node).why = std::move(why);
  if (loss == Loss::link) nodes_.at(node).returns = true;
  if (ranks_are_final_) return;
  event_queue_.after(detection_, [this, node, whole] {
    if (outcome_) return;
    if (whole)
      detect(node);
    else if (membership_.rank_of(node) != no_rank)
      begin_epoch();
  });
}

void Management::restarted(NodeNumber node) {
  if (outcome_ || ranks_are_final_) return;
  event_queue_.after(detection_, [this, node] {
    if (!outcome_ && membership_.rank_of(node) != no_rank) begin_epoch();
  });
}

void Management::returned(NodeNumber node) {
  Node& known = nodes_.at(node);
  if (!known.returns) return;
  network_.set_link(node, true);
  known.reachable = true;
}

// Moves the rank of a lost node to a spare, or back to the node itself if its link is up again and no spare
// is left.
void Management::detect(NodeNumber node) {
  nodes_[node].reachable = network_.link_is_up(node);
  const Rank rank = membership_.rank_of(node);
  if (rank == no_rank) return;
  std::optional<NodeNumber> spare = spare_for(node);
  if (!spare && nodes_[node].reachable) spare = node;
  if (!spare && results_are_final_ && results_[rank]) {
    membership_.node_of_rank[rank] = no_node;
    events_.record(event_queue_.now(), "management", "rank_vacant",
                   {{"rank", std::uint64_t{rank}}, {"from_node", std::uint64_t{node}}});
    return begin_epoch();
  }
  if (!spare) {
    const bool is_firmware = kind_of(node) == Member::Kind::firmware;
    const std::string& why = nodes_[node].why;
    return end(false, (is_firmware ? "no spare with firmware is left for rank "
                                   : "no traffic spare is left for rank ") +
                          std::to_string(rank) + (why.empty() ? "" : ": " + why));
  }
  membership_.node_of_rank[rank] = *spare;
  if (*spare >= membership_.ranks()) nodes_[*spare].was_promoted = true;
  events_.record(event_queue_.now(), "management", "rank_moved",
                 {{"rank", std::uint64_t{rank}},
                  {"from_node", std::uint64_t{node}},
                  {"to_node", std::uint64_t{*spare}}});
  begin_epoch();
}

void Management::begin_epoch() {
  ++membership_.epoch;
  if (!results_are_final_) results_.assign(membership_.ranks(), std::nullopt);
  for (const Node& node : nodes_)
    if (node.member) node.member->membership(membership_);
}

Management::Member::Kind Management::kind_of(NodeNumber node) const {
  return nodes_[node].member ? nodes_[node].member->kind() : Member::Kind::traffic;
}

std::optional<NodeNumber> Management::spare_for(NodeNumber node) const {
  for (NodeNumber n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].member && nodes_[n].reachable && kind_of(n) == kind_of(node) &&
        membership_.rank_of(n) == no_rank)
      return n;
  return std::nullopt;
}

std::uint32_t Management::spares_used() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(nodes_, &Node::was_promoted));
}

void Management::finished(NodeNumber node, std::uint64_t result) {
  const Rank rank = membership_.rank_of(node);
  if (outcome_ || rank == no_rank) return;
  results_[rank] = result;
  if (std::ranges::all_of(results_, [](const auto& r) { return r.has_value(); })) end(true, "");
}

void Management::not_recoverable(NodeNumber node, std::string reason) {
  if (!outcome_ && membership_.rank_of(node) != no_rank) end(false, std::move(reason));
}

void Management::end(bool finished, std::string reason) {
  Outcome outcome{.finished = finished, .reason = std::move(reason), .at = event_queue_.now()};
  if (finished) {
    std::vector<std::uint64_t> results;
    for (const auto& result : results_) results.push_back(*result);
    outcome.result = RingProgram::fold(results);
  } else {
    events_.record(event_queue_.now(), "management", "not_recoverable", {{"reason", outcome.reason}});
  }
  outcome_ = std::move(outcome);
  for (const Node& node : nodes_)
    if (node.member) node.member->run_ended();
  on_end();
}

}  // namespace asterism
