// An ideal crossbar: every access takes the same latency, nothing contends.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "fabric/address_decoder.h"
#include "fabric/fabric_config.h"
#include "fabric/interconnect.h"

namespace asterism {

class Crossbar final : public Interconnect {
 public:
  Crossbar(const sc_core::sc_module_name& name, const FabricConfig& config);

  void add_master(tlm::tlm_initiator_socket<>& socket) override;
  void add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) override;
  void reset(Reset) override {}  // holds no state between accesses
  void report(Statistics& statistics) const override;

 private:
  void b_transport(int master, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int master, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int master, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate_direct_mem_ptr(int target, sc_dt::uint64 first, sc_dt::uint64 last);

  tlm_utils::multi_passthrough_target_socket<Crossbar> masters_{"masters"};
  tlm_utils::multi_passthrough_initiator_socket<Crossbar> targets_{"targets"};
  AddressDecoder decoder_;
  sc_core::sc_time latency_;
  unsigned target_count_ = 0;
  std::uint64_t accesses_ = 0, decode_errors_ = 0;
};

}  // namespace asterism
