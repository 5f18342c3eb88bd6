// The registers of a node's NIC. What the rings are stands in nic/nic_engine.h, what ranks, epochs and their management are in
// cluster/membership.h.
//
// A ring is set up by a write to its BASE_LOW, which closes it and clears its error, then BASE_HIGH, then ENTRIES, which opens it. A
// write to the HEAD of a ring to send is the doorbell. The interrupt line is the level of status and enable.
//
// A NIC outside of a cluster is alone on its network: NODES 1, EPOCH 0, no ranks; what it sends to itself arrives.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/rank_mark.h"
#include "tlm/register.h"

namespace asterism {

struct NicRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x4e49'4300, "\"NIC\" in ASCII: the device is a NIC"};
  Register node{*this, 0x04, "NODE", Access::read_only, varies, "Number of this node in the network, from 0"};
  Register nodes{*this, 0x08, "NODES", Access::read_only, varies, "Nodes in the network, spares and storage among them; 1: this one is alone"};
  Register epoch{*this, 0x0c, "EPOCH", Access::read_only, varies, "Grows with each change of who holds which rank; 0: not begun, or no cluster"};
  Register rank{*this, 0x10, "RANK", Access::read_only, varies, "Rank that this node holds; ~0: none, a spare, or no cluster"};
  Register ranks{*this, 0x14, "RANKS", Access::read_only, varies, "Ranks that there are; 0: no cluster"};
  Register rank_select{*this, 0x18, "RANK_SELECT", Access::read_write, 0, "Rank that RANK_NODE tells of"};
  Register rank_node{*this, 0x1c, "RANK_NODE", Access::read_only, varies, "Node that holds the rank of RANK_SELECT; ~0: no such rank, or nobody holds it"};
  Register storage_node{*this, 0x20, "STORAGE_NODE", Access::read_only, varies, "Node that is the global store; ~0: none"};

  Register send0_base_low{*this, 0x30, "SEND0_BASE_LOW", Access::read_write, 0, "Ring to send of the application: physical address, a multiple of 16, bits 31:0. A write closes the ring"};
  Register send0_base_high{*this, 0x34, "SEND0_BASE_HIGH", Access::read_write, 0, "Ring to send of the application: physical address, bits 63:32"};
  Register send0_entries{*this, 0x38, "SEND0_ENTRIES", Access::read_write, 0, "Descriptors of the ring, a power of two from 2 to 1024. A write opens it; 0: it is closed"};
  Register send0_head{*this, 0x3c, "SEND0_HEAD", Access::read_write, 0, "Index of the descriptor that software fills next: a write sends those before it"};
  Register send0_tail{*this, 0x40, "SEND0_TAIL", Access::read_only, 0, "Index of the descriptor that is sent next"};
  Register send1_base_low{*this, 0x50, "SEND1_BASE_LOW", Access::read_write, 0, "Ring to send of checkpoints: physical address, a multiple of 16, bits 31:0. A write closes the ring"};
  Register send1_base_high{*this, 0x54, "SEND1_BASE_HIGH", Access::read_write, 0, "Ring to send of checkpoints: physical address, bits 63:32"};
  Register send1_entries{*this, 0x58, "SEND1_ENTRIES", Access::read_write, 0, "Descriptors of the ring, a power of two from 2 to 1024. A write opens it; 0: it is closed"};
  Register send1_head{*this, 0x5c, "SEND1_HEAD", Access::read_write, 0, "Index of the descriptor that software fills next: a write sends those before it"};
  Register send1_tail{*this, 0x60, "SEND1_TAIL", Access::read_only, 0, "Index of the descriptor that is sent next"};
  Register receive_base_low{*this, 0x70, "RECEIVE_BASE_LOW", Access::read_write, 0, "Ring to receive: physical address, a multiple of 4096, bits 31:0. A write closes the ring"};
  Register receive_base_high{*this, 0x74, "RECEIVE_BASE_HIGH", Access::read_write, 0, "Ring to receive: physical address, bits 63:32"};
  Register receive_entries{*this, 0x78, "RECEIVE_ENTRIES", Access::read_write, 0, "Slots of the ring, a power of two from 2 to 1024. A write opens it; 0: it is closed"};
  Register receive_head{*this, 0x7c, "RECEIVE_HEAD", Access::read_only, 0, "Index of the slot that the NIC fills next"};
  Register receive_tail{*this, 0x80, "RECEIVE_TAIL", Access::read_write, 0, "Index of the slot that software reads next: a write frees those before it"};

