// Where a fast form gives a result, soft floating point gives the same one and raises no further flag.
#include "core/a64/fast_float.h"

#include <gtest/gtest.h>

#include <random>

namespace asterism::a64 {
namespace {

template <class T>
class FastFloat : public testing::Test {
 protected:
  // Ordinary numbers, few bits, and what is special; exponents near those of the other operands, and near the
  // ends.
  T operand() {
    using F = Float<T>;
    const T sign = random_() & 1 ? F::sign_bit : T{0};
    T fraction = static_cast<T>(random_()) & F::fraction_mask;
    if (random_() % 2) fraction &= static_cast<T>(~T{0} << (random_() % F::fraction_bits));
    const auto range = static_cast<unsigned>(F::maximum_biased);
    const unsigned near_one = static_cast<unsigned>(F::bias) + static_cast<unsigned>(random_() % 64) - 32;
    const std::uint64_t kind = random_() % 16;
    if (kind == 0) return sign;
    if (kind == 1) return sign | fraction;  // a denormal
    if (kind == 2) return sign | F::infinity | fraction;
    const unsigned biased = kind < 6 ? static_cast<unsigned>(random_() % range) : near_one;
    return static_cast<T>(sign | static_cast<T>(biased) << F::fraction_bits | fraction);
  }
  template <class Compute, class... Operands>
  void check(Operands... operands) {
    static constexpr std::uint32_t controls[] = {0,       0,       0,      fpcr_bit::dn, fpcr_bit::fz,
                                                 1 << 22, 2 << 22, 3 << 22};
    state_.fpcr = controls[random_() % std::size(controls)];
    state_.fpsr = random_() % 2 ? fpsr_bit::ixc : 0;
    const auto fast = Compute::fast(state_, operands...);
    FloatEnvironment e(state_.fpcr);
    const auto soft = Compute::soft(e, operands...);
    ++asked_;
    if (!fast.stands) return;
    ++stood_;
    EXPECT_EQ(fast.bits, soft);
    EXPECT_EQ(e.raised & ~state_.fpsr, 0u);
  }
  template <template <class> class Compute>
  void check_two(double at_least = 0.1) {
    asked_ = stood_ = 0;
    for (int i = 0; i < 50000; ++i) check<Compute<T>>(operand(), operand());
    EXPECT_GT(stood_, at_least * asked_);
  }

  std::mt19937_64 random_{20};
  State state_;
  int asked_ = 0, stood_ = 0;
};
using Formats = testing::Types<Single, Double>;
TYPED_TEST_SUITE(FastFloat, Formats);

TYPED_TEST(FastFloat, StandsOnlyWhereItIsRight) {
  this->template check_two<Add>();
  this->template check_two<Subtract>();
  this->template check_two<AbsoluteDifference>();
  this->template check_two<Multiply>();
  this->template check_two<MultiplyNegated>();
  this->template check_two<MultiplyExtended>();
  this->template check_two<Divide>();
  this->template check_two<Maximum>();
  this->template check_two<Minimum>();
  this->template check_two<MaximumNumber>();
  this->template check_two<MinimumNumber>();
  this->template check_two<IsEqual>();
  this->template check_two<IsGreater>();
  this->template check_two<IsGreaterOrEqualInMagnitude>();
}

TYPED_TEST(FastFloat, FusesWithoutTheHostsInstructionWhatIsExact) {
  using T = TypeParam;
  for (int i = 0; i < 100000; ++i)
    this->template check<MultiplyAdd<T, false>>(this->operand(), this->operand(), this->operand());
  EXPECT_GT(this->stood_, this->asked_ / 50);  // only what is exact
}

TYPED_TEST(FastFloat, FusesWithTheHostsInstruction) {
  using T = TypeParam;
  if (!fast_float::host_has_fma()) GTEST_SKIP() << "this host has no fused multiply-add";
  for (int i = 0; i < 100000; ++i)
    this->template check<MultiplyAdd<T, true>>(this->operand(), this->operand(), this->operand());
  EXPECT_GT(this->stood_, this->asked_ / 10);
}

TYPED_TEST(FastFloat, ExactResultsStandBeforeAnythingWasInexact) {
  using T = TypeParam;
  const auto bits = [](double value) { return fast_float::to_bits(static_cast<fast_float::Host<T>>(value)); };
  const auto expect = [&](Fast<T> fast, double expected) {
    EXPECT_TRUE(fast.stands) << expected;
    EXPECT_EQ(fast.bits, bits(expected));
  };
  const State state;
  expect(Add<T>::fast(state, bits(1.5), bits(0.25)), 1.75);
  expect(Subtract<T>::fast(state, bits(3), bits(3)), 0);
  expect(Multiply<T>::fast(state, bits(1.25), bits(-3)), -3.75);
  expect(Multiply<T>::fast(state, bits(0), bits(-3)), -0.0);
  expect(Divide<T>::fast(state, bits(15), bits(4)), 3.75);
  expect(SquareRoot<T>::fast(state, bits(2.25)), 1.5);
  expect(MultiplyAdd<T, true>::fast(state, bits(1), bits(3), bits(0.5)), 2.5);
  expect(MultiplyAdd<T, false>::fast(state, bits(1), bits(0), bits(0.5)), 1);
  EXPECT_FALSE(Divide<T>::fast(state, bits(1), bits(3)).stands);
  EXPECT_FALSE(Add<T>::fast(state, bits(1), bits(1e-20)).stands);
}

TYPED_TEST(FastFloat, ConvertsOnlyWhereItIsRight) {
  using T = TypeParam;
  const auto check_integers = [&]<class Int>(Int) {
    for (int i = 0; i < 50000; ++i) {
      const T a = this->operand();
      const auto value = static_cast<Int>(this->random_() >> this->random_() % 64);
      this->state_.fpcr = i % 5 ? 0 : 3 << 22, this->state_.fpsr = i % 2 ? fpsr_bit::ixc : 0;
      FloatEnvironment e(this->state_.fpcr);
      if (const auto to = ToInteger<Int, T>::fast(this->state_, a); to.stands) {
        EXPECT_EQ(to.bits, (ToInteger<Int, T>::soft(e, a, 0, Rounding::toward_zero)));
      }
      if (const auto from = FromInteger<T, Int>::fast(this->state_, value); from.stands) {
        EXPECT_EQ(from.bits, (FromInteger<T, Int>::soft(e, value, 0)));
      }
      EXPECT_EQ(e.raised & ~this->state_.fpsr, 0u);
    }
  };
  check_integers(std::int32_t{});
  check_integers(std::uint32_t{});
  check_integers(std::int64_t{});
  check_integers(std::uint64_t{});
  using Other = std::conditional_t<sizeof(T) == 4, Double, Single>;
  for (int i = 0; i < 50000; ++i) this->template check<Convert<Other, T>>(this->operand());
  for (int i = 0; i < 50000; ++i) this->template check<SquareRoot<T>>(this->operand());
  EXPECT_GT(this->stood_, this->asked_ / 10);
}

}  // namespace
}  // namespace asterism::a64
