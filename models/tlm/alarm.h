// One pending wake-up of an engine in simulated time.
//
// A module owns an Alarm for its engine and calls arm(engine.next_event()) after each call that can change
// it. The alarm rings once, at that time, on the SystemC scheduler; arming again moves it, arming with
// nullopt cancels it. An idle engine therefore costs nothing.
#pragma once

#include <functional>
#include <optional>
#include <systemc>

#include "base/units.h"

namespace asterism {

class Alarm {
 public:
  // Construct it during elaboration. `ring` runs as a method process and may arm the alarm again.
  Alarm(const char* name, std::function<void(Picoseconds now)> ring);

  // A time that has already passed rings in the next delta cycle.
  void arm(std::optional<Picoseconds> at);
  std::optional<Picoseconds> armed() const { return at_; }

 private:
  std::function<void(Picoseconds)> ring_;
  std::optional<Picoseconds> at_;
  sc_core::sc_event event_;
};

}  // namespace asterism
