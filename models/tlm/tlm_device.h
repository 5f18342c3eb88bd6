// A module with plain TLM-2.0 sockets, which knows nothing of Asterism, as a device: a class derived from
// TlmDevice has the module as a member, and names its sockets and lines in the order of the shape.
//
//   struct AcmeUart final : TlmDevice {
//     using Config = AcmeUartConfig;
//     static DeviceShape shape(const Config&, const NodeFacts&) {
//       return {.targets = {{.size = 4_KiB}}, .interrupts = {{}}, .initiators = {{}}};
//     }
//     AcmeUart(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context)
//         : TlmDevice(name, context), uart("uart", config.baud) {
//       target(uart.socket);     // receives accesses, with offsets as addresses
//       initiator(uart.dma);     // accesses the node by physical addresses, or a memory by offsets
//       interrupt(uart.irq);     // high: the interrupt is pending
//       reset_input(uart.rst);   // rises at each reset and at the start
//     }
//     void on_reset(Reset) override { uart.count = 0; }                                // if that is not all
//     void report(Statistics& s) const override { s.add("characters", uart.count); }   // if it counts
//     acme::Uart uart;
//   };
//   const RegisteredDevice<AcmeUart> acme_uart_type{"acme_uart", "The UART of Acme."};
//
// The sockets may be of any class and any BUSWIDTH with the base protocol: a target of tlm_utils may have
// nb_transport_fw only, and a master may call either. How accesses pass is said in tlm/plain_module.h; direct
// memory and its invalidation pass in both directions. Everything else that has to be bound is tied or left
// open:
//
//   tie(uart.loopback, false);    // an input that does not change, unless the returned signal is written
//   leave_open(uart.rts);         // an output, or a socket, to which nothing is connected
//
// Registers that the shape describes (DeviceTarget::registers) are in the SVD file, the header and the pages,
// and the module has to implement them. The module must not store the time in a static variable, nor call
// sc_stop().
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <type_traits>
#include <utility>
#include <vector>

#include "tlm/device.h"
#include "tlm/plain_module.h"
#include "tlm/pulse.h"

namespace asterism {

// Passes all calls from a target socket to an initiator socket, whose widths may differ, as PlainTarget or
// PlainMaster does.
template <unsigned in_width, unsigned out_width, class Passed>
class SocketBridge {
 public:
  template <class... Arguments>
  explicit SocketBridge(const std::string& name, Arguments... arguments)
      : in((name + "_in").c_str()), out((name + "_out").c_str()), passed_(arguments...) {
    in.register_b_transport(this, &SocketBridge::access);
    in.register_transport_dbg(this, &SocketBridge::debug);
    in.register_get_direct_mem_ptr(this, &SocketBridge::grant);
    out.register_invalidate_direct_mem_ptr(this, &SocketBridge::invalidate);
  }

  tlm_utils::simple_target_socket<SocketBridge, in_width> in;
  tlm_utils::simple_initiator_socket<SocketBridge, out_width> out;

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    passed_.access(*out.operator->(), payload, delay);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) { return out->transport_dbg(payload); }
  bool grant(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return out->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { in->invalidate_direct_mem_ptr(first, last); }

  Passed passed_;
};

class TlmDevice : public sc_core::sc_module, public Device {
 public:
  TlmDevice(const sc_core::sc_module_name& name, const DeviceContext& context);

  std::vector<tlm::tlm_target_socket<>*> targets() override { return targets_; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return initiators_; }
  void connect_interrupt(std::size_t line, sc_core::sc_signal_inout_if<bool>& wire) override {
    lines_.at(line)(wire);
  }
  ResetPhase phase() const override {
    return initiators_.empty() ? ResetPhase::targets : ResetPhase::masters;
  }
  // The number of calls of interrupt().
  std::size_t interrupt_count() const { return lines_.size(); }
  void reset(Reset kind) final;
  void power_up() final;

 protected:
  virtual void on_reset(Reset) {}

  template <class Socket>
  void target(Socket& socket) {
    using Bridge = SocketBridge<32, decltype(width_of(socket))::value, PlainTarget>;
    auto bridge = std::make_shared<Bridge>("target" + std::to_string(targets_.size()));
    bridge->out.bind(socket);
    targets_.push_back(&bridge->in);
    owned_.push_back(std::move(bridge));
  }
  template <class Socket>
  void initiator(Socket& socket) {
    using Bridge = SocketBridge<decltype(width_of(socket))::value, 32, PlainMaster>;
    const std::size_t index = initiators_.size();
    auto bridge = std::make_shared<Bridge>("initiator" + std::to_string(index), masters_.at(index));
    socket.bind(bridge->in);
    initiators_.push_back(&bridge->out);
    owned_.push_back(std::move(bridge));
  }
  // An sc_out<bool>, or another port to a signal.
  template <class Interface>
  void interrupt(sc_core::sc_port_b<Interface>& line) {
    lines_.push_back([&line](sc_core::sc_signal_inout_if<bool>& wire) { line.bind(wire); });
  }

  // A reset input: it is `level` for a time at each reset and when the node starts.
  void reset_input(sc_core::sc_in<bool>& port, Picoseconds time = 10_ns, bool level = true);

  // What is not connected to the node.
  template <class T>
  sc_core::sc_signal<T>& tie(sc_core::sc_in<T>& port, const std::type_identity_t<T>& value = T()) {
    return bound_signal(port, value);
  }
  template <class T>
  sc_core::sc_signal<T>& leave_open(sc_core::sc_inout<T>& port) {
    return bound_signal(port, T());
  }
  template <unsigned width>
  void leave_open(tlm::tlm_base_initiator_socket<width>& socket) {
    auto nothing = std::make_shared<NoTarget<width>>();
    socket.bind(nothing->socket);
    owned_.push_back(std::move(nothing));
  }
  template <unsigned width>
  void leave_open(tlm::tlm_base_target_socket<width>& socket) {
    auto nothing = std::make_shared<tlm_utils::simple_initiator_socket<TlmDevice, width>>(
        sc_core::sc_gen_unique_name("open"));
    nothing->bind(socket);
    owned_.push_back(std::move(nothing));
  }

 private:
  template <unsigned width>
  struct NoTarget {
    NoTarget() { socket.register_b_transport(this, &NoTarget::refuse); }
    void refuse(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    tlm_utils::simple_target_socket<NoTarget, width> socket{sc_core::sc_gen_unique_name("open")};
  };

  template <unsigned width>
  static std::integral_constant<unsigned, width> width_of(const tlm::tlm_base_target_socket_b<width>&);
  template <unsigned width>
  static std::integral_constant<unsigned, width> width_of(const tlm::tlm_base_initiator_socket_b<width>&);

  template <class T, class Port>
  sc_core::sc_signal<T>& bound_signal(Port& port, const T& value) {
    auto signal = std::make_shared<sc_core::sc_signal<T>>(sc_core::sc_gen_unique_name("tied"), value);
    port.bind(*signal);
    owned_.push_back(signal);
    return *signal;
  }

  const std::vector<unsigned> masters_;
  std::vector<std::shared_ptr<void>> owned_;
  std::vector<tlm::tlm_target_socket<>*> targets_;
  std::vector<tlm::tlm_initiator_socket<>*> initiators_;
  std::vector<std::function<void(sc_core::sc_signal_inout_if<bool>&)>> lines_;
  std::vector<std::shared_ptr<Pulse>> resets_;
};

}  // namespace asterism
