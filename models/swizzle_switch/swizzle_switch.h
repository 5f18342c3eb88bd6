// A Swizzle-Switch: a crossbar with arbitration in its crosspoints, one decision per output and cycle
// (abeyratne2017 section 3.2.2).
//
// Each output keeps an order of priority among the inputs. The highest input that requests the output wins
// it, and the grant changes the order at once:
//
//   least recently granted  the winner becomes the last, all others keep their order; 0, 1, 2, ... at reset.
//                           A request waits for at most inputs - 1 grants. This is what the silicon
//                           implements.
//   round robin             the order starts after the last winner; 0, 1, 2, ... at reset. It is fair only
//                           while all inputs request all the time.
//   fixed                   the lowest input first; starves the others.
//
// `has_priority_over` compares two requests and `granted` records the winner, so that a tournament over the
// requests finds the winner without collecting them; grant() does that for a list.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

enum class ArbiterPolicy { least_recently_granted, round_robin, fixed };
constexpr auto enum_names(ArbiterPolicy) {
  return std::to_array<EnumName<ArbiterPolicy>>(
      {{ArbiterPolicy::least_recently_granted, "lrg", "least recently granted, as in the crosspoints"},
       {ArbiterPolicy::round_robin, "round_robin", "the order starts after the last winner"},
       {ArbiterPolicy::fixed, "fixed", "the lowest input first; starves the others"}});
}

class SwizzleSwitch {
 public:
  // Any radix up to 65,534 inputs. Throws std::invalid_argument for more, for no inputs and for no outputs.
  SwizzleSwitch(unsigned inputs, unsigned outputs, ArbiterPolicy policy);

  // Whether input a's request for the output is granted before b's.
  bool has_priority_over(unsigned output, unsigned a, unsigned b) const {
    if (policy_ != ArbiterPolicy::least_recently_granted) return position(output, a) < position(output, b);
    const Rank* order = row(output);
    return order[a] < order[b];
  }
  void granted(unsigned output, unsigned winner) {
    Rank* order = row(output);
    if (policy_ == ArbiterPolicy::least_recently_granted) {
      order[winner] = ++order[inputs_];
      if (order[inputs_] == highest_rank) renumber(order);
    } else if (policy_ == ArbiterPolicy::round_robin) {
      order[inputs_] = static_cast<Rank>(winner);
    }
  }

  // Arbitrates one cycle of one output: returns the winner among the inputs that request it, nullopt if there
  // is none.
  std::optional<unsigned> grant(unsigned output, std::span<const unsigned> requests);

  unsigned inputs() const { return inputs_; }
  unsigned outputs() const { return outputs_; }
  // Restores the initial orders.
  void reset();

  Bytes memory() const { return Bytes(sizeof(*this) + order_.size() * sizeof(Rank)); }

 private:
  // Small, because a fabric has an order for each output and goes through all of them in every cycle.
  using Rank = std::uint16_t;
  static constexpr Rank highest_rank = 0xffff;

  // The number of inputs before this one.
  unsigned position(unsigned output, unsigned input) const {
    const auto after = static_cast<unsigned>(row(output)[inputs_]);
    return input > after ? input - after - 1 : input + inputs_ - after - 1;
  }

  const Rank* row(unsigned output) const { return &order_[std::size_t{output} * (inputs_ + 1)]; }
  Rank* row(unsigned output) { return &order_[std::size_t{output} * (inputs_ + 1)]; }

  void renumber(Rank* order) const;  // the same order with the lowest numbers

  unsigned inputs_, outputs_;
  ArbiterPolicy policy_;
  // One row for each output. For least recently granted: a number for each input, where the lower one has
  // priority, and the highest number assigned so far. Otherwise only the last element is used, for the last
  // winner.
  std::vector<Rank> order_;
};

}  // namespace asterism
