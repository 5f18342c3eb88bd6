#include "manycore/fabric_packet_network.h"

namespace asterism {

void FlitPacketNetwork::send(const Packet& packet, Picoseconds now) {
  network_.inject(
      {.source = packet.source, .destination = packet.destination, .flits = packet.flits, .tag = packet.tag},
      now);
}

void FlitPacketNetwork::advance_to(Picoseconds now, Sink& sink) {
  struct Forward final : FlitNetwork::Sink {
    explicit Forward(PacketNetwork::Sink& to) : to(to) {}
    void delivered(const Delivery& delivery) override {
      const asterism::Packet& p = delivery.packet;
      to.arrived(delivery.delivered, {p.source, p.destination, p.flits, p.tag});
    }
    PacketNetwork::Sink& to;
  } forward(sink);
  network_.advance_to(now, forward);
}

void PredictedPacketNetwork::send(const Packet& packet, Picoseconds now) {
  network_.commit(now);
  const Picoseconds at = network_.send(
      {.source = packet.source, .destination = packet.destination, .flits = packet.flits, .tag = packet.tag},
      now);
  arrivals_.push({at, order_++, packet});
}

std::optional<Picoseconds> PredictedPacketNetwork::next_event() const {
  if (arrivals_.empty()) return std::nullopt;
  return arrivals_.top().at;
}

void PredictedPacketNetwork::advance_to(Picoseconds now, Sink& sink) {
  while (!arrivals_.empty() && arrivals_.top().at <= now) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    sink.arrived(arrival.at, arrival.packet);
  }
}

void PredictedPacketNetwork::reset(Reset kind) {
  network_.reset(kind);
  arrivals_ = {};
  order_ = 0;
}

}  // namespace asterism
