// The registers of a node's NIC. nic/nic_engine.h describes the rings, cluster/membership.h ranks, epochs and
// their management.
//
// Software sets a ring up by writing BASE_LOW, which closes the ring and clears its error, then BASE_HIGH,
// and then ENTRIES, which opens it. A write to the HEAD of a send ring is the doorbell. The interrupt line is
// high while a bit is set both in INTERRUPT_STATUS and in INTERRUPT_ENABLE.
//
// A NIC outside a cluster is alone on its network: NODES is 1, EPOCH is 0, and there are no ranks. It
// receives the frames that it sends to itself.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/rank_mark.h"
#include "nic/nic_engine.h"
#include "tlm/register.h"

namespace asterism {

struct NicRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x4e49'4300, "\"NIC\" in ASCII: the device is a NIC"};
  Register node{*this, 0x04, "NODE", Access::read_only, varies, "Number of this node in the network, from 0"};
  Register nodes{*this, 0x08, "NODES", Access::read_only, varies, "Number of nodes in the network, including spares and storage; 1: this node is alone"};
  Register epoch{*this, 0x0c, "EPOCH", Access::read_only, varies, "Number of the epoch, which grows with each change of the membership; 0: the run has not begun, or there is no cluster"};
  Register rank{*this, 0x10, "RANK", Access::read_only, varies, "Rank that this node holds; ~0: none, since the node is a spare or there is no cluster"};
  Register ranks{*this, 0x14, "RANKS", Access::read_only, varies, "Number of ranks; 0: there is no cluster"};
  Register rank_select{*this, 0x18, "RANK_SELECT", Access::read_write, 0, "Rank whose node RANK_NODE gives"};
  Register rank_node{*this, 0x1c, "RANK_NODE", Access::read_only, varies, "Node that holds the rank of RANK_SELECT; ~0: there is no such rank, or it is vacant"};
  Register storage_node{*this, 0x20, "STORAGE_NODE", Access::read_only, varies, "Node that is the global store; ~0: there is none"};

  Register send0_base_low{*this, 0x30, "SEND0_BASE_LOW", Access::read_write, 0, "Send ring of the application: physical address, a multiple of 16, bits 31:0. A write closes the ring"};
  Register send0_base_high{*this, 0x34, "SEND0_BASE_HIGH", Access::read_write, 0, "Send ring of the application: physical address, bits 63:32"};
  Register send0_entries{*this, 0x38, "SEND0_ENTRIES", Access::read_write, 0, "Number of descriptors in the ring, a power of two from 2 to 1024. A write opens the ring; 0: the ring is closed"};
  Register send0_head{*this, 0x3c, "SEND0_HEAD", Access::read_write, 0, "Index of the descriptor that software fills next; a write sends the descriptors before it"};
  Register send0_tail{*this, 0x40, "SEND0_TAIL", Access::read_only, 0, "Index of the descriptor that is sent next"};
  Register send1_base_low{*this, 0x50, "SEND1_BASE_LOW", Access::read_write, 0, "Send ring of checkpoints: physical address, a multiple of 16, bits 31:0. A write closes the ring"};
  Register send1_base_high{*this, 0x54, "SEND1_BASE_HIGH", Access::read_write, 0, "Send ring of checkpoints: physical address, bits 63:32"};
  Register send1_entries{*this, 0x58, "SEND1_ENTRIES", Access::read_write, 0, "Number of descriptors in the ring, a power of two from 2 to 1024. A write opens the ring; 0: the ring is closed"};
  Register send1_head{*this, 0x5c, "SEND1_HEAD", Access::read_write, 0, "Index of the descriptor that software fills next; a write sends the descriptors before it"};
  Register send1_tail{*this, 0x60, "SEND1_TAIL", Access::read_only, 0, "Index of the descriptor that is sent next"};
  Register receive_base_low{*this, 0x70, "RECEIVE_BASE_LOW", Access::read_write, 0, "Receive ring: physical address, a multiple of 4096, bits 31:0. A write closes the ring"};
  Register receive_base_high{*this, 0x74, "RECEIVE_BASE_HIGH", Access::read_write, 0, "Receive ring: physical address, bits 63:32"};
  Register receive_entries{*this, 0x78, "RECEIVE_ENTRIES", Access::read_write, 0, "Number of slots in the ring, a power of two from 2 to 1024. A write opens the ring; 0: the ring is closed"};
  Register receive_head{*this, 0x7c, "RECEIVE_HEAD", Access::read_only, 0, "Index of the slot that the NIC fills next"};
  Register receive_tail{*this, 0x80, "RECEIVE_TAIL", Access::read_write, 0, "Index of the slot that software reads next; a write frees the slots before it"};

