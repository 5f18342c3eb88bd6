// The target socket of a device with registers: it turns payloads into word accesses of a RegisterBank.
//
// Any length, alignment and byte enables are supported; words are accessed in order of address. An access
// that touches a register with side effects first waits for the caller's annotated delay, so that it takes
// effect at its own time whatever the quantum; if its initiator is reset meanwhile, the access is dropped
// (tlm/initiator_extension.h). A plainly stored register is accessed at once. Each access adds `latency`.
// Debug reads peek. Debug writes are refused, except those of a user (InitiatorExtension::writes_registers):
// they are writes of the guest without time, and are refused as a whole if a word is read-only or no
// register. There is no DMI. InitiatorExtension::misfit reports an access by another width than
// a register's own to the initiator.
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
  unsigned write_at_once(tlm::tlm_generic_payload& payload);
  bool touches_side_effects(const tlm::tlm_generic_payload& payload) const;
  void find_misfit(const tlm::tlm_generic_payload& payload) const;

  RegisterBank& bank_;
  sc_core::sc_time latency_;
};

}  // namespace asterism
