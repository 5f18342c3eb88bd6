// A hook into the arbitration of a switch: attached beside a SwizzleSwitch, it decides in place of it or
// observes its decisions. RTL uses it, alone or in lockstep with the model. Without a hook the SwizzleSwitch
// decides alone.
#pragma once

#include <array>
#include <cstdint>

#include "base/reset.h"
#include "base/units.h"

namespace asterism {

// Input i is bit i % 64 of word i / 64.
using RequestSet = std::array<std::uint64_t, 2>;
constexpr unsigned max_hook_radix = 128;

class ArbitrationHook {
 public:
  virtual ~ArbitrationHook() = default;

  // Decides one cycle of one output that at least one input requests. `choice` is the decision of the
  // SwizzleSwitch; the returned input is granted.
  virtual unsigned decide(Picoseconds now, unsigned output, const RequestSet& requests, unsigned choice) = 0;
  virtual void reset(Reset kind) = 0;
};

}  // namespace asterism