  struct InterruptStatus : Register {
    using Register::Register;
    FieldOf<bool> received{*this, {"received", 0, 1, "RECEIVE_HEAD has moved"}};
    FieldOf<bool> membership{*this, {"membership", 1, 1, "EPOCH or RUN has changed"}};
    FieldOf<bool> sent{*this, {"sent", 2, 1, "SEND0_TAIL or SEND1_TAIL has moved"}};
    FieldOf<bool> error{*this, {"error", 3, 1, "A ring has stopped; STATUS says why"}};
  } interrupt_status{*this, 0x90, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "Events since the bits were cleared"};
  Register interrupt_enable{*this, 0x94, "INTERRUPT_ENABLE", Access::read_write, 0, "Enables the events that interrupt: the line is high while a bit is set here and in INTERRUPT_STATUS",
      {{"received", 0, 1, "RECEIVE_HEAD has moved"},
       {"membership", 1, 1, "EPOCH or RUN has changed"},
       {"sent", 2, 1, "SEND0_TAIL or SEND1_TAIL has moved"},
       {"error", 3, 1, "A ring has stopped; STATUS says why"}}};
  Register application_tickets{*this, 0xa0, "APPLICATION_TICKETS", Access::read_write, varies,
      "Tickets of SEND0 in the lottery for the ring that sends next, if the network's policy is lottery; 0 counts as 1. A reset sets the network's value"};
  Register checkpoint_tickets{*this, 0xa4, "CHECKPOINT_TICKETS", Access::read_write, varies, "Tickets of SEND1 in that lottery; 0 counts as 1. A reset sets the network's value"};
  Register result_low{*this, 0xa8, "RESULT_LOW", Access::read_write, 0, "Number that a report or a mark carries, bits 31:0"};
  Register result_high{*this, 0xac, "RESULT_HIGH", Access::read_write, 0, "Number that a report or a mark carries, bits 63:32"};
  struct Report : Register {
    using Register::Register;
    enum class What : std::uint32_t { finished = 1, not_recoverable = 2 };
    FieldOf<What> what{*this, {"what", 0, 2, "The event",
        {{"finished", 1, "the rank has finished; its result is in RESULT"},
         {"not_recoverable", 2, "nothing can be recovered; bit r of RESULT is set for each rank r of which no copy is left"}}}};
  } report{*this, 0xb0, "REPORT", Access::write_only, 0, "Reports an event of the rank that the node holds to the management"};
  Register run{*this, 0xb4, "RUN", Access::read_only, 0, "State of the run of all ranks",
      {{"state", 0, 1, "The state",
          {{"running", 0}, {"ended", 1, "every rank has finished, or the run is not recoverable"}}}}};
  struct Status : Register {
    using Register::Register;
    FieldOf<NicEngine::Error> error{*this, {"error", 0, 8, "Why the ring that stopped last has stopped",
        {{"none", 0, "no ring has stopped"},
         {"bad_descriptor", 1, "the length is 0 or above 4160, or the destination does not exist; TAIL is the index of the descriptor"},
         {"bad_ring", 2, "an invalid number of entries, alignment or index, or a write to ENTRIES of an open ring"},
         {"no_memory", 3, "there is no memory at the address, or it cannot be read"}}}};
    FieldOf<bool> send0_stopped{*this, {"send0_stopped", 8, 1, "SEND0 has stopped, until SEND0_BASE_LOW is written"}};
    FieldOf<bool> send1_stopped{*this, {"send1_stopped", 9, 1, "SEND1 has stopped, until SEND1_BASE_LOW is written"}};
    FieldOf<bool> receive_stopped{*this, {"receive_stopped", 10, 1, "RECEIVE has stopped, until RECEIVE_BASE_LOW is written"}};
  } status{*this, 0xb8, "STATUS", Access::read_only, 0, "Rings that have stopped after an error"};
  struct Mark : Register {
    using Register::Register;
    FieldOf<RankMark> what{*this, {"what", 0, 4,
        "What the rank does (cluster/rank_mark.h); RESULT is the number of the version or step", mark_values()}};
  } mark{*this, 0xbc, "MARK", Access::write_only, 0, "Reports what the node's rank does, for statistics only"};
  // clang-format on
  NicRegisters()
      : RegisterBank("NIC", 4_KiB,
                     "NIC: sends and receives frames through rings in memory, and shows which node of a "
                     "cluster holds which rank (docs/nic.md).") {}

 private:
  static std::vector<FieldValue> mark_values() {
    std::vector<FieldValue> values;
    for (const auto& [mark, name, meaning] : enum_names(RankMark{}))
      values.push_back({std::string(name), static_cast<std::uint32_t>(mark), std::string(meaning)});
    return values;
  }
};

}  // namespace asterism
