// Where packets come from: a pattern (traffic.h), a trace (trace.h), whatever else a study feeds a fabric with.
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
  // The next packet, none earlier than the one before; nullopt for ever after the last.
  virtual std::optional<TimedPacket> next() = 0;
};

}  // namespace asterism
