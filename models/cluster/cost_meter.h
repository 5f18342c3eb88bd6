// What checkpoints cost the ranks of a cluster, measured by the marks of all their nodes (rank_mark.h), those with firmware and
// those that make traffic. A mark that makes no sense, as the end of what has not begun, counts but measures nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/statistics.h"
#include "base/units.h"
#include "cluster/event_queue.h"
#include "cluster/membership.h"
#include "cluster/rank_mark.h"

namespace asterism {

// Means over the checkpoints of all ranks; 0 where nothing was measured.
struct CheckpointCosts {
  Picoseconds dump, overlap, overhead, restart;  // what is what stands in README.md
  Picoseconds stalled;                           // for the dump, and for what it had to wait for
  std::uint64_t drain_bytes_per_second = 0;
};

class CostMeter {
 public:
  CostMeter(const EventQueue& event_queue, NodeNumber nodes, Rank ranks)
      : event_queue_(event_queue), nodes_(nodes), lost_at_(ranks) {}

  // A node that holds this rank; of a spare nothing is measured.
  void mark(NodeNumber node, Rank rank, RankMark mark, std::uint64_t number);
  // Its node, now; its restart lasts until the rank is restored.
  void lost(Rank rank);

  std::uint64_t step(NodeNumber node) const { return nodes_.at(node).step; }  // that its state is after
  // steps, dumps, commits and stalled of all nodes.
  void report(Statistics& statistics) const;
  std::uint64_t steps() const;  // computed, again ones too
  CheckpointCosts costs(Bytes state) const;
  void report_costs(Bytes state, Statistics& statistics) const;

 private:
  struct Steps {
    std::uint64_t count = 0;
    Picoseconds time;
  };
  struct Times {  // of all nodes
    std::uint64_t dumps = 0, commits = 0, stored = 0, drained = 0, restarts = 0;
    Picoseconds dump, overlap, stalled, drain, restart;
  };
  struct Node {
    std::uint64_t step = 0;
    std::optional<Picoseconds> step_begun, stalled_since, dump_begun, dumped_at;
    bool is_overlapped = false;  // the step
    std::map<std::uint64_t, Picoseconds> draining_since;
    Steps overlapped, plain;  // beside a copy's way to the buddy, and others; without standing still
    std::uint64_t steps = 0;

    void reset();
    Picoseconds overhead() const;
  };

  void restored(Node& node, Rank rank, std::uint64_t version);
  void step_ended(Node& node);

  const EventQueue& event_queue_;
  std::vector<Node> nodes_;
  std::vector<std::optional<Picoseconds>> lost_at_;  // by rank, until it is restored
  Times times_;
};

}  // namespace asterism
