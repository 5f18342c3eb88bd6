// The interface of what connects the masters and the targets of a node, whatever its topology.
//
// Masters use the node's physical addresses; a target sees offsets from the start of its range. An access to
// a hole, or across the border of a range, is answered with ADDRESS_ERROR. Direct memory access passes
// through, with ranges translated and clipped to the target's range, and so do its invalidations.
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

// Describes a target whose addresses are interleaved over several parts with separate places in the
// interconnect: the controllers of a memory.
struct TargetParts {
  std::vector<std::string> names;
  Bytes granule;  // a block that always lies in one part; it divides the target's size
  std::function<unsigned(Bytes offset)> part_at;
};

class Interconnect : public sc_core::sc_module {
 public:
  using sc_core::sc_module::sc_module;

  // Call these during elaboration.
  virtual void add_master(tlm::tlm_initiator_socket<>& socket, const std::string& name) = 0;
  // By the name of the module that has the socket.
  void add_master(tlm::tlm_initiator_socket<>& socket) {
    add_master(socket, socket.get_parent_object()->basename());
  }
  // Throws std::invalid_argument if the range overlaps another.
  virtual void add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) = 0;
  // The parts share one socket. An interconnect without places treats it as an ordinary target.
  virtual void add_divided_target(tlm::tlm_target_socket<>& socket, AddressRange range,
                                  const std::string& name, const TargetParts&) {
    add_target(socket, range, name);
  }

  // The switches that arbitrate: all routers of a flit-accurate fabric, none of a loose or contended one, and
  // the single one of a crossbar, whose arbiters never have two requests to choose from. Call it after all
  // masters and targets have been added.
  virtual std::vector<SwitchPorts> switches() const = 0;
  // Attaches a hook to the arbitration of a switch. The hook must outlive the simulation.
  virtual void attach_hook(std::size_t index, ArbitrationHook* hook) = 0;

  virtual void reset(Reset kind) = 0;
  virtual void report(Statistics& statistics) const = 0;
};

}  // namespace asterism
