// An event queue in SystemC: a method process executes its events at their time.
//
//   EventQueue event_queue;
//   Network network(event_queue, config, nodes, seed);
//   EventQueueModule clock("event_queue", event_queue);
//   clock.at_now([&] { network.send(frame, SendQueue::application); });
//
// at_now() may be called from any process, and before simulation begins.
#pragma once

#include <systemc>

#include "cluster/event_queue.h"
#include "cluster/event_queue_clock.h"
#include "tlm/alarm.h"

namespace asterism {

class EventQueueModule : public sc_core::sc_module, public EventQueueClock {
 public:
  // The event queue's time must be 0, or that of SystemC.
  EventQueueModule(const sc_core::sc_module_name& name, EventQueue& event_queue);
  void at_now(const std::function<void()>& action) override;

 private:
  // Events may have been scheduled before the simulation began.
  void start_of_simulation() override { alarm_.arm(event_queue_.next()); }

  EventQueue& event_queue_;
  Alarm alarm_;
  bool inside_ = false;
};

}  // namespace asterism
