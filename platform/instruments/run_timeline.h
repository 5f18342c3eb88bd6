// The activity of each core over time, as a picture: timeline.svg of a run. Each core is in one of these
// states:
//
//   compute      it executes instructions; waiting for memory and devices in loads and stores is included
//   stall        it waits for an interrupt (WFI) or for an event (WFE, YIELD)
//   checkpoint   it waits while a checkpoint of its node is in progress, or a checkpoint blocks one of its
//                stores
//   recovery     it executes or waits between a failure (power has returned, data or a GPU are lost, ranks
//                roll back) and the `restore` or `recovery` that follows; if none follows, the time counts as
//                if there were no failure
//   fault        its node has no power or is lost, or the core is locked up
//
// At all other times the core is off. Above the cores of a node the picture shows the failures and the
// checkpoints in progress, from `checkpoint_begin` until the version is durable or given up (docs/events.md).
// A checkpoint that cores copy themselves counts as compute.
//
// Time is divided into at most `max_columns` columns of equal width. The width grows with the run, so memory
// does not. Within a column the picture shows the share of each state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_log.h"
#include "base/units.h"
#include "core/core_module.h"

namespace asterism {

class RunTimeline final : public EventLog {
 public:
  static constexpr std::size_t max_columns = 1024;
  using Activity = CoreModule::Activity;
  enum class State { compute, stall, checkpoint, recovery, fault };
  static constexpr std::size_t states = 5;

  // The core of a single node is named "core0", that of a cluster "node1.core0". Must be called before time
  // advances.
  std::size_t add_core(const std::string& name, Activity activity);
  // Times must not decrease.
  void set(std::size_t core, Activity activity, Picoseconds at);
  void record(Picoseconds at, std::string_view source, std::string_view kind,
              std::initializer_list<Detail> details) override;
  using EventLog::record;
  void finish(Picoseconds at);

  // The results for a core, at the end of the run.
  Picoseconds time_in(std::size_t core, State state) const;
  std::string to_svg(const std::string& title) const;

 private:
  // The shares in a column: the states, then running and waiting that may turn out to be recovery later.
  enum Share : std::size_t { maybe_compute = states, maybe_stall, shares };
  using Column = std::array<std::uint64_t, shares>;  // picoseconds
  struct Core {
    std::string name;
    std::size_t node;
    Activity activity;
    Picoseconds since = {};  // the time before this is counted
    std::vector<Column> columns = {};
    std::size_t undecided = 0;  // columns from here on may hold undecided shares
  };
  struct Mark {
    Picoseconds at;
    std::string kind;
    bool operator==(const Mark&) const = default;
  };
  struct Node {
    std::string name;
    std::uint64_t checkpoints = 0;  // the number of checkpoints in progress
    bool has_power = true, is_lost = false, is_recovering = false;
    Picoseconds since = {};
    std::vector<std::uint64_t> in_progress =
        {};  // time with a checkpoint in progress, in picoseconds for each column
    std::vector<Mark> marks = {};
  };
  class Picture;

  std::size_t node_of(std::string_view name);
  void widen_to(Picoseconds at);
  // Calls f(column, picoseconds) for each column of an interval.
  template <class F>
  void spread(Picoseconds from, Picoseconds to, F f);
  void charge(Core& core, Picoseconds to);
  void charge(std::size_t node, Picoseconds to);
  std::optional<std::size_t> share_of(const Core& core) const;
  void begin_recovery(std::size_t node, Picoseconds at);
  void end_recovery(std::size_t node, bool recovered);
  void mark(Node& node, Picoseconds at, std::string_view kind);
  void event_occurred(std::size_t node, Picoseconds at, std::string_view kind);

  std::vector<Core> cores_;
  std::vector<Node> nodes_;
  Picoseconds end_, width_ = Picoseconds(1000);  // width_ is the width of a column
};

}  // namespace asterism
