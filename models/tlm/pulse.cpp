#include "tlm/pulse.h"

#include "tlm/time.h"

namespace asterism {

Pulse::Pulse(const char* name, Picoseconds time, bool level)
    : line(sc_core::sc_gen_unique_name(name)),
      time_(time),
      level_(level),
      alarm_(name, [this](Picoseconds now) { change(now); }) {}

void Pulse::start() {
  if (!alarm_.armed()) alarm_.arm(now());
}

void Pulse::change(Picoseconds now) {
  is_active_ = !is_active_;
  line.write(is_active_ == level_);
  if (is_active_) alarm_.arm(now + time_);
}

}  // namespace asterism
