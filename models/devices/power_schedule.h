// When the node's power goes and comes back, to the picosecond: a list of cuts given beforehand, and cuts
// asked for while it runs. An engine (base/engine.h) in plain C++.
//
// Cuts are made in order of time. One that falls while the power is off is ignored (the sink hears of it);
// where a return and a cut fall on one instant, the return comes first.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/engine.h"
#include "base/reset.h"
#include "base/units.h"

namespace asterism {

struct PowerLoss {
  Picoseconds at;
  Picoseconds restore_after;  // the power is off for this long
};

class PowerSchedule {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void lost(Picoseconds at, Picoseconds restore_after) = 0;
    virtual void restored(Picoseconds at) = 0;
    virtual void ignored(Picoseconds at) = 0;
  };

  explicit PowerSchedule(std::vector<PowerLoss> cuts);  // in any order

  bool on() const { return !restore_at_; }
  // One more cut. A time that has passed is due at the next advance.
  void add(PowerLoss cut);

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  // The world outside the node: cold starts it again from the list as it was, with power on; warm and
  // power_loss change nothing.
  void reset(Reset kind);

 private:
  std::vector<PowerLoss> given_, cuts_;  // sorted by time, those asked for at one time in their order
  std::size_t next_ = 0;                 // in cuts_
  std::optional<Picoseconds> restore_at_;
};

}  // namespace asterism
