// A device that connects its node to a network. A node or a cluster finds it by this role, as those of
// tlm/device_roles.h, and attaches it; the device then sends and receives for the node of the given number.
#pragma once

#include <functional>
#include <optional>

#include "base/reset.h"
#include "cluster/event_queue_clock.h"
#include "cluster/membership.h"
#include "cluster/network.h"

namespace asterism {

class NetworkInterface {
 public:
  // All referenced objects must outlive the simulation.
  struct Place {
    EventQueueClock& clock;  // the clock of the network's event queue
    Network& network;
    NodeNumber node = 0;
    Management* management = nullptr;        // nullptr if there are no ranks
    std::optional<NodeNumber> storage = {};  // the global store, if there is one
  };

  virtual ~NetworkInterface() = default;
  // Before the simulation begins. If it is called again, the last call counts.
  virtual void attach(const Place& place) = 0;
  // Called at each reset of the node, when the event queue has the current time.
  std::function<void(Reset)> on_reset = [](Reset) {};
};

}  // namespace asterism
