// The common part of every interconnect: sockets, the address table, debug transport, and direct memory
// access with its translation. The derived class defines how an access travels.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <memory>
#include <string>
#include <vector>

#include "fabric/address_decoder.h"
#include "fabric/interconnect.h"
#include "tlm/timed_path.h"

namespace asterism {

class DecodingInterconnect : public Interconnect {
 public:
  explicit DecodingInterconnect(const sc_core::sc_module_name& name);

  using Interconnect::add_master;
  void add_master(tlm::tlm_initiator_socket<>& socket, const std::string& name) override;
  void add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) override;
  void report(Statistics& statistics) const override;

 protected:
  using Entry = AddressDecoder::Entry;

  // Carries an access to its target and back; calls at_target() when it has arrived.
  virtual void travel(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                      sc_core::sc_time& delay) = 0;
  // Called before an access that no target answers is refused.
  virtual void before_decode_error(sc_core::sc_time&) {}
  // Whether a master's request for direct memory may be passed to the target; sets what else the answer
  // needs.
  virtual bool may_request_dmi(tlm::tlm_generic_payload&) { return true; }
  virtual void was_granted(tlm::tlm_generic_payload&) {}

  // The way of a master through the interconnect, and on; nullptr: only payloads can take it.
  virtual std::unique_ptr<TimedPath> make_path(int /*master*/, const Entry&, TimedPath& /*target*/) {
    return nullptr;
  }
  void count_access() { ++accesses_; }

  // The payload's address is that of the node, and is restored afterwards.
  void at_target(const Entry& entry, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

 private:
  void b_transport(int master, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int master, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int master, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate_direct_mem_ptr(int target, sc_dt::uint64 first, sc_dt::uint64 last);

  tlm_utils::multi_passthrough_target_socket<DecodingInterconnect> masters_{"masters"};
  tlm_utils::multi_passthrough_initiator_socket<DecodingInterconnect> targets_{"targets"};
  TimedPath* path(int master, const Entry& entry, TimedPath* target);

  AddressDecoder decoder_;
  std::vector<std::string> names_of_masters_;
  struct Path {
    int master;
    TimedPath* target;
    std::unique_ptr<TimedPath> path;
  };
  std::vector<Path> paths_;
  unsigned target_count_ = 0;
  std::uint64_t accesses_ = 0, decode_errors_ = 0;
};

}  // namespace asterism
