// A Swizzle-Switch: a crossbar whose arbitration sits in its crosspoints, one decision an output and cycle
// (abeyratne2017 section 3.2.2).
//
// Each output keeps an order of priority among the inputs. The highest input that requests the output wins it,
// and the grant changes the order at once:
//
//   least recently granted  the winner goes to the end, all others keep their order; 0, 1, 2, ... at reset. A
//                           request waits for at most inputs - 1 grants. What the silicon has.
//   round robin             the order starts behind the last winner; 0, 1, 2, ... at reset. Fair only while all
//                           request always.
//   fixed                   the lowest input first; starves the others.
//
// `has_priority_over` compares two requests and `granted` is told who won, so that a tournament over the requests finds the
// winner without collecting them; grant() does that for a list.
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
       {ArbiterPolicy::round_robin, "round_robin", "the order starts behind the last winner"},
       {ArbiterPolicy::fixed, "fixed", "the lowest input first; starves the others"}});
}

class SwizzleSwitch {
 public:
  // Any radix up to 65,534 inputs. Throws std::invalid_argument for more, for no inputs and for no outputs.
  SwizzleSwitch(unsigned inputs, unsigned outputs, ArbiterPolicy policy);

  // Whether input a's request for the output goes before b's.
  bool has_priority_over(unsigned output, unsigned a, unsigned b) const {
    if (policy_ != ArbiterPolicy::least_recently_granted) return turn(output, a) < turn(output, b);
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

  // One cycle of one output: the winner among the inputs that request it, nullopt when none does.
  std::optional<unsigned> grant(unsigned output, std::span<const unsigned> requests);

  unsigned inputs() const { return inputs_; }
  unsigned outputs() const { return outputs_; }
  // The orders as at construction.
  void reset();

  Bytes memory() const { return Bytes(sizeof(*this) + order_.size() * sizeof(Rank)); }

 private:
  // Small, because a fabric has an order for each output and goes through all of them in every cycle.
  using Rank = std::uint16_t;
  static constexpr Rank highest_rank = 0xffff;

  // How many inputs stand before this one.
  unsigned turn(unsigned output, unsigned input) const {
    const auto after = static_cast<unsigned>(row(output)[inputs_]);
    return input > after ? input - after - 1 : input + inputs_ - after - 1;
  }

  const Rank* row(unsigned output) const { return &order_[std::size_t{output} * (inputs_ + 1)]; }
  Rank* row(unsigned output) { return &order_[std::size_t{output} * (inputs_ + 1)]; }

  void renumber(Rank* order) const;  // the same order with the lowest numbers

  unsigned inputs_, outputs_;
  ArbiterPolicy policy_;
  // A row for each output. Least recently granted: a number for each input, the lower goes first, and the
  // highest given so far; otherwise only the last element counts, the last winner.
  std::vector<Rank> order_;
};

}  // namespace asterism
