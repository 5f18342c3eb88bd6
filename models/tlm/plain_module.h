// What a node does for a module that knows nothing of it and may be careless about TLM-2.0: TlmDevice and
// External pass their accesses in this way.
#pragma once

#include <systemc>
#include <tlm>

namespace asterism {

// Accesses of the node to the module.
//
// Each takes effect at its own time whatever the quantum: the caller's annotated delay is waited for, since
// many modules ignore it. Callers are served one after the other, so that a module may wait in b_transport. A
// payload that comes back without a response status, which other platforms do not notice, is taken as done,
// with a warning at the first one. An access that the node has made in direct memory of the module, and only
// reports (InitiatorExtension::monitored), is a read of the module.
class PlainTarget {
 public:
  PlainTarget();
  void access(tlm::tlm_fw_transport_if<>& module, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

 private:
  sc_core::sc_mutex busy_;
  bool has_warned_ = false;
};

// Accesses of the module to the node.
//
// The payload has the identity of the master on its way (InitiatorExtension::master), and poisoned data are
// an error to the module. The time that the access takes has passed when it returns, unless a method has
// called: many masters ignore the annotated delay. A streaming width of 0, the default of a payload, means
// the whole length.
class PlainMaster {
 public:
  explicit PlainMaster(unsigned master) : master_(master) {}
  void access(tlm::tlm_fw_transport_if<>& node, tlm::tlm_generic_payload& payload,
              sc_core::sc_time& delay) const;

 private:
  unsigned master_;
};

}  // namespace asterism
