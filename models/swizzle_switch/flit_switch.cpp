#include "swizzle_switch/flit_switch.h"

#include <algorithm>
#include <stdexcept>

namespace asterism {
namespace {

constexpr FlitSwitch::Ports bit(unsigned port) { return FlitSwitch::Ports{1} << port; }

}  // namespace

void FlitSwitch::Inputs::offer(unsigned input, unsigned to, bool is_last) {
  valid |= bit(input);
  last = is_last ? last | bit(input) : last & ~bit(input);
  destination.at(input) = static_cast<std::uint8_t>(to);
}

FlitSwitch::FlitSwitch(unsigned radix)
    : radix_(radix), arbiter_(radix, radix, ArbiterPolicy::least_recently_granted), holder_(radix, none) {
  if (radix < 2 || radix > max_radix)
    throw std::invalid_argument("a flit switch has 2 to 64 inputs and as many outputs");
}

FlitSwitch::Outputs FlitSwitch::settle(const Inputs& in) const {
  Outputs out;
  for (unsigned output = 0; output < radix_; ++output) {
    const std::uint8_t input = holder_[output];
    if (input == none) continue;
    if (in.out_ready & bit(output)) out.in_ready |= bit(input);
    if (!(in.valid & bit(input))) continue;
    out.out_valid |= bit(output);
    if (in.last & bit(input)) out.out_last |= bit(output);
    out.source[output] = input;
  }
  return out;
}

FlitSwitch::Outputs FlitSwitch::cycle(const Inputs& in) {
  const Outputs out = settle(in);
  arbitrate(in);
  for (Ports released = out.out_last & in.out_ready; released != 0; released &= released - 1) {
    std::uint8_t& holder = holder_[static_cast<unsigned>(std::countr_zero(released))];
    holding_ &= ~bit(holder);
    holder = none;
  }
  return out;
}

// The outputs that were free before this cycle.
void FlitSwitch::arbitrate(const Inputs& in) {
  std::array<std::uint8_t, max_radix> winner;
  winner.fill(none);
  for (Ports asking = in.valid & ~holding_; asking != 0; asking &= asking - 1) {
    const auto input = static_cast<std::uint8_t>(std::countr_zero(asking));
    const unsigned output = in.destination[input];
    if (input >= radix_ || output >= radix_ || holder_[output] != none) continue;
    if (winner[output] == none || arbiter_.has_priority_over(output, input, winner[output]))
      winner[output] = input;
  }
  for (unsigned output = 0; output < radix_; ++output) {
    if (winner[output] == none) continue;
    arbiter_.granted(output, winner[output]);
    holder_[output] = winner[output];
    holding_ |= bit(winner[output]);
  }
}

void FlitSwitch::reset() {
  arbiter_.reset();
  std::ranges::fill(holder_, none);
  holding_ = 0;
}

}  // namespace asterism
