#include "swizzle_switch/swizzle_switch.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace asterism {

SwizzleSwitch::SwizzleSwitch(unsigned inputs, unsigned outputs, ArbiterPolicy policy)
    : inputs_(inputs), outputs_(outputs), policy_(policy), order_((std::size_t{inputs} + 1) * outputs) {
  if (inputs == 0 || outputs == 0)
    throw std::invalid_argument("a switch has at least one input and one output");
  if (inputs >= highest_rank) throw std::invalid_argument("a switch has at most 65,534 inputs");
  reset();
}

std::optional<unsigned> SwizzleSwitch::grant(unsigned output, std::span<const unsigned> requests) {
  if (requests.empty()) return std::nullopt;
  unsigned winner = requests.front();
  for (const unsigned input : requests.subspan(1))
    if (has_priority_over(output, input, winner)) winner = input;
  granted(output, winner);
  return winner;
}

void SwizzleSwitch::renumber(Rank* order) const {
  std::vector<unsigned> inputs(inputs_);
  std::iota(inputs.begin(), inputs.end(), 0u);
  std::ranges::sort(inputs, {}, [&](unsigned input) { return order[input]; });
  for (unsigned place = 0; place < inputs_; ++place) order[inputs[place]] = static_cast<Rank>(place);
  order[inputs_] = static_cast<Rank>(inputs_ - 1);
}

void SwizzleSwitch::reset() {
  for (unsigned output = 0; output < outputs_; ++output) {
    for (unsigned input = 0; input < inputs_; ++input) row(output)[input] = static_cast<Rank>(input);
    row(output)[inputs_] = static_cast<Rank>(inputs_ - 1);
  }
}

}  // namespace asterism
