// The place of a module that is not of this node: a target, bus masters or interrupt lines of a program that
// has the node in its own sc_main. The node gives it addresses, interrupt numbers and a device-tree node as
// any other device; the program binds its module from outside, before simulation begins:
//
//   "accelerator": { "type": "external", "base": "0x0b20_0000", "size": "64KiB", "interrupt": 40,
//                    "masters": 1, "lines": 1 }
//
//   External& place = *node.devices().find_as<External>("accelerator");
//   place.target.bind(module.registers);  // receives the node's accesses, with offsets as addresses
//   module.dma.bind(place.masters[0]);    // accesses the node's interconnect, with physical addresses
//   module.done.bind(place.lines[0]);     // raises the node's interrupt
//
// What is bound needs nothing but the base protocol of TLM-2.0: no extensions, any quantum. How accesses pass
// is said in tlm/plain_module.h; direct memory and its invalidation pass in both directions. Nothing has to
// be bound; accesses of the node are then answered with ADDRESS_ERROR. A reset of the node lowers no line and
// stops no master: on_reset notifies of it.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "base/fields.h"
#include "tlm/device.h"
#include "tlm/plain_module.h"

namespace asterism {

struct ExternalConfig {
  Bytes size = 0_B;
  std::uint32_t masters = 0;
  std::uint32_t lines = 0;
  std::vector<std::string> compatible;
};
void describe(Fields& f, ExternalConfig& c);

class External final : public sc_core::sc_module, public Device {
 public:
  using Config = ExternalConfig;
  static DeviceShape shape(const Config& config, const NodeFacts&);
  static std::vector<DeviceTreeNode> device_tree(const Config& config, const DevicePlace& place);

  External(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context);

  using Master = tlm_utils::simple_target_socket_tagged_optional<External>;
  using Line = sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS>;
  tlm_utils::simple_initiator_socket_optional<External> target{"target"};
  sc_core::sc_vector<Master> masters;
  sc_core::sc_vector<Line> lines;
  std::function<void(Reset)> on_reset = [](Reset) {};

  std::vector<tlm::tlm_target_socket<>*> targets() override;
  std::vector<sc_core::sc_out<bool>*> interrupts() override;
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override;
  void reset(Reset kind) override { on_reset(kind); }
  void report(Statistics& statistics) const override;

 private:
  void pass_on_lines();

  // From the node to the module.
  void accept(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  bool grant(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);

  // From the module to the node.
  void access(int master, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned access_for_debug(int master, tlm::tlm_generic_payload& payload);
  bool ask_for_grant(int master, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void withdraw(int master, sc_dt::uint64 first, sc_dt::uint64 last);

  std::optional<tlm_utils::simple_target_socket<External>> from_node_;  // nullopt: it has no range
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<External>> to_node_;  // for each master
  sc_core::sc_vector<sc_core::sc_out<bool>> interrupts_;                             // for each line
  PlainTarget module_;
  std::vector<PlainMaster> buses_;
  std::uint64_t accesses_ = 0;               // of the node
  std::vector<std::uint64_t> own_accesses_;  // of each master
  bool has_warned_ = false;
};

}  // namespace asterism
