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
  Register id{*this, 0x00, "ID", Access::read_only, 0x4e49'4300, "\"NIC\""};
  Register node{*this, 0x04, "NODE", Access::read_only, 0, "Number of this node in the network"};
  Register nodes{*this, 0x08, "NODES", Access::read_only, 1, "In the network, spares and storage among them"};
  Register epoch{*this, 0x0c, "EPOCH", Access::read_only, 0, "Grows with each change of who holds which rank"};
  Register rank{*this, 0x10, "RANK", Access::read_only, ~0u, "That this node holds; ~0: none, a spare"};
  Register ranks{*this, 0x14, "RANKS", Access::read_only, 0, "That there are"};
  Register rank_select{*this, 0x18, "RANK_SELECT", Access::read_write, 0, "Rank that RANK_NODE tells of"};
  Register rank_node{*this, 0x1c, "RANK_NODE", Access::read_only, ~0u, "Node that holds it; ~0: no such rank"};
  Register storage_node{*this, 0x20, "STORAGE_NODE", Access::read_only, ~0u, "Node that is the global store; ~0: none"};

  Register send0_base_low{*this, 0x30, "SEND0_BASE_LOW", Access::read_write, 0, "Ring of the application: address, bits 31:0; closes it"};
  Register send0_base_high{*this, 0x34, "SEND0_BASE_HIGH", Access::read_write, 0, "Bits 63:32 of it"};
  Register send0_entries{*this, 0x38, "SEND0_ENTRIES", Access::read_write, 0, "Descriptors, a power of two from 2 to 1024: opens it"};
  Register send0_head{*this, 0x3c, "SEND0_HEAD", Access::read_write, 0, "Next to be filled by software: a write sends those before it"};
  Register send0_tail{*this, 0x40, "SEND0_TAIL", Access::read_only, 0, "Next to be sent"};
  Register send1_base_low{*this, 0x50, "SEND1_BASE_LOW", Access::read_write, 0, "Ring of checkpoints: as SEND0_BASE_LOW"};
  Register send1_base_high{*this, 0x54, "SEND1_BASE_HIGH", Access::read_write, 0, "Bits 63:32 of it"};
  Register send1_entries{*this, 0x58, "SEND1_ENTRIES", Access::read_write, 0, "As SEND0_ENTRIES"};
  Register send1_head{*this, 0x5c, "SEND1_HEAD", Access::read_write, 0, "As SEND0_HEAD"};
  Register send1_tail{*this, 0x60, "SEND1_TAIL", Access::read_only, 0, "As SEND0_TAIL"};
  Register receive_base_low{*this, 0x70, "RECEIVE_BASE_LOW", Access::read_write, 0, "Ring to receive: address, bits 31:0; closes it"};
  Register receive_base_high{*this, 0x74, "RECEIVE_BASE_HIGH", Access::read_write, 0, "Bits 63:32 of it"};
  Register receive_entries{*this, 0x78, "RECEIVE_ENTRIES", Access::read_write, 0, "Slots, a power of two from 2 to 1024: opens it"};
  Register receive_head{*this, 0x7c, "RECEIVE_HEAD", Access::read_only, 0, "Next to be filled by the NIC"};
  Register receive_tail{*this, 0x80, "RECEIVE_TAIL", Access::read_write, 0, "Next to be read by software"};

  Register interrupt_status{*this, 0x90, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "What happened",
      {{"received", 0, 1, "RECEIVE_HEAD moved"},
       {"membership", 1, 1, "EPOCH or RUN changed"},
       {"sent", 2, 1, "SEND0_TAIL or SEND1_TAIL moved"},
       {"error", 3, 1, "A ring stopped: STATUS"}}};
  Register interrupt_enable{*this, 0x94, "INTERRUPT_ENABLE", Access::read_write, 0, "What interrupts",
      {{"received", 0, 1, "RECEIVE_HEAD moved"},
       {"membership", 1, 1, "EPOCH or RUN changed"},
       {"sent", 2, 1, "SEND0_TAIL or SEND1_TAIL moved"},
       {"error", 3, 1, "A ring stopped: STATUS"}}};
  Register application_tickets{*this, 0xa0, "APPLICATION_TICKETS", Access::read_write, 1, "Of SEND0 in a lottery, if the network holds one; 0 counts as 1"};
  Register checkpoint_tickets{*this, 0xa4, "CHECKPOINT_TICKETS", Access::read_write, 1, "Of SEND1"};
  Register result_low{*this, 0xa8, "RESULT_LOW", Access::read_write, 0, "What a report or a mark carries, bits 31:0"};
  Register result_high{*this, 0xac, "RESULT_HIGH", Access::read_write, 0, "Bits 63:32 of it"};
  Register report{*this, 0xb0, "REPORT", Access::write_only, 0, "Tells the management, of the rank that the node holds",
      {{"what", 0, 2, "finished: the rank's result is RESULT; not_recoverable: bit r of RESULT is set for each rank r of which nothing is left",
          {{"finished", 1}, {"not_recoverable", 2}}}}};
  Register run{*this, 0xb4, "RUN", Access::read_only, 0, "State of the run of all",
      {{"state", 0, 1, "over: every rank has finished, or nothing can be recovered", {{"going_on", 0}, {"over", 1}}}}};
  Register status{*this, 0xb8, "STATUS", Access::read_only, 0, "Rings that have stopped",
      {{"error", 0, 8, "Why the last of them did", {{"none", 0}, {"bad_descriptor", 1}, {"bad_ring", 2}, {"no_memory", 3}}},
       {"send0_stopped", 8, 1, "Until SEND0_BASE_LOW is written"},
       {"send1_stopped", 9, 1, "Until SEND1_BASE_LOW is written"},
       {"receive_stopped", 10, 1, "Until RECEIVE_BASE_LOW is written"}}};
  Register mark{*this, 0xbc, "MARK", Access::write_only, 0, "Tells what the node's rank does, for statistics: nothing depends on it",
      {{"what", 0, 4, "cluster/rank_mark.h; RESULT is the number of the version, or of the step", mark_values()}}};
  // clang-format on
  NicRegisters() : RegisterBank("NIC", 4_KiB) {}

 private:
  static std::vector<std::pair<std::string, std::uint32_t>> mark_values() {
    std::vector<std::pair<std::string, std::uint32_t>> values;
    for (const auto& [mark, name, meaning] : enum_names(RankMark{}))
      values.emplace_back(name, static_cast<std::uint32_t>(mark));
    return values;
  }
};

}  // namespace asterism
