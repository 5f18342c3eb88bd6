#include "cluster/cost_meter.h"

#include <algorithm>
#include <utility>

namespace asterism {

namespace {

constexpr std::uint64_t mean(std::uint64_t sum, std::uint64_t count) { return count == 0 ? 0 : sum / count; }

}  // namespace

void CostMeter::Node::reset() {
  step_begun = stalled_since = dump_begun = dumped_at = std::nullopt;
  draining_since.clear();
}

// The additional time of the steps during which a copy was being sent.
Picoseconds CostMeter::Node::overhead() const {
  if (plain.count == 0) return {};
  const Picoseconds usual(scale(plain.time.count(), overlapped.count, plain.count));
  return overlapped.time - std::min(usual, overlapped.time);
}

void CostMeter::mark(NodeNumber number, Rank rank, RankMark mark, std::uint64_t version) {
  if (rank == no_rank) return;
  Node& node = nodes_.at(number);
  const Picoseconds now = event_queue_.now();
  const auto add_since = [now](Picoseconds& sum, std::optional<Picoseconds>& since) {
    const auto begun = std::exchange(since, std::nullopt);
    if (begun) sum += now - *begun;
    return begun.has_value();
  };
  switch (mark) {
    case RankMark::restored:
      return restored(node, rank, version);
    case RankMark::step_begun:
      add_since(times_.stalled, node.stalled_since);
      node.step_begun = now;
      node.is_overlapped = node.dumped_at.has_value();
      return;
    case RankMark::step_ended:
      return step_ended(node);
    case RankMark::stalled:
      node.stalled_since = now;
      return;
    case RankMark::dump_begun:
      node.dump_begun = now;
      return;
    case RankMark::dumped:
      times_.dumps += add_since(times_.dump, node.dump_begun) ? 1 : 0;
      node.dumped_at = now;
      return;
    case RankMark::held_twice:
      times_.stored += add_since(times_.overlap, node.dumped_at) ? 1 : 0;
      return;
    case RankMark::committed:
      ++times_.commits;
      return;
    case RankMark::drain_begun:
      node.draining_since[version] = now;
      return;
    case RankMark::drained:
      if (const auto drain = node.draining_since.extract(version)) {
        ++times_.drained;
        times_.drain += now - drain.mapped();
      }
      return;
  }
}

void CostMeter::restored(Node& node, Rank rank, std::uint64_t version) {
  node.reset();
  node.step = version;
  const auto lost_at = std::exchange(lost_at_.at(rank), std::nullopt);
  if (!lost_at || version == 0) return;
  ++times_.restarts;
  times_.restart += event_queue_.now() - *lost_at;
}

void CostMeter::step_ended(Node& node) {
  ++node.step;
  ++node.steps;
  const auto begun = std::exchange(node.step_begun, std::nullopt);
  if (!begun) return;
  Steps& steps = node.is_overlapped || node.dumped_at ? node.overlapped : node.plain;
  ++steps.count;
  steps.time += event_queue_.now() - *begun;
}

void CostMeter::lost(Rank rank) {
  if (!lost_at_.at(rank)) lost_at_[rank] = event_queue_.now();
}

std::uint64_t CostMeter::steps() const {
  std::uint64_t sum = 0;
  for (const Node& node : nodes_) sum += node.steps;
  return sum;
}

void CostMeter::report(Statistics& statistics) const {
  statistics.add("dumps", times_.dumps);
  statistics.add("commits", times_.commits);
  statistics.add("stalled", times_.stalled);
}

CheckpointCosts CostMeter::costs(Bytes state) const {
  Picoseconds overhead;
  for (const Node& node : nodes_) overhead += node.overhead();
  CheckpointCosts costs{.dump = Picoseconds(mean(times_.dump.count(), times_.dumps)),
                        .overlap = Picoseconds(mean(times_.overlap.count(), times_.stored)),
                        .overhead = Picoseconds(mean(overhead.count(), times_.stored)),
                        .restart = Picoseconds(mean(times_.restart.count(), times_.restarts)),
                        .stalled = Picoseconds(mean(times_.stalled.count(), times_.dumps))};
  if (times_.drain != Picoseconds())
    costs.drain_bytes_per_second =
        scale(state.count() * times_.drained, 1'000'000'000'000, times_.drain.count());
  return costs;
}

void CostMeter::report_costs(Bytes state, Statistics& statistics) const {
  const CheckpointCosts means = costs(state);
  statistics.add("state", state);
  statistics.add("dump", means.dump);
  statistics.add("overlap", means.overlap);
  statistics.add("overhead", means.overhead);
  statistics.add("drain_bytes_per_second", means.drain_bytes_per_second);
  statistics.add("restart", means.restart);
}

}  // namespace asterism
