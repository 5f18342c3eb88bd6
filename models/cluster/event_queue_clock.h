// What brings a cluster's EventQueue to the time of the simulation around it, for those who call into its engines from outside
// of its events: the NIC of a node, faults. cluster/event_queue_module.h is SystemC's.
#pragma once

#include <functional>

namespace asterism {

class EventQueueClock {
 public:
  virtual ~EventQueueClock() = default;
  // Lets the EventQueue come to now, does the action there, and sees to it that what was scheduled happens in its time. Within
  // an event of the EventQueue, or within another action, it is just done.
  virtual void at_now(const std::function<void()>& action) = 0;
};

}  // namespace asterism
