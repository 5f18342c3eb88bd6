// A policy that power-gates global routers at run time: as many stay powered as the load asks for.
//
// At the end of each window the policy compares the load of the channels to powered global routers (flits
// over what these channels carry at most) with two thresholds. Above `high` it wakes as many routers as bring
// the load back to it, at least one; a router can be used `wake_up` later. If the load of one router fewer
// would still be below `low`, it gates the last of those that are powered. One stays. Packets that are on
// their way to a router that is gated still pass it (FlitNetwork::gate()).
//
// The power of a router that wakes is not counted before it can be used.
//
// Source: abeyratne2017 sections 3.1 and 3.3.2.1: when the load is low a subset of the global routers can be
// power-gated at run time, since one of them connects all nodes. It describes no policy; thresholds, window
// and the time to wake up are this project's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/units.h"
#include "fabric/network/flit_network.h"

namespace asterism {

class Fields;

struct GlobalRouterGatingConfig {
  Picoseconds window = 0_ps;  // 0: no policy
  double low = 0.3, high = 0.4;
  Picoseconds wake_up = 100_ns;
};
void describe(Fields& f, GlobalRouterGatingConfig& config);

class GlobalRouterGating {
 public:
  // Begins with all global routers powered. Throws std::invalid_argument if a policy is asked for and the
  // topology has no global router that others can replace.
  GlobalRouterGating(const GlobalRouterGatingConfig& config, std::shared_ptr<const Topology> topology,
                     FlitNetwork& network);

  // Acts on what is due at `now`, which never decreases: windows end and routers have woken.
  void advance_to(Picoseconds now);
  // When something is due next; nothing ever is without a policy.
  std::optional<Picoseconds> next_event() const;
  // The network's counts have been cleared: a new window begins.
  void cleared(Picoseconds now);

  std::uint32_t powered() const { return powered_; }  // those that are waking included

 private:
  void end_window(Picoseconds now);
  std::uint64_t flits_to_global_routers() const;

  GlobalRouterGatingConfig config_;
  std::shared_ptr<const Topology> topology_;
  FlitNetwork& network_;
  std::vector<RouterId> routers_;  // the global ones
  double capacity_ = 0;            // flits to one of them in a picosecond
  std::uint32_t powered_, usable_;
  std::vector<Picoseconds> wakes_;  // of the routers from usable_ to powered_
  Picoseconds begin_, next_;        // of the window, and its end
  std::uint64_t counted_ = 0;
};

}  // namespace asterism
