// A module with plain TLM-2.0 sockets, which knows nothing of Asterism, as a device: a class derived from
// TlmDevice has the module as a member, and names its sockets and lines in the order of the shape.
//
//   struct AcmeUart final : TlmDevice {
//     using Config = AcmeUartConfig;
//     static DeviceShape shape(const Config&, const NodeFacts&) {
//       return {.targets = {{.size = 4_KiB}}, .interrupts = {{}}, .initiators = {{}}};
//     }
//     AcmeUart(const sc_core::sc_module_name& name, const Config& config, const DeviceContext&)
//         : TlmDevice(name), uart("uart", config.baud) {
//       target(uart.socket);     // receives accesses, with offsets as addresses
//       initiator(uart.dma);     // accesses the node by physical addresses, or a memory by offsets
//       interrupt(uart.irq);     // high: the interrupt is pending
//     }
//     void reset(Reset) override { uart.reset(); }                                     // if it has one
//     void report(Statistics& s) const override { s.add("characters", uart.count); }   // if it counts
//     acme::Uart uart;
//   };
//   const RegisteredDevice<AcmeUart> acme_uart_type{"acme_uart", "The UART of Acme."};
//
// The sockets may be of any class and any BUSWIDTH with the base protocol, which is converted: a socket with
// nb_transport only is served, if it is one of tlm_utils. Direct memory and its invalidation pass in both
// directions. The module must not store the time in a static variable, nor call sc_stop().
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/device.h"

namespace asterism {

// Passes all calls from a target socket to an initiator socket, whose widths may differ.
template <unsigned in_width, unsigned out_width>
class SocketBridge {
 public:
  explicit SocketBridge(const std::string& name) : in((name + "_in").c_str()), out((name + "_out").c_str()) {
    in.register_b_transport(this, &SocketBridge::access);
    in.register_transport_dbg(this, &SocketBridge::debug);
    in.register_get_direct_mem_ptr(this, &SocketBridge::grant);
    out.register_invalidate_direct_mem_ptr(this, &SocketBridge::invalidate);
  }

  tlm_utils::simple_target_socket<SocketBridge, in_width> in;
  tlm_utils::simple_initiator_socket<SocketBridge, out_width> out;

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    out->b_transport(payload, delay);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) { return out->transport_dbg(payload); }
  bool grant(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return out->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { in->invalidate_direct_mem_ptr(first, last); }
};

class TlmDevice : public sc_core::sc_module, public Device {
 public:
  explicit TlmDevice(const sc_core::sc_module_name& name) : sc_module(name) {}

  std::vector<tlm::tlm_target_socket<>*> targets() override { return targets_; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return initiators_; }
  void connect_interrupt(std::size_t line, sc_core::sc_signal_inout_if<bool>& wire) override {
    lines_.at(line)->bind(wire);
  }
  ResetPhase phase() const override {
    return initiators_.empty() ? ResetPhase::targets : ResetPhase::masters;
  }
  void reset(Reset) override {}

 protected:
  template <unsigned width>
  void target(tlm::tlm_base_target_socket_b<width>& socket) {
    auto bridge = std::make_shared<SocketBridge<32, width>>("target" + std::to_string(targets_.size()));
    bridge->out.bind(socket);
    targets_.push_back(&bridge->in);
    bridges_.push_back(std::move(bridge));
  }
  template <unsigned width>
  void initiator(tlm::tlm_base_initiator_socket_b<width>& socket) {
    auto bridge = std::make_shared<SocketBridge<width, 32>>("initiator" + std::to_string(initiators_.size()));
    bridge->in.bind(socket);
    initiators_.push_back(&bridge->out);
    bridges_.push_back(std::move(bridge));
  }
  void interrupt(sc_core::sc_port<sc_core::sc_signal_inout_if<bool>>& line) { lines_.push_back(&line); }

 private:
  std::vector<std::shared_ptr<void>> bridges_;
  std::vector<tlm::tlm_target_socket<>*> targets_;
  std::vector<tlm::tlm_initiator_socket<>*> initiators_;
  std::vector<sc_core::sc_port<sc_core::sc_signal_inout_if<bool>>*> lines_;
};

}  // namespace asterism
