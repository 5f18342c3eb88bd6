// A Timeline in SystemC: its events happen at their time, as a method process.
//
//   Timeline timeline;
//   Network network(timeline, config, nodes, seed);
//   TimelineModule clock("timeline", timeline);
//   clock.at_now([&] { network.send(frame, SendQueue::application); });    from any process, and before simulation begins
#pragma once

#include <systemc>

#include "cluster/timeline.h"
#include "cluster/timeline_clock.h"
#include "tlm/alarm.h"

namespace asterism {

class TimelineModule : public sc_core::sc_module, public TimelineClock {
 public:
  // The timeline stands at 0, or where SystemC does.
  TimelineModule(const sc_core::sc_module_name& name, Timeline& timeline);
  void at_now(const std::function<void()>& action) override;

 private:
  // What was scheduled before simulation began, by whomever.
  void start_of_simulation() override { alarm_.arm(timeline_.next()); }

  Timeline& timeline_;
  Alarm alarm_;
  bool inside_ = false;
};

}  // namespace asterism
