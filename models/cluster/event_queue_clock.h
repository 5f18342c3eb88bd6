// Brings a cluster's event queue to the time of the surrounding simulation. It is for code that calls the
// cluster's engines from outside the queue's events: the NIC of a node, injected faults.
// cluster/event_queue_module.h implements it in SystemC.
#pragma once

#include <functional>

namespace asterism {

class EventQueueClock {
 public:
  virtual ~EventQueueClock() = default;
  // Advances the event queue to the current time, executes the action, and makes sure that the events it
  // schedules happen at their time. Within an event of the queue, or within another such action, the action
  // is only executed.
  virtual void at_now(const std::function<void()>& action) = 0;
};

}  // namespace asterism
