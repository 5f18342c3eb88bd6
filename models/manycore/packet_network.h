// A network as the chip sees it: packets go in at one node and come out at another, later. The flit engine
// and the loosely timed one stand behind it (fabric_packet_network.h), in tests one with a fixed latency.
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
    std::uint64_t tag = 0;  // the sender's own
  };
  struct Sink {
    virtual ~Sink() = default;
    // The tail of the packet reached its destination. Calls of one advance_to() come in order of time;
    // nothing is sent from inside one.
    virtual void arrived(Picoseconds at, const Packet& packet) = 0;
  };

  virtual ~PacketNetwork() = default;
  virtual std::uint32_t nodes() const = 0;
  virtual unsigned channel_bits() const = 0;

  // Not before the time of the last advance_to().
  virtual void send(const Packet& packet, Picoseconds now) = 0;

  // The engine protocol (base/engine.h).
  virtual std::optional<Picoseconds> next_event() const = 0;
  virtual void advance_to(Picoseconds now, Sink& sink) = 0;
  virtual void reset(Reset kind) = 0;
};

}  // namespace asterism
