// How the packets of an access move from node to node: loosely timed, with an immediate answer (loose and
// contended), or flit by flit, while the caller waits (FabricConfig::fidelity).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "fabric/network/flit_network.h"
#include "fabric/network/predicted_network.h"
#include "tlm/alarm.h"

namespace asterism {

class PacketCarrier {
 public:
  virtual ~PacketCarrier() = default;

  // Carries a packet that is offered at now + delay to its destination, which it reaches at the new now +
  // delay. Returns false if a reset has dropped it. The packet's tag is for use by the carrier.
  virtual bool carry(Packet packet, sc_core::sc_time& delay) = 0;
  // Drops all packets; every caller that waits for one resumes at once.
  virtual void reset(Reset kind) = 0;
  // Attaches a hook to the arbitration of a router. A carrier that does not arbitrate throws
  // std::invalid_argument.
  virtual void attach_hook(RouterId router, ArbitrationHook* hook) = 0;
  // Flits through each channel since the last reset.
  virtual std::vector<std::uint64_t> channel_flits() const = 0;
};

class PredictedCarrier final : public PacketCarrier {
 public:
  // Without curves it is loose, with them contended. Callers run ahead of simulated time by `quantum`.
  PredictedCarrier(std::shared_ptr<const Topology> topology, const FlitParameters& parameters,
                   const std::vector<RouterId>& gated, const std::optional<FabricCurves>& curves,
                   Picoseconds quantum);

  bool carry(Packet packet, sc_core::sc_time& delay) override;
  void reset(Reset kind) override { network_.reset(kind); }
  void attach_hook(RouterId router, ArbitrationHook* hook) override;
  std::vector<std::uint64_t> channel_flits() const override { return network_.load().channel_flits; }

 private:
  PredictedNetwork network_;
};

// carry() first waits for the delay, which is 0 afterwards: only callers that may wait can use it.
//
// The network runs ahead of simulated time up to the next delivery as long as no other process has anything
// to do before it. No packet can be offered in between, except those that the host's input (a terminal)
// causes. Such a packet starts at the time that the network has reached.
class FlitCarrier final : public PacketCarrier, private FlitNetwork::Sink {
 public:
  // Construct it during elaboration. Throws std::invalid_argument for parameters that do not fit the
  // topology.
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
  std::deque<Journey> journeys_;  // by tag; a thread waits for each journey that is not free
  std::vector<std::uint64_t> free_;
  sc_core::sc_event aborted_;
  std::uint64_t resets_ = 0;
  bool has_delivered_ = false;
  Picoseconds network_time_;
};

}  // namespace asterism
