#include "cluster/timeline_module.h"

#include "tlm/time.h"

namespace asterism {

TimelineModule::TimelineModule(const sc_core::sc_module_name& name, Timeline& timeline)
    : sc_module(name), timeline_(timeline), alarm_("alarm", [this](Picoseconds) { at_now([] {}); }) {}

void TimelineModule::at_now(const std::function<void()>& action) {
  if (inside_) return action();
  inside_ = true;
  timeline_.advance(now());
  action();
  inside_ = false;
  alarm_.arm(timeline_.next());
}

}  // namespace asterism
