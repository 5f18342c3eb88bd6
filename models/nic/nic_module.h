// The NIC of a node: registers in front (nic_registers.h), a port to the memory controller behind, an interrupt line; the rings'
// engine (nic_engine.h) between them and the network.
//
//   NicModule nic("nic", dram);
//   nic.attach({.clock = clock, .network = network, .node = 3, .management = &management});
//
// attach() makes it the network's port and the management's member of that number; it must have been called when
// simulation begins, and may be again before: the last call counts. Whoever manages the cluster is told of resets by
// on_reset: what the node held is lost, and it is his to say so to the Management.
//
// Pages that are written to are told to those that keep copies. What a DIMM-SSD still has to copy of a page is not
// overwritten: the ring to receive stops with no_memory.
//
// Reset contract: that of the engine; what waits for the link is dropped, what is on the wire arrives; registers, tickets
// among them, take their reset values on every kind. Epoch, ranks and the run are the management's: they survive.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <optional>
#include <systemc>

#include "cluster/event_queue_clock.h"
#include "cluster/membership.h"
#include "cluster/network.h"
#include "nic/nic_engine.h"
#include "nic/nic_registers.h"
#include "tlm/alarm.h"
#include "tlm/device_tree.h"
#include "tlm/initiator_extension.h"
#include "tlm/register_socket.h"

namespace asterism {

class NicModule : public sc_core::sc_module, private NicEngine::Memory, private NicEngine::Sink {
 private:
  NicRegisters registers_;

 public:
  // All must outlive the simulation.
  struct Place {
    EventQueueClock& clock;  // of the network's event queue
    Network& network;
    NodeNumber node = 0;
    Management* management = nullptr;        // nullptr: there are no ranks
    std::optional<NodeNumber> storage = {};  // the node that is the global store
  };

  RegisterSocket registers{"registers", registers_, Picoseconds(10'000)};
  // Addresses of the node less the first of its memory.
  tlm_utils::simple_initiator_socket<NicModule> memory{"memory"};
  // To a wire that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  // The node was reset, for whatever reason; at that instant, at the event queue's time.
  std::function<void(Reset)> on_reset = [](Reset) {};

  NicModule(const sc_core::sc_module_name& name, AddressRange memory_range);

  void attach(const Place& place);

  void reset(Reset kind);
  void power_up() { engine_.power_up(); }
  static DeviceTreeNode device_tree(AddressRange range, unsigned spi);
  const NicEngine& engine() const { return engine_; }
  void report(Statistics& statistics) const { engine_.report(statistics); }

 private:
  // What network and management see.
  class Peer final : public NetworkPort, public Management::Member {
   public:
    explicit Peer(NicModule& nic) : nic_(nic) {}
    void receive(Frame frame) override;
    void sent(SendQueue) override { nic_.update(); }
    void membership(const Membership&) override;
    void run_ended() override { nic_.raise(membership_cause); }
    Kind kind() const override { return Kind::firmware; }

   private:
    NicModule& nic_;
  };

  enum Cause : std::uint32_t { received_cause = 1, membership_cause = 2, sent_cause = 4, error_cause = 8 };

  void start_of_simulation() override;
  void connect_registers();
  void connect_ring(NicEngine::Ring ring, Register& base_low, const Register& base_high, Register& entries);
  void connect_send(SendQueue queue, Register& head, Register& tail, Register& tickets);
  void act(const std::function<void()>& action);
  void update();
  void set_tickets(SendQueue queue, std::uint32_t tickets);
  void report_rank(std::uint32_t what);
  void mark(std::uint32_t what);
  std::uint32_t status() const;
  void raise(Cause cause);
  void update_interrupt();

  void transmit(SendQueue queue, NodeNumber destination, std::vector<std::byte> payload) override;
  std::size_t waiting(SendQueue queue) const override;
  void send_tail_moved() override { raise(sent_cause); }
  void receive_head_moved() override { raise(received_cause); }
  void ring_stopped() override { raise(error_cause); }
  void overflowed() override;

  Outcome read(Picoseconds now, Address first, std::span<std::byte> data) override;
  Outcome write(Picoseconds now, Address first, std::span<const std::byte> data) override;
  Outcome access(tlm::tlm_command command, Address first, std::span<std::byte> data);

  const AddressRange memory_range_;
  NicEngine engine_;
  Peer peer_{*this};
  std::optional<Place> place_;
  std::uint32_t tickets_[2] = {1, 1};  // after a reset: the network's
  Alarm alarm_;
  InitiatorExtension master_;
};

}  // namespace asterism
