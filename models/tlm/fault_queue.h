// The faults of one kind that a device has before it, each of which occurs at its time.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/timed.h"
#include "base/units.h"
#include "tlm/alarm.h"

namespace asterism {

template <class Fault>
class FaultQueue {
 public:
  // Construct it during elaboration. `occur` runs as a method process; of faults of the same time it gets
  // those first that were added first.
  FaultQueue(const char* name, std::function<void(Picoseconds now, const Fault&)> occur)
      : occur_(std::move(occur)), alarm_(name, [this](Picoseconds now) {
          for (; !faults_.empty() && faults_.front().at <= now; faults_.pop_front())
            occur_(now, faults_.front().fault);
          arm();
        }) {}
  FaultQueue(const FaultQueue&) = delete;

  void add(const std::vector<Timed<Fault>>& faults) {
    faults_.insert(faults_.end(), faults.begin(), faults.end());
    std::ranges::stable_sort(faults_, {}, &Timed<Fault>::at);
    arm();
  }

 private:
  void arm() { alarm_.arm(faults_.empty() ? std::nullopt : std::optional(faults_.front().at)); }

  const std::function<void(Picoseconds, const Fault&)> occur_;
  std::deque<Timed<Fault>> faults_;  // sorted by time
  Alarm alarm_;
};

}  // namespace asterism
