// The target socket of a device with registers: turns payloads into word accesses of a RegisterBank.
//
// Any length, alignment and byte enables are served, word by word in order of address. An access that touches
// a register with side effects first waits out the caller's annotated delay, so that it acts at its own time
// whatever the quantum; one whose initiator is reset meanwhile never happens (tlm/initiator_extension.h). A
// plainly stored register is served at once. Each access adds `latency`. Debug accesses peek; debug writes set
// stored values only. No DMI.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "tlm/register.h"

namespace asterism {

class RegisterSocket : public tlm_utils::simple_target_socket<RegisterSocket> {
 public:
  RegisterSocket(const char* name, RegisterBank& bank, Picoseconds latency = Picoseconds(0));

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool touches_side_effects(const tlm::tlm_generic_payload& payload) const;

  RegisterBank& bank_;
  sc_core::sc_time latency_;
};

}  // namespace asterism
