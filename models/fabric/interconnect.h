// What stands between the masters and the targets of a node, whatever its topology.
//
// Masters see the node's physical addresses; a target sees offsets from the start of its range. An access to
// a hole, or across the border of a range, answers ADDRESS_ERROR. Direct memory access passes through, with
// ranges translated and clipped to the target's range, and so do its withdrawals.
#pragma once

#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "fabric/switch_ports.h"
#include "swizzle_switch/arbitration_hook.h"

namespace asterism {

// Of a target whose addresses are dealt to several parts, each with a place of its own in the interconnect: the controllers of
// a memory.
struct TargetParts {
  std::vector<std::string> names;
  Bytes granule;  // that always lies in one part: a divisor of the target's size
  std::function<unsigned(Bytes offset)> part_at;
};

class Interconnect : public sc_core::sc_module {
 public:
  using sc_core::sc_module::sc_module;

  // During elaboration.
  virtual void add_master(tlm::tlm_initiator_socket<>& socket) = 0;
  // Throws std::invalid_argument when the range overlaps another.
  virtual void add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) = 0;
  // Its parts answer by one socket. Where nothing has a place it is one target as any other.
  virtual void add_divided_target(tlm::tlm_target_socket<>& socket, AddressRange range,
                                  const std::string& name, const TargetParts&) {
    add_target(socket, range, name);
  }

  // The switches that arbitrate: all routers of a fabric that moves every flit, none of a loosely timed one, and a
  // crossbar, whose arbiters never have two requests to choose from. After all masters and targets are there.
  virtual std::vector<SwitchPorts> switches() const = 0;
  // Who arbitrates in a switch in place of the model. It outlives the simulation.
  virtual void attach_hook(std::size_t index, ArbitrationHook* hook) = 0;

  virtual void reset(Reset kind) = 0;
  virtual void report(Statistics& statistics) const = 0;
};

}  // namespace asterism
