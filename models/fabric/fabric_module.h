// The fabric of a node: routers and channels between its masters and targets, each on a node of a Topology
// (port_placement.h).
//
// An access is two packets: a request from the master's node to the target's, and when the target has done its work a
// response back. Each begins with a header of 16 bytes (command, address, length, byte enables, who asks, status); a
// write's request and a read's response carry the data behind it. A packet's flits are those of its header and those
// of its data, channel_width bits each: with 128 bits a line of 64 bytes is 4 flits and the header one.
//
// FabricConfig::fidelity:
//
//   loose  the delay grows by what loose_network.h says. Direct memory passes as on a crossbar, and what goes that way
//          is neither seen nor counted here.
//   flit   the packets move through flit_network.h and the master waits for them, at its own time; the target acts
//          when the request has arrived. So that every access is seen, direct memory is granted only to masters that
//          show theirs (tlm/initiator_extension.h), and refused to others. Only masters that may wait, in threads.
//
// A target of several parts (TargetParts) sits on as many nodes. An access goes to the node of the part that it lies in; one
// that lies in several is as many accesses, one after the other, and the first that fails is the last.
//
// Debug transport takes no time. An access that no target answers takes none either: the decoder stands at the
// master's port.
//
// reset: every kind empties the network, sets priorities, rounds and measured load back, and keeps what report() counts.
// An access under way ends at once, with a GENERIC_ERROR.
#pragma once

#include <memory>
#include <vector>

#include "fabric/decoding_interconnect.h"
#include "fabric/fabric_config.h"
#include "fabric/packet_carrier.h"
#include "fabric/port_placement.h"

namespace asterism {

// As "busiest_channel"; nothing where there are no channels.
void report_busiest_channel(const Topology& topology, const std::vector<std::uint64_t>& channel_flits,
                            Statistics& statistics);

class Fabric final : public DecodingInterconnect {
 public:
  // Throws std::invalid_argument for what does not fit the topology.
  Fabric(const sc_core::sc_module_name& name, const FabricConfig& config,
         std::shared_ptr<const Topology> topology, PortPlacement placement);

  // By the name of the module that the socket belongs to, and by `name`; throw std::invalid_argument for one that the
  // placement does not have.
  void add_master(tlm::tlm_initiator_socket<>& socket) override;
  void add_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name) override;
  void add_divided_target(tlm::tlm_target_socket<>& socket, AddressRange range, const std::string& name,
                          const TargetParts& parts) override;
  std::vector<SwitchPorts> switches() const override;
  void attach_hook(std::size_t index, ArbitrationHook* hook) override;
  void reset(Reset kind) override;
  void report(Statistics& statistics) const override;

 private:
  void travel(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
              sc_core::sc_time& delay) override;
  bool may_ask(tlm::tlm_generic_payload& payload) override;
  void was_granted(tlm::tlm_generic_payload& payload) override;

  struct Target {
    std::vector<NodeId> nodes;  // of its parts
    TargetParts parts;          // no names: it is in one piece
    std::vector<std::uint64_t> accesses;

    bool is_divided() const { return !parts.names.empty(); }
    unsigned part_at(Bytes offset) const { return is_divided() ? parts.part_at(offset) : 0; }
  };

  // A part gets the access, or the piece of it that lies there.
  void travel_to(unsigned part, int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                 sc_core::sc_time& delay);
  void travel_in_pieces(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                        sc_core::sc_time& delay);
  // Of the bytes from an offset on, how many lie in one part, up to `most`.
  static unsigned in_one_part(const Target& target, Bytes offset, unsigned most);

  NodeId node_of(const std::string& name) const;
  bool carry(NodeId source, NodeId destination, std::uint32_t flits, sc_core::sc_time& delay);
  std::vector<std::uint64_t> all_channel_flits() const;

  const Fidelity fidelity_;
  const std::uint32_t channel_bits_;
  std::shared_ptr<const Topology> topology_;
  const PortPlacement placement_;
  std::unique_ptr<PacketCarrier> carrier_;
  std::vector<NodeId> masters_on_;
  std::vector<Target> targets_;

  std::uint64_t resets_ = 0;
  std::uint64_t packets_ = 0, flits_ = 0, cut_ = 0;
  Picoseconds latency_, longest_;             // of all packets together; of one
  std::vector<std::uint64_t> channel_flits_;  // before the last reset
};

}  // namespace asterism
