// What will happen when, in simulated time, between the nodes of a cluster.
//
// Events of one instant happen in the order in which they were scheduled, so that a run is repeatable. An engine schedules
// on it; whoever owns it lets time pass: a SystemC module by an alarm at next() (cluster/event_queue_module.h), a study or a
// test by run().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/units.h"

namespace asterism {

class EventQueue {
 public:
  using Action = std::function<void()>;

  Picoseconds now() const { return now_; }
  // Not before now().
  void at(Picoseconds when, Action action);
  void after(Picoseconds delay, Action action) { at(now_ + delay, std::move(action)); }

  std::optional<Picoseconds> next() const;
  // Does what is due up to `until`, that included, and stands there. What is scheduled meanwhile counts.
  void advance(Picoseconds until);
  // One instant further; false: nothing is left.
  bool step();

  std::uint64_t events() const { return events_; }  // that have happened

 private:
  struct Event {
    Picoseconds at;
    std::uint64_t order;
    Action action;
    bool operator<(const Event& other) const {  // the earliest is on top
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  Picoseconds now_;
  std::uint64_t order_ = 0, events_ = 0;
  std::vector<Event> heap_;
};

}  // namespace asterism
