// The chip's view of a network: packets enter at one node and leave at another, later. It is implemented by
// the flit engine and the loosely timed one (fabric_packet_network.h), and in tests by one with a fixed
// latency.
#pragma once

#include <cstdint>
#include <optional>

#include "base/reset.h"
#include "base/units.h"

namespace asterism {

class PacketNetwork {
 public:
  struct Packet {
    std::uint32_t source = 0, destination = 0;  // different nodes
    std::uint32_t flits = 1;
    std::uint64_t tag = 0;  // for use by the sender
  };
  struct Sink {
    virtual ~Sink() = default;
    // The tail of the packet has reached its destination. Calls of one advance_to() come in order of time;
    // nothing may be sent from inside one.
    virtual void arrived(Picoseconds at, const Packet& packet) = 0;
  };

  virtual ~PacketNetwork() = default;
  virtual std::uint32_t nodes() const = 0;
  virtual unsigned channel_bits() const = 0;

  // `now` must not be before the time of the last advance_to().
  virtual void send(const Packet& packet, Picoseconds now) = 0;

  // The engine protocol (base/engine.h).
  virtual std::optional<Picoseconds> next_event() const = 0;
  virtual void advance_to(Picoseconds now, Sink& sink) = 0;
  virtual void reset(Reset kind) = 0;
};

}  // namespace asterism
