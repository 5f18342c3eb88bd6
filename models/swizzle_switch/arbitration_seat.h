// Who decides at the outputs of a switch in place of the SwizzleSwitch beside it, or watches it decide: RTL, or RTL in
// lockstep with the model. A switch whose seat is empty asks its SwizzleSwitch alone.
#pragma once

#include <array>
#include <cstdint>

#include "base/reset.h"
#include "base/units.h"

namespace asterism {

// Input i in bit i % 64 of word i / 64.
using RequestSet = std::array<std::uint64_t, 2>;
constexpr unsigned largest_seat_radix = 128;

class ArbitrationSeat {
 public:
  virtual ~ArbitrationSeat() = default;

  // One cycle of one output, which at least one input requests. `choice` is the SwizzleSwitch's; the answer wins.
  virtual unsigned decide(Picoseconds now, unsigned output, const RequestSet& requests, unsigned choice) = 0;
  virtual void reset(Reset kind) = 0;
};

}  // namespace asterism
