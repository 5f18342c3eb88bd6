#include "swizzle_switch/swizzle_switch.h"

#include <stdexcept>

namespace asterism {

SwizzleSwitch::SwizzleSwitch(unsigned inputs, unsigned outputs, ArbiterPolicy policy)
    : inputs_(inputs), policy_(policy), last_(outputs) {
  if (inputs == 0 || outputs == 0)
    throw std::invalid_argument("a switch has at least one input and one output");
  if (policy == ArbiterPolicy::least_recently_granted) order_.resize(std::size_t{inputs} * outputs);
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
  for (unsigned output = 0; output < outputs(); ++output) {
    last_[output] = inputs_ - 1;
    if (policy_ != ArbiterPolicy::least_recently_granted) continue;
    for (unsigned input = 0; input < inputs_; ++input) order_[std::size_t{output} * inputs_ + input] = input;
  }
}

}  // namespace asterism
