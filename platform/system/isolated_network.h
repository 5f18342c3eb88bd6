// The network of a NIC that belongs to no cluster: no other node is on it.
#pragma once

#include "cluster/event_queue_module.h"
#include "cluster/network.h"

namespace asterism {

struct IsolatedNetwork {
  EventQueue event_queue;
  Network network{event_queue, {}, 1, 0};
  EventQueueModule clock{"network", event_queue};
};

}  // namespace asterism
