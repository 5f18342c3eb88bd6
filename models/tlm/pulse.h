// A line that is raised for a time: an edge-triggered interrupt, which firmware has to configure as such in the
// interrupt controller, of a module that announces it by a call or an event; or a reset.
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

  // The line changes in the next delta cycle, or, when it is called before simulation begins, once all processes
  // were initialized. No effect while a pulse is under way.
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
