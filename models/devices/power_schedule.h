// The schedule of power losses and restorations of a node, to the picosecond: a list of losses that is given
// at the start, and losses that are added while the node runs. An engine (base/engine.h) in plain C++.
//
// Losses take place in order of time. One that falls into a period without power is ignored, and reported to
// the sink. If a restoration and a loss fall on the same instant, the restoration comes first.
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

  explicit PowerSchedule(std::vector<PowerLoss> losses);  // in any order

  bool on() const { return !restore_at_; }
  // Adds a loss. If its time has already passed, it takes place at the next call of advance_to().
  void add(PowerLoss loss);

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  // The schedule belongs to the environment of the node: a cold reset restores the initial list and switches
  // the power on; warm and power_loss change nothing.
  void reset(Reset kind);

 private:
  // Sorted by time; losses at the same time stay in the order in which they were added.
  std::vector<PowerLoss> given_, losses_;
  std::size_t next_ = 0;  // index into losses_
  std::optional<Picoseconds> restore_at_;
};

}  // namespace asterism
