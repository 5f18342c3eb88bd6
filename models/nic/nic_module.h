// The NIC of a node: the engine (nic_engine.h) with registers (nic_registers.h), a DMA port to the memory
// controller, an interrupt line, and a connection to the network.
//
//   NicModule nic("nic", dram);
//   nic.attach({.clock = clock, .network = network, .node = 3, .management = &management});
//
// attach() registers the NIC with the network, and with the management as the member of that number. It must
// be called before the simulation begins; if it is called again before that, the last call counts. on_reset
// notifies the owner of the cluster of a reset, in which the node loses its state; the owner must report this
// loss to the management.
//
// Reset contract: as the engine; frames that wait for the link are dropped, frames on the wire arrive. On a
// reset of any kind all registers, including tickets, take their reset values. Epoch, ranks and run belong to
// the management and are not reset.
#pragma once

#include <functional>
#include <optional>
#include <systemc>

#include "cluster/membership.h"
#include "cluster/network.h"
#include "cluster/network_interface.h"
#include "nic/nic_config.h"
#include "nic/nic_engine.h"
#include "nic/nic_registers.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/dma_initiator.h"
#include "tlm/register_socket.h"

namespace asterism {

class NicModule final : public sc_core::sc_module,
                        public Device,
                        public NetworkInterface,
                        private NicEngine::Sink {
 public:
  using Config = NicConfig;
  static DeviceShape shape(const NicConfig& config, const NodeFacts&);
  static std::vector<DeviceTreeNode> device_tree(const NicConfig& config, const NodeView& node,
                                                 const DevicePlace& place);

  NicRegisters registers;
  RegisterSocket target{"target", registers, Picoseconds(10'000)};
  DmaInitiator memory;
  // Must be bound to a signal that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  NicModule(const sc_core::sc_module_name& name, AddressRange memory_range);
  NicModule(const sc_core::sc_module_name& name, const NicConfig&, const DeviceContext& context);

  void attach(const Place& place) override;

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&memory}; }
  ResetPhase phase() const override { return ResetPhase::masters; }
  void reset(Reset kind) override;
  void power_up() override { engine_.power_up(); }
  const NicEngine& engine() const { return engine_; }
  void report(Statistics& statistics) const override { engine_.report(statistics); }

 private:
  // The NIC's endpoint for network and management.
  class Peer final : public NetworkPort, public Management::Member {
   public:
    explicit Peer(NicModule& nic) : nic_(nic) {}
    void receive(Frame frame) override;
    void sent(SendQueue) override { nic_.update(); }
    void membership(const Membership&) override;
    void run_ended() override { nic_.raise(nic_.registers.interrupt_status.membership); }
    Kind kind() const override { return Kind::firmware; }

   private:
    NicModule& nic_;
  };

  void start_of_simulation() override;
  void connect_registers();
  void connect_ring(NicEngine::Ring ring, Register& base_low, const Register& base_high, Register& entries);
  void connect_send(SendQueue queue, Register& head, Register& tail, Register& tickets);
  void act(const std::function<void()>& action);
  void update();
  void set_tickets(SendQueue queue, std::uint32_t tickets);
  void report_rank(NicRegisters::Report::What what);
  void mark(RankMark what);
  std::uint32_t status() const;
  void raise(const FieldOf<bool>& cause);
  void update_interrupt();

  void transmit(SendQueue queue, NodeNumber destination, std::vector<std::byte> payload) override;
  std::size_t waiting(SendQueue queue) const override;
  void send_tail_moved() override { raise(registers.interrupt_status.sent); }
  void receive_head_moved() override { raise(registers.interrupt_status.received); }
  void ring_stopped() override { raise(registers.interrupt_status.error); }
  void overflowed() override;

  NicEngine engine_;
  Peer peer_{*this};
  std::optional<Place> place_;
  std::uint32_t tickets_[2] = {1, 1};  // the network's configured tickets, restored by a reset
  Alarm alarm_;
};

}  // namespace asterism
