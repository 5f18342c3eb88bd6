#include "swizzle_switch/swizzle_switch.h"

#include <stdexcept>

namespace asterism {

SwizzleSwitch::SwizzleSwitch(unsigned inputs, unsigned outputs, ArbiterPolicy policy)
    : inputs_(inputs), outputs_(outputs), policy_(policy), order_((std::size_t{inputs} + 1) * outputs) {
  if (inputs == 0 || outputs == 0)
    throw std::invalid_argument("a switch has at least one input and one output");
  reset();
}

std::optional<unsigned> SwizzleSwitch::grant(unsigned output, std::span<const unsigned> requests) {
  if (requests.empty()) return std::nullopt;
  unsigned winner = requests.front();
  for (const unsigned input : requests.subspan(1))
    if (beats(output, input, winner)) winner = input;
  granted(output, winner);
  return winner;
}

void SwizzleSwitch::reset() {
  for (unsigned output = 0; output < outputs_; ++output) {
    for (unsigned input = 0; input < inputs_; ++input) row(output)[input] = input;
    row(output)[inputs_] = inputs_ - 1;
  }
}

}  // namespace asterism
