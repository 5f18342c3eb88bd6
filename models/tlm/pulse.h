// A line that is raised for a time: a reset, or an interrupt of a module that announces it by a call or an
// event. Firmware has to configure the interrupt controller for an edge.
//
//   struct AcmeEvents : acme::Listener {
//     Pulse pulse{"pulse"};
//     void happened() override { pulse.start(); }
//   };
//   interrupt(events.pulse.line);
#pragma once

#include <systemc>

#include "base/units.h"
#include "tlm/alarm.h"

namespace asterism {

class Pulse {
 public:
  // Construct it during elaboration.
  explicit Pulse(const char* name, Picoseconds time = 1_ns, bool level = true);

  // The line changes in the next delta cycle; if this is called before simulation begins, it changes once all
  // processes were initialized. No effect while a pulse is under way.
  void start();

  sc_core::sc_out<bool> line;

 private:
  void change(Picoseconds now);

  const Picoseconds time_;
  const bool level_;
  bool is_active_ = false;
  Alarm alarm_;
};

}  // namespace asterism
