// What every interconnect does alike: sockets, the address table, debug transport, direct memory with its
// translation. How an access travels is the derived class's.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "fabric/address_decoder.h"
#include "fabric/interconnect.h"

namespace asterism {

class DecodingInterconnect : public Interconnect {
 public:
  explicit DecodingInterconnect(const sc_core::sc_module_name& name);

  void add_master(tlm::tlm_initiator_socket<>& socket) override;
  void add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) override;
  void report(Statistics& statistics) const override;

 protected:
  using Entry = AddressDecoder::Entry;

  // Takes an access there and back: calls at_target() when it has arrived.
  virtual void travel(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                      sc_core::sc_time& delay) = 0;
  // Before an access that nobody answers is refused.
  virtual void find_nobody(sc_core::sc_time&) {}
  // Whether a master's wish for direct memory may go to the target; what else the answer needs.
  virtual bool may_ask(tlm::tlm_generic_payload&) { return true; }
  virtual void was_granted(tlm::tlm_generic_payload&) {}

  // The payload's address is the node's, and is again afterwards.
  void at_target(const Entry& entry, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

 private:
  void b_transport(int master, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int master, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int master, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate_direct_mem_ptr(int target, sc_dt::uint64 first, sc_dt::uint64 last);

  tlm_utils::multi_passthrough_target_socket<DecodingInterconnect> masters_{"masters"};
  tlm_utils::multi_passthrough_initiator_socket<DecodingInterconnect> targets_{"targets"};
  AddressDecoder decoder_;
  unsigned target_count_ = 0;
  std::uint64_t accesses_ = 0, decode_errors_ = 0;
};

}  // namespace asterism
