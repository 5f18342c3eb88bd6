// What each core did when, as a picture: timeline.svg of a run.
//
//   compute      it executes instructions; what its loads and stores wait for memory and devices is part of that
//   stall        it waits: for an interrupt (WFI), or for an event (WFE, YIELD)
//   checkpoint   it waits while a checkpoint of its node is under way, or a store of its is held up by one
//   recovery     executes or waits, from the failure on (power is back, data or a GPU are lost, ranks roll back) to the
//                `restore` or `recovery` that follows; where none follows it is as without a failure
//   fault        its node has no power or is lost, or the core is locked up
//
// The rest of the time it is off. Above the cores of a node stand what failed and when checkpoints were under way, from
// `checkpoint_begin` until the version is durable or given up (docs/events.md). A checkpoint that cores copy themselves is compute.
//
// Times are kept in at most `max_columns` columns of equal width, which grows with the run: memory does not. Within a
// column the picture shows shares.
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

  // Cores of one node are "core0", those of a cluster "node1.core0"; before time passes.
  std::size_t add_core(const std::string& name, Activity activity);
  // Times never go back.
  void set(std::size_t core, Activity activity, Picoseconds at);
  void record(Picoseconds at, std::string_view source, std::string_view kind,
              std::initializer_list<Detail> details) override;
  using EventLog::record;
  void finish(Picoseconds at);

  // What is kept of a core, once the run is over.
  Picoseconds time_in(std::size_t core, State state) const;
  std::string to_svg(const std::string& title) const;

 private:
  // In the columns of a lane: states, then what recovery would make of running and waiting, decided later.
  enum Share : std::size_t { maybe_compute = states, maybe_stall, shares };
  using Column = std::array<std::uint64_t, shares>;  // picoseconds
  struct Core {
    std::string name;
    std::size_t node;
    Activity activity;
    Picoseconds since = {};  // charged up to here
    std::vector<Column> columns = {};
    std::size_t undecided = 0;  // columns from here on may hold what is to be decided
  };
  struct Mark {
    Picoseconds at;
    std::string kind;
    bool operator==(const Mark&) const = default;
  };
  struct Node {
    std::string name;
    std::uint64_t checkpoints = 0;  // under way
    bool has_power = true, is_lost = false, is_recovering = false;
    Picoseconds since = {};
    std::vector<std::uint64_t> under_way = {};  // picoseconds of each column
    std::vector<Mark> marks = {};
  };
  class Picture;

  std::size_t node_of(std::string_view name);
  void widen_to(Picoseconds at);
  // f(column, picoseconds) for each column of a time.
  template <class F>
  void spread(Picoseconds from, Picoseconds to, F f);
  void charge(Core& core, Picoseconds to);
  void charge(std::size_t node, Picoseconds to);
  std::optional<std::size_t> share_of(const Core& core) const;
  void begin_recovery(std::size_t node, Picoseconds at);
  void end_recovery(std::size_t node, bool recovered);
  void mark(Node& node, Picoseconds at, std::string_view kind);
  void happened(std::size_t node, Picoseconds at, std::string_view kind);

  std::vector<Core> cores_;
  std::vector<Node> nodes_;
  Picoseconds end_, width_ = Picoseconds(1000);  // of a column
};

}  // namespace asterism
