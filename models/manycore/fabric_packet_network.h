// The fabric's two engines as a PacketNetwork.
#pragma once

#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "fabric/network/flit_network.h"
#include "fabric/network/predicted_network.h"
#include "manycore/packet_network.h"

namespace asterism {

class FlitPacketNetwork final : public PacketNetwork {
 public:
  FlitPacketNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& parameters)
      : topology_(std::move(topology)), network_(topology_, parameters) {}

  std::uint32_t nodes() const override { return static_cast<std::uint32_t>(topology_->nodes.size()); }
  unsigned channel_bits() const override { return topology_->channel_bits; }
  void send(const Packet& packet, Picoseconds now) override;
  std::optional<Picoseconds> next_event() const override { return network_.next_event(); }
  void advance_to(Picoseconds now, Sink& sink) override;
  void reset(Reset kind) override { network_.reset(kind); }

  FlitNetwork& engine() { return network_; }  // gives access to power gating and the load

 private:
  std::shared_ptr<const Topology> topology_;
  FlitNetwork network_;
};

// An arrival that the loosely timed engine predicts is an event. Without curves it is loose, with them
// contended.
class PredictedPacketNetwork final : public PacketNetwork {
 public:
  PredictedPacketNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& flit,
                         const std::optional<FabricCurves>& curves = {})
      : topology_(std::move(topology)), network_(topology_, flit, curves) {}

  std::uint32_t nodes() const override { return static_cast<std::uint32_t>(topology_->nodes.size()); }
  unsigned channel_bits() const override { return topology_->channel_bits; }
  void send(const Packet& packet, Picoseconds now) override;
  std::optional<Picoseconds> next_event() const override;
  void advance_to(Picoseconds now, Sink& sink) override;
  void reset(Reset kind) override;

  PredictedNetwork& engine() { return network_; }

 private:
  struct Arrival {
    Picoseconds at;
    std::uint64_t order;  // the order of sending
    Packet packet;
    bool operator>(const Arrival& other) const {
      return at != other.at ? other.at < at : other.order < order;
    }
  };

  std::shared_ptr<const Topology> topology_;
  PredictedNetwork network_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::uint64_t order_ = 0;
};

}  // namespace asterism
