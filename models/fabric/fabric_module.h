// The fabric of a node: routers and channels between its masters and targets, each of which is attached to a
// node of a Topology (port_placement.h).
//
// An access consists of two packets: a request from the master's node to the target's node, and a response
// back when the target has completed the access. Each packet begins with a header of 16 bytes (command,
// address, length, byte enables, initiator, status); the request of a write and the response of a read carry
// the data after it. The header and the data are divided separately into flits of channel_width bits: with
// 128 bits, a line of 64 bytes is 4 flits and the header is one.
//
// FabricConfig::fidelity:
//
//   loose      the delay increases by the latency of each packet alone (predicted_network.h). Direct memory
//              access passes as on a crossbar; accesses that use it are neither observed nor counted here.
//   contended  the same, and the delay also increases by waits that follow from the load of the links.
//   flit       the packets move through flit_network.h, and the master waits for them, at its own time; the
//              target acts when the request has arrived. Since every access has to be observed, direct memory
//              is granted only to masters that report their accesses (tlm/initiator_extension.h), and refused
//              to others. Masters have to be threads, since they wait.
//
// A target of several parts (TargetParts) is attached to as many nodes. An access goes to the node of the
// part that contains its address. An access that spans several parts is split into one access for each, one
// after the other; the first one that fails is the last.
//
// Debug transport takes no time. An access that no target answers takes none either, since the decoder is at
// the master's port.
//
// reset: every kind empties the network and resets priorities, round-robin positions and the measured load,
// and keeps the counts of report(). An access in progress ends at once with a GENERIC_ERROR.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fabric/decoding_interconnect.h"
#include "fabric/fabric_config.h"
#include "fabric/packet_carrier.h"
#include "fabric/port_placement.h"

namespace asterism {

// Reports the busiest channel as "busiest_channel"; reports nothing if there are no channels.
void report_busiest_channel(const Topology& topology, const std::vector<std::uint64_t>& channel_flits,
                            Statistics& statistics);

class Fabric final : public DecodingInterconnect {
 public:
  // The curves are used by a contended fabric; masters run ahead of simulated time by `quantum`. Throws
  // std::invalid_argument for parameters that do not fit the topology.
  Fabric(const sc_core::sc_module_name& name, const FabricConfig& config,
         std::shared_ptr<const Topology> topology, PortPlacement placement,
         const std::optional<FabricCurves>& curves = {}, Picoseconds quantum = 1_us);

  // Attach to the node of the module that the socket belongs to, and of `name`. Throw std::invalid_argument
  // for a name that the placement does not have.
  using Interconnect::add_master;
  void add_master(tlm::tlm_initiator_socket<>& socket, const std::string& name) override;
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
  class Path;
  std::unique_ptr<TimedPath> make_path(int master, const Entry& entry, TimedPath& target) override;
  bool may_request_dmi(tlm::tlm_generic_payload& payload) override;
  void was_granted(tlm::tlm_generic_payload& payload) override;

  struct Target {
    std::vector<NodeId> nodes;  // the nodes of its parts
    TargetParts parts;          // without names if the target has a single part
    std::vector<std::uint64_t> accesses;

    bool is_divided() const { return !parts.names.empty(); }
    unsigned part_at(Bytes offset) const { return is_divided() ? parts.part_at(offset) : 0; }
  };

  // Carries the access, or the piece of it that lies in this part, to the part.
  void travel_to(unsigned part, int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                 sc_core::sc_time& delay);
  void travel_in_pieces(int master, const Entry& entry, tlm::tlm_generic_payload& payload,
                        sc_core::sc_time& delay);
  // Returns how many of the bytes from an offset on lie in one part, at most `most`.
  static unsigned in_one_part(const Target& target, Bytes offset, unsigned most);

  // The flits of a packet with so many bytes of data.
  std::uint32_t flits_of(std::uint32_t bytes) const;
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
  std::uint64_t packets_ = 0, flits_ = 0, aborted_ = 0;
  Picoseconds latency_, longest_;             // the total of all packets; the maximum
  std::vector<std::uint64_t> channel_flits_;  // counts from before the last reset
};

}  // namespace asterism
