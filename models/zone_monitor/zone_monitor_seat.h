// Who answers in place of a ZoneMonitor, or watches it do so: RTL, or RTL in lockstep with the model. A monitor whose seat is
// empty answers alone.
//
// Called after each operation of the model with its answer; what the answer holds afterwards stands. peek() and what is said of
// the table stay the model's own.
#pragma once

#include <cstdint>

#include "base/reset.h"
#include "zone_monitor/zone_monitor.h"

namespace asterism {

class ZoneMonitorSeat {
 public:
  virtual ~ZoneMonitorSeat() = default;

  virtual void track(bool on) = 0;
  virtual void write(std::uint32_t zone, ZoneMonitor::Check& check) = 0;
  virtual void expose(std::uint32_t zone) = 0;
  virtual void begin(std::uint32_t& sectors) = 0;
  virtual void preserve(std::uint32_t zone) = 0;
  virtual void refresh() = 0;
  virtual void complete() = 0;
  virtual void reset(Reset kind) = 0;
};

}  // namespace asterism
