// How the packets of an access get from node to node: loosely timed, at once and with a time, or flit by flit, with
// the caller waiting (FabricConfig::fidelity).
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "fabric/network/flit_network.h"
#include "fabric/network/loose_network.h"
#include "tlm/alarm.h"

namespace asterism {

class PacketCarrier {
 public:
  virtual ~PacketCarrier() = default;

  // Takes a packet that is offered at now + delay to its destination, where it is at the new now + delay. False: a
  // reset has lost it. The packet's tag is the carrier's.
  virtual bool carry(Packet packet, sc_core::sc_time& delay) = 0;
  // No packet is left, whoever waits for one goes on at once.
  virtual void reset(Reset kind) = 0;
  // Who arbitrates in a router; a carrier that does not arbitrate throws std::invalid_argument.
  virtual void attach_hook(RouterId router, ArbitrationHook* hook) = 0;
  // Flits through each channel since the last reset.
  virtual std::vector<std::uint64_t> channel_flits() const = 0;
};

class LooseCarrier final : public PacketCarrier {
 public:
  LooseCarrier(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
               const std::vector<RouterId>& gated);

  bool carry(Packet packet, sc_core::sc_time& delay) override;
  void reset(Reset kind) override { network_.reset(kind); }
  void attach_hook(RouterId router, ArbitrationHook* hook) override;
  std::vector<std::uint64_t> channel_flits() const override { return network_.load().channel_flits; }

 private:
  LooseNetwork network_;
};

// carry() lets simulated time catch up with the delay, which is 0 afterwards: only for callers that may wait.
//
// The network runs ahead of simulated time up to the next delivery as long as nobody else has anything to do before
// it: nothing can be offered to it in between, but for what the host's input (a terminal) sets off. Such a packet
// starts when the network has got to.
class FlitCarrier final : public PacketCarrier, private FlitNetwork::Sink {
 public:
  // Construct during elaboration. Throws std::invalid_argument for parameters that do not fit.
  FlitCarrier(const std::string& name, std::shared_ptr<const Topology> topology,
              const FlitParameters& parameters, const std::vector<RouterId>& gated);

  bool carry(Packet packet, sc_core::sc_time& delay) override;
  void reset(Reset kind) override;
  void attach_hook(RouterId router, ArbitrationHook* hook) override { network_.attach_hook(router, hook); }
  std::vector<std::uint64_t> channel_flits() const override { return network_.load().channel_flits; }

 private:
  void ring(Picoseconds now);
  void delivered(const Delivery& delivery) override;

  const std::string name_;
  FlitNetwork network_;
  Alarm alarm_;
  struct Journey {
    sc_core::sc_event arrival;
    bool under_way = false;
  };
  std::deque<Journey> journeys_;  // by tag; a thread waits for each that is not free
  std::vector<std::uint64_t> free_;
  sc_core::sc_event cut_;
  std::uint64_t resets_ = 0;
  bool has_delivered_ = false;
  Picoseconds network_time_;
};

}  // namespace asterism
