// A source of packets: a pattern (traffic.h), a trace (trace.h), or anything else that a study feeds into a
// fabric.
#pragma once

#include <optional>

#include "base/units.h"
#include "fabric/network/flit_network.h"

namespace asterism {

class PacketSource {
 public:
  struct TimedPacket {
    Packet packet;
    Picoseconds created;
  };

  virtual ~PacketSource() = default;
  // The next packet, none earlier than the previous one; nullopt from the end on.
  virtual std::optional<TimedPacket> next() = 0;
};

}  // namespace asterism
