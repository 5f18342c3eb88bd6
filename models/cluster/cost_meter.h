// Measures what checkpoints cost the ranks of a cluster, from the marks of all nodes (rank_mark.h), both
// traffic nodes and those with firmware. A mark out of order, such as the end of something that has not
// begun, is counted but not timed.
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

// Means over the checkpoints of all ranks; 0 if nothing was measured. README.md defines the figures.
struct CheckpointCosts {
  Picoseconds dump, overlap, overhead, restart;  // README.md defines them
  Picoseconds stalled;                           // for the dump, and for what it had to wait for
  std::uint64_t drain_bytes_per_second = 0;
};

class CostMeter {
 public:
  CostMeter(const EventQueue& event_queue, NodeNumber nodes, Rank ranks)
      : event_queue_(event_queue), nodes_(nodes), lost_at_(ranks) {}

  // Takes a mark of the node that holds this rank. The marks of spares are ignored.
  void mark(NodeNumber node, Rank rank, RankMark mark, std::uint64_t number);
  // The rank's node is lost now; the rank's restart lasts from now until it is restored.
  void lost(Rank rank);

  std::uint64_t step(NodeNumber node) const { return nodes_.at(node).step; }  // that its state is after
  // Adds the dumps and commits of all nodes and the time that their programs stalled for checkpoints.
  void report(Statistics& statistics) const;
  std::uint64_t steps() const;  // steps computed, including those computed again after a rollback
  CheckpointCosts costs(Bytes state) const;
  void report_costs(Bytes state, Statistics& statistics) const;

 private:
  struct Steps {
    std::uint64_t count = 0;
    Picoseconds time;
  };
  struct Times {  // sums over all nodes
    std::uint64_t dumps = 0, commits = 0, stored = 0, drained = 0, restarts = 0;
    Picoseconds dump, overlap, stalled, drain, restart;
  };
  struct Node {
    std::uint64_t step = 0;
    std::optional<Picoseconds> step_begun, stalled_since, dump_begun, dumped_at;
    bool is_overlapped = false;  // the step began while a copy was being sent to the buddy
    std::map<std::uint64_t, Picoseconds> draining_since;
    Steps overlapped, plain;  // steps beside a transfer to the buddy, and other steps; without stall time
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
