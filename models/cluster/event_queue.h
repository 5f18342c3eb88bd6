// The event queue of a cluster: the actions of its network, management and nodes, ordered by simulated time.
//
// Events of the same time happen in the order in which they were scheduled, so that a run is repeatable.
// Engines schedule events; the owner of the queue advances its time: a SystemC module with an alarm at next()
// (cluster/event_queue_module.h), a study or a test with step() or advance().
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
  // Schedules an action. Throws std::logic_error if `when` is before now().
  void at(Picoseconds when, Action action);
  void after(Picoseconds delay, Action action) { at(now_ + delay, std::move(action)); }

  std::optional<Picoseconds> next() const;  // the time of the earliest event
  // Executes all events up to and including `until`, also those that are scheduled meanwhile; now() is then
  // `until`.
  void advance(Picoseconds until);
  // Advances to the earliest event and executes all events of that time; false if the queue is empty.
  bool step();

  std::uint64_t events() const { return events_; }  // number of events executed

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
