// An ideal crossbar: every access takes the same latency, nothing contends.
//
// Accesses come one at a time, in whatever order the masters run, and direct memory does not come at all. So an arbiter
// in the seat has one request to grant, at the access's time or, when that has passed for its output, a cycle after
// the grant before.
#pragma once

#include <vector>

#include "fabric/decoding_interconnect.h"
#include "fabric/fabric_config.h"

namespace asterism {

class Crossbar final : public DecodingInterconnect {
 public:
  Crossbar(const sc_core::sc_module_name& name, const FabricConfig& config);

  void add_master(tlm::tlm_initiator_socket<>& socket) override;
  void add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) override;
  std::vector<SwitchPorts> switches() const override { return {ports_}; }
  void seat(std::size_t index, ArbitrationSeat* seat) override;
  void reset(Reset kind) override;

 private:
  void travel(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
              sc_core::sc_time& delay) override;
  void find_nobody(sc_core::sc_time& delay) override { delay += latency_; }
  void arbitrate(unsigned master, unsigned target, Picoseconds at);

  sc_core::sc_time latency_;
  SwitchPorts ports_;
  ArbitrationSeat* seat_ = nullptr;
  std::vector<Picoseconds> next_grant_;  // by target: the earliest
};

}  // namespace asterism
