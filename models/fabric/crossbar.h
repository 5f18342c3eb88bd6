// An ideal crossbar: every access takes the same latency, and nothing contends.
//
// Accesses arrive one at a time, in the order in which the masters run; direct memory accesses do not pass
// through it. An arbitration hook therefore has a single request to grant. It is granted at the time of the
// access, or one cycle after the previous grant if its output has already passed that time.
#pragma once

#include <vector>

#include "fabric/decoding_interconnect.h"
#include "fabric/fabric_config.h"

namespace asterism {

class Crossbar final : public DecodingInterconnect {
 public:
  Crossbar(const sc_core::sc_module_name& name, const FabricConfig& config);

  using Interconnect::add_master;
  void add_master(tlm::tlm_initiator_socket<>& socket, const std::string& name) override;
  void add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) override;
  std::vector<SwitchPorts> switches() const override { return {ports_}; }
  void attach_hook(std::size_t index, ArbitrationHook* hook) override;
  void reset(Reset kind) override;

 private:
  class Path;
  std::unique_ptr<TimedPath> make_path(int master, const Entry& entry, TimedPath& target) override;
  void travel(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
              sc_core::sc_time& delay) override;
  void before_decode_error(sc_core::sc_time& delay) override { delay += latency_; }
  void arbitrate(unsigned master, unsigned target, Picoseconds at);

  sc_core::sc_time latency_;
  SwitchPorts ports_;
  ArbitrationHook* hook_ = nullptr;
  std::vector<Picoseconds> next_grant_;  // the earliest next grant, by target
};

}  // namespace asterism