  Register interrupt_status{*this, 0x90, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "What happened since a bit was cleared",
      {{"received", 0, 1, "RECEIVE_HEAD moved"},
       {"membership", 1, 1, "EPOCH or RUN changed"},
       {"sent", 2, 1, "SEND0_TAIL or SEND1_TAIL moved"},
       {"error", 3, 1, "A ring stopped: STATUS"}}};
  Register interrupt_enable{*this, 0x94, "INTERRUPT_ENABLE", Access::read_write, 0, "What interrupts: the line is high while a bit is set here and in INTERRUPT_STATUS",
      {{"received", 0, 1, "RECEIVE_HEAD moved"},
       {"membership", 1, 1, "EPOCH or RUN changed"},
       {"sent", 2, 1, "SEND0_TAIL or SEND1_TAIL moved"},
       {"error", 3, 1, "A ring stopped: STATUS"}}};
  Register application_tickets{*this, 0xa0, "APPLICATION_TICKETS", Access::read_write, varies,
      "Tickets of SEND0 in a lottery of which ring sends next, if the network holds one; 0 counts as 1. A reset sets the network's"};
  Register checkpoint_tickets{*this, 0xa4, "CHECKPOINT_TICKETS", Access::read_write, varies, "Tickets of SEND1 in that lottery; 0 counts as 1. A reset sets the network's"};
  Register result_low{*this, 0xa8, "RESULT_LOW", Access::read_write, 0, "What a report or a mark carries, bits 31:0"};
  Register result_high{*this, 0xac, "RESULT_HIGH", Access::read_write, 0, "What a report or a mark carries, bits 63:32"};
  Register report{*this, 0xb0, "REPORT", Access::write_only, 0, "Tells the management, of the rank that the node holds",
      {{"what", 0, 2, "What it tells",
          {{"finished", 1, "the rank has, with the result in RESULT"},
           {"not_recoverable", 2, "bit r of RESULT is set for each rank r of which nothing is left"}}}}};
  Register run{*this, 0xb4, "RUN", Access::read_only, 0, "State of the run of all",
      {{"state", 0, 1, "Whether it is over",
          {{"going_on", 0}, {"over", 1, "every rank has finished, or nothing can be recovered"}}}}};
  Register status{*this, 0xb8, "STATUS", Access::read_only, 0, "Rings that have stopped",
      {{"error", 0, 8, "Why the last of them stopped",
          {{"none", 0, "none has"},
           {"bad_descriptor", 1, "length 0 or above 4160, or no node of this number; TAIL is its index"},
           {"bad_ring", 2, "entries, alignment, or an index that is none; ENTRIES of an open ring"},
           {"no_memory", 3, "no memory there, or it cannot be read, or a page to write to that the DIMM-SSD still has to copy"}}},
       {"send0_stopped", 8, 1, "SEND0 has stopped, until SEND0_BASE_LOW is written"},
       {"send1_stopped", 9, 1, "SEND1 has stopped, until SEND1_BASE_LOW is written"},
       {"receive_stopped", 10, 1, "RECEIVE has stopped, until RECEIVE_BASE_LOW is written"}}};
  Register mark{*this, 0xbc, "MARK", Access::write_only, 0, "Tells what the node's rank does, for statistics: nothing depends on it",
      {{"what", 0, 4, "What it does (cluster/rank_mark.h); RESULT is the number of the version, or of the step", mark_values()}}};
  // clang-format on
  NicRegisters()
      : RegisterBank("NIC", 4_KiB,
                     "NIC: sends and receives frames through rings in memory, and tells who holds which rank "
                     "of a cluster "
                     "(docs/nic.md).") {}

 private:
  static std::vector<FieldValue> mark_values() {
    std::vector<FieldValue> values;
    for (const auto& [mark, name, meaning] : enum_names(RankMark{}))
      values.push_back({std::string(name), static_cast<std::uint32_t>(mark), std::string(meaning)});
    return values;
  }
};

}  // namespace asterism
