#include "core/a64/fusion.h"

#include <array>
#include <tuple>
#include <unordered_map>

#include "core/a64/branch_operations.h"
#include "core/a64/integer_operations.h"

namespace asterism::a64 {
namespace {

using namespace integer;

// The fused pairs, which are frequent in gcc's code and in hand-written loops.
using Results =
    std::tuple<AddConstant<X>, AddConstant<W>, AddShifted<X, 0, Shift::none>, AddShifted<W, 0, Shift::none>,
               AddShifted<X, 2, Shift::none>, AddShifted<X, 0, Shift::lsl>, AddShifted<X, 0, Shift::lsr>,
               LogicShifted<X, 2, false, Shift::none>, LogicShifted<X, 2, false, Shift::lsl>,
               LogicShifted<X, 2, false, Shift::lsr>, LogicConstant<X, 0>, ShiftConstant<X, Shift::lsl>,
               ShiftConstant<X, Shift::lsr>, MultiplyAdd<X>, Move<X>, SetConstant>;
using Comparisons = std::tuple<SubsConstant<X>, SubsConstant<W>, AddShifted<X, 3, Shift::none>,
                               AddShifted<W, 3, Shift::none>, LogicConstant<X, 3>, LogicConstant<W, 3>>;

// The handlers of a pair. Bits 0 and 1 of the index: whether the second's rn and rm are the first's rd.
using ByOperands = std::array<Handler, 4>;
struct Pair {
  Handler first, second;
  bool operator==(const Pair&) const = default;
};
struct HashOfPair {
  std::size_t operator()(const Pair& pair) const {
    return reinterpret_cast<std::uintptr_t>(pair.first) * 31 ^ reinterpret_cast<std::uintptr_t>(pair.second);
  }
};
using Pairs = std::unordered_map<Pair, ByOperands, HashOfPair>;

template <class First, class Second>
void add_results(Pairs& pairs) {
  constexpr bool n = Second::uses_n, m = Second::uses_m;
  pairs[{step<one<First>>, step<one<Second>>}] = {
      step<two<First, Second, false, false>>, step<two<First, Second, n, false>>,
      step<two<First, Second, false, m>>, step<two<First, Second, n, m>>};
}
template <class First, auto branch>
const Operation* one_then(Cpu& cpu, const Operation& op) {
  one<First>(cpu, op);
  return branch(cpu, (&op)[1]);
}
template <class First, auto branch>
void add_branch(Pairs& pairs) {
  constexpr Handler handler = step<one_then<First, branch>>;
  pairs[{step<one<First>>, step<branch>}] = {handler, handler, handler, handler};
}
template <class First>
void add_branches(Pairs& pairs) {
  add_branch<First, taken>(pairs);
  add_branch<First, compare_and_branch<X, false>>(pairs);
  add_branch<First, compare_and_branch<X, true>>(pairs);
  add_branch<First, compare_and_branch<W, false>>(pairs);
  add_branch<First, compare_and_branch<W, true>>(pairs);
  add_branch<First, test_and_branch<false>>(pairs);
  add_branch<First, test_and_branch<true>>(pairs);
}
// The end of a counting loop: a result, the comparison of a counter, and the branch back.
template <class First, class Comparison, unsigned condition>
void add_end_of_loop(Pairs& pairs) {
  constexpr auto comparison = one_then<Comparison, branch_if<condition>>;
  constexpr Handler handler = step<one_then<First, comparison>>;
  pairs[{step<one<First>>, step<comparison>}] = {handler, handler, handler, handler};
}
template <class First>
void add_ends_of_loops(Pairs& pairs) {
  constexpr unsigned eq = 0, ne = 1;
  add_end_of_loop<First, SubsConstant<X>, eq>(pairs);
  add_end_of_loop<First, SubsConstant<X>, ne>(pairs);
  add_end_of_loop<First, SubsConstant<W>, eq>(pairs);
  add_end_of_loop<First, SubsConstant<W>, ne>(pairs);
  add_end_of_loop<First, AddShifted<X, 3, Shift::none>, eq>(pairs);
  add_end_of_loop<First, AddShifted<X, 3, Shift::none>, ne>(pairs);
}
// A selection that uses the comparison's result is too rare for handlers of its own.
template <class Comparison, class Selection>
void add_selection(Pairs& pairs) {
  constexpr Handler handler = step<two<Comparison, Selection, false, false>>;
  pairs[{step<one<Comparison>>, step<one<Selection>>}] = {handler, handler, handler, handler};
}
template <class Comparison, unsigned condition>
void add_conditional(Pairs& pairs) {
  add_branch<Comparison, branch_if<condition>>(pairs);
  add_selection<Comparison, Select<X, 0, condition>>(pairs);
  add_selection<Comparison, Select<X, 1, condition>>(pairs);
  add_selection<Comparison, Select<W, 0, condition>>(pairs);
  add_selection<Comparison, Select<W, 1, condition>>(pairs);
}

// f.operator()<Type>() for every type of a tuple.
template <class Types, class F>
void for_each_type(F f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (f.template operator()<std::tuple_element_t<i, Types>>(), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Types>>());
}

Pairs all_pairs() {
  constexpr std::size_t conditions = 14;  // without AL
  Pairs pairs;
  for_each_type<Results>([&]<class First> {
    for_each_type<Results>([&]<class Second> { add_results<First, Second>(pairs); });
    add_branches<First>(pairs);
    add_ends_of_loops<First>(pairs);
  });
  for_each_type<Comparisons>([&]<class Comparison> {
    [&]<std::size_t... condition>(std::index_sequence<condition...>) {
      (add_conditional<Comparison, condition>(pairs), ...);
    }
    (std::make_index_sequence<conditions>());
  });
  return pairs;
}

}  // namespace

void fuse(std::vector<Operation>& operations) {
  static const Pairs pairs = all_pairs();
  // From the end, because comparisons precede their branches. A fused operation may be the second of another
  // pair again.
  for (std::size_t at = operations.size(); at >= 2; --at) {
    Operation &first = operations[at - 2], &second = operations[at - 1];
    const auto found = pairs.find({first.run, second.run});
    if (found == pairs.end()) continue;
    first.run = found->second[(second.rn == first.rd ? 1 : 0) + (second.rm == first.rd ? 2 : 0)];
  }
}

}  // namespace asterism::a64
