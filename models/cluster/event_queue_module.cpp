#include "cluster/event_queue_module.h"

#include "tlm/time.h"

namespace asterism {

EventQueueModule::EventQueueModule(const sc_core::sc_module_name& name, EventQueue& event_queue)
    : sc_module(name), event_queue_(event_queue), alarm_("alarm", [this](Picoseconds) { at_now([] {}); }) {}

void EventQueueModule::at_now(const std::function<void()>& action) {
  if (inside_) return action();
  inside_ = true;
  event_queue_.advance(now());
  action();
  inside_ = false;
  alarm_.arm(event_queue_.next());
}

}  // namespace asterism
