#include "core/a64/soft_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <type_traits>

namespace asterism::a64 {
namespace {

using Half = std::uint16_t;
using Single = std::uint32_t;
using Double = std::uint64_t;
using namespace fpsr_bit;

constexpr std::uint32_t nearest = 0, up = 1 << 22, down = 2 << 22, zero = 3 << 22;

// Singles.
constexpr Single one = 0x3f80'0000, two = 0x4000'0000, infinity = 0x7f80'0000, minus = 0x8000'0000;
constexpr Single largest = 0x7f7f'ffff, smallest_normal = 0x0080'0000, denormal = 0x0000'0001;
constexpr Single quiet = 0x7fc0'0123, other_quiet = 0xffc0'0456, signalling = 0x7f80'0789, nan = 0x7fc0'0000;

template <class T>
struct Outcome {
  T bits;
  std::uint32_t raised;
  bool operator==(const Outcome&) const = default;
  friend void PrintTo(const Outcome& outcome, std::ostream* out) {
    *out << std::hex << "0x" << outcome.bits << " raising 0x" << outcome.raised;
  }
};

template <class T, class... Arguments>
Outcome<T> with(std::uint32_t fpcr, T (*operation)(FloatEnvironment&, Arguments...),
                std::type_identity_t<Arguments>... arguments) {
  FloatEnvironment e(fpcr);
  const T bits = operation(e, arguments...);
  return {bits, e.raised};
}
using Is = Outcome<Single>;

constexpr auto add = soft_float::add<Single>;
constexpr auto subtract = soft_float::subtract<Single>;
constexpr auto multiply = soft_float::multiply<Single>;
constexpr auto divide = soft_float::divide<Single>;
constexpr auto root = soft_float::square_root<Single>;
constexpr auto fma = soft_float::multiply_add<Single>;

TEST(SoftFloat, RoundsToNearestEvenAndEveryOtherWay) {
  constexpr Single half_ulp = 0x3380'0000, next = one + 1;  // 2^-24, the number after 1
  EXPECT_EQ(with(nearest, add, one, half_ulp), (Is{one, ixc}));
  EXPECT_EQ(with(nearest, add, next, half_ulp), (Is{next + 1, ixc}));
  EXPECT_EQ(with(nearest, add, one, half_ulp + 1), (Is{next, ixc}));
  EXPECT_EQ(with(up, add, one, denormal), (Is{next, ixc}));
  EXPECT_EQ(with(down, add, one | minus, denormal | minus), (Is{next | minus, ixc}));
  EXPECT_EQ(with(down, add, one, half_ulp), (Is{one, ixc}));
  EXPECT_EQ(with(zero, subtract, one, denormal), (Is{one - 1, ixc}));
}

TEST(SoftFloat, OverflowsToInfinityOrToTheLargestNumber) {
  EXPECT_EQ(with(nearest, multiply, largest, two), (Is{infinity, ofc | ixc}));
  EXPECT_EQ(with(zero, multiply, largest, two), (Is{largest, ofc | ixc}));
  EXPECT_EQ(with(down, multiply, largest, two), (Is{largest, ofc | ixc}));
  EXPECT_EQ(with(down, multiply, largest, two | minus), (Is{infinity | minus, ofc | ixc}));
  EXPECT_EQ(with(up, multiply, largest, two | minus), (Is{largest | minus, ofc | ixc}));
}

TEST(SoftFloat, TakesTininessBeforeRounding) {
  // The product is below the smallest normal number and rounds to it.
  EXPECT_EQ(with(nearest, multiply, smallest_normal, one - 1), (Is{smallest_normal, ufc | ixc}));
  EXPECT_EQ(with(nearest, multiply, smallest_normal, one), (Is{smallest_normal, 0}));
  EXPECT_EQ(with(nearest, multiply, smallest_normal, 0x3f00'0000),
            (Is{smallest_normal >> 1, 0}));  // exact: no UFC
  EXPECT_EQ(with(nearest, multiply, denormal, 0x3f00'0000), (Is{0, ufc | ixc}));
  EXPECT_EQ(with(up, multiply, denormal, denormal), (Is{denormal, ufc | ixc}));
}

TEST(SoftFloat, FlushesResultsWithoutIxcAndInputsWithIdc) {
  EXPECT_EQ(with(fpcr_bit::fz, multiply, smallest_normal, 0x3f00'0000), (Is{0, ufc}));
  EXPECT_EQ(with(fpcr_bit::fz, multiply, smallest_normal | minus, one - 1), (Is{minus, ufc}));
  EXPECT_EQ(with(fpcr_bit::fz, add, denormal, one), (Is{one, idc}));
  EXPECT_EQ(with(fpcr_bit::fz, add, denormal | minus, minus), (Is{minus, idc}));
  EXPECT_EQ(with(fpcr_bit::fz, divide, one, denormal), (Is{infinity, idc | dzc}));
  EXPECT_EQ(with(fpcr_bit::fz, add, denormal, quiet), (Is{quiet, idc}));  // also with a NaN
}

TEST(SoftFloat, FlushesHalvesByFz16OnlyAndRaisesNoIdc) {
  constexpr auto add = soft_float::add<Half>;
  constexpr auto multiply = soft_float::multiply<Half>;
  using IsHalf = Outcome<Half>;
  constexpr Half one = 0x3c00, half = 0x3800, denormal = 0x0001, smallest_normal = 0x0400;
  EXPECT_EQ(with(fpcr_bit::fz16, add, denormal, one), (IsHalf{one, 0}));
  EXPECT_EQ(with(fpcr_bit::fz, add, denormal, Half{0}), (IsHalf{denormal, 0}));
  EXPECT_EQ(with(fpcr_bit::fz16, multiply, smallest_normal, half), (IsHalf{0, ufc}));
  EXPECT_EQ(with(fpcr_bit::fz, multiply, smallest_normal, half), (IsHalf{smallest_normal >> 1, 0}));
  EXPECT_EQ(with(fpcr_bit::fz16, soft_float::from_integer<Half, std::int16_t>, 1, 15), (IsHalf{0, ufc}));
  EXPECT_EQ(with(fpcr_bit::fz16, soft_float::to_integer<std::int16_t, Half>, denormal, 0, Rounding::up),
            (Outcome<std::int16_t>{0, 0}));
  // Conversions between formats keep denormals, and FZ16 does not apply to singles.
  EXPECT_EQ(with(fpcr_bit::fz16, soft_float::convert<Single, Half>, denormal, Rounding::nearest_even),
            (Is{0x3380'0000, 0}));
  EXPECT_EQ(with(fpcr_bit::fz16, soft_float::add<Single>, 1, 0), (Is{1, 0}));
}

TEST(SoftFloat, HasInfinitiesAmongHalvesToComputeWith) {
  constexpr auto add = soft_float::add<Half>;
  EXPECT_EQ(with(fpcr_bit::ahp, add, Half{0x7c00}, Half{0x3c00}), (Outcome<Half>{0x7c00, 0}));
  EXPECT_EQ(with(fpcr_bit::ahp, add, Half{0x7bff}, Half{0x7bff}), (Outcome<Half>{0x7c00, ofc | ixc}));
  EXPECT_EQ(with(fpcr_bit::ahp, soft_float::from_integer<Half, std::uint32_t>, 65520, 0),
            (Outcome<Half>{0x7c00, ofc | ixc}));
}

TEST(SoftFloat, TakesTheFirstSignallingNanThenTheFirstQuietOne) {
  EXPECT_EQ(with(nearest, add, quiet, signalling), (Is{signalling | 0x40'0000, ioc}));
  EXPECT_EQ(with(nearest, add, quiet, other_quiet), (Is{quiet, 0}));
  EXPECT_EQ(with(nearest, add, one, other_quiet), (Is{other_quiet, 0}));
  EXPECT_EQ(with(fpcr_bit::dn, add, one, other_quiet), (Is{nan, 0}));
  EXPECT_EQ(with(fpcr_bit::dn, add, one, signalling), (Is{nan, ioc}));
  EXPECT_EQ(with(nearest, subtract, one, other_quiet), (Is{other_quiet, 0}));    // the NaN keeps its sign
  EXPECT_EQ(with(nearest, fma, other_quiet, quiet, one), (Is{other_quiet, 0}));  // the addend is first
  EXPECT_EQ(with(nearest, fma, quiet, one, signalling), (Is{signalling | 0x40'0000, ioc}));
}

TEST(SoftFloat, AnswersInvalidOperationsWithThePositiveDefaultNan) {
  EXPECT_EQ(with(nearest, subtract, infinity, infinity), (Is{nan, ioc}));
  EXPECT_EQ(with(nearest, multiply, infinity, minus), (Is{nan, ioc}));
  EXPECT_EQ(with(nearest, divide, 0, minus), (Is{nan, ioc}));
  EXPECT_EQ(with(nearest, divide, infinity, infinity), (Is{nan, ioc}));
  EXPECT_EQ(with(nearest, root, one | minus), (Is{nan, ioc}));
  EXPECT_EQ(with(nearest, root, minus), (Is{minus, 0}));
  EXPECT_EQ(with(nearest, divide, one, minus), (Is{infinity | minus, dzc}));
  // Zero times infinity takes precedence over a quiet addend, but not over a signalling one.
  EXPECT_EQ(with(nearest, fma, quiet, 0, infinity), (Is{nan, ioc}));
  EXPECT_EQ(with(nearest, fma, signalling, 0, infinity), (Is{signalling | 0x40'0000, ioc}));
  EXPECT_EQ(with(nearest, fma, infinity | minus, one, infinity), (Is{nan, ioc}));
}

TEST(SoftFloat, GivesCancelledSumsTheSignOfTheRoundingMode) {
  EXPECT_EQ(with(nearest, subtract, one, one), (Is{0, 0}));
  EXPECT_EQ(with(down, subtract, one, one), (Is{minus, 0}));
  EXPECT_EQ(with(down, add, 0, 0), (Is{0, 0}));
  EXPECT_EQ(with(nearest, add, minus, minus), (Is{minus, 0}));
  EXPECT_EQ(with(down, fma, one | minus, one, one), (Is{minus, 0}));
  EXPECT_EQ(with(nearest, fma, minus, minus, one), (Is{minus, 0}));
}

TEST(SoftFloat, RoundsAFusedMultiplyAddOnce) {
  constexpr Single a = one + 1;                                                  // a * a = 1 + 2^-22 + 2^-46
  EXPECT_EQ(with(nearest, fma, minus | (one + 2), a, a), (Is{0x2880'0000, 0}));  // 2^-46, exact
  EXPECT_EQ(with(nearest, fma, denormal, two, one), (Is{two, ixc}));
  EXPECT_EQ(with(up, fma, denormal, two, one), (Is{two + 1, ixc}));
  EXPECT_EQ(with(zero, fma, denormal | minus, two, one), (Is{two - 1, ixc}));
}

TEST(SoftFloat, ComparesAsNzcv) {
  constexpr auto compare = soft_float::compare<Single>;
  using Flags = Outcome<unsigned>;
  EXPECT_EQ(with(nearest, compare, one, two, false), (Flags{0b1000, 0}));
  EXPECT_EQ(with(nearest, compare, two, one, false), (Flags{0b0010, 0}));
  EXPECT_EQ(with(nearest, compare, two | minus, one | minus, false), (Flags{0b1000, 0}));
  EXPECT_EQ(with(nearest, compare, 0, minus, false), (Flags{0b0110, 0}));
  EXPECT_EQ(with(nearest, compare, one, quiet, false), (Flags{0b0011, 0}));
  EXPECT_EQ(with(nearest, compare, one, quiet, true), (Flags{0b0011, ioc}));
  EXPECT_EQ(with(nearest, compare, signalling, one, false), (Flags{0b0011, ioc}));
  EXPECT_EQ(with(nearest, compare, denormal, 0, false), (Flags{0b0010, 0}));
  EXPECT_EQ(with(fpcr_bit::fz, compare, denormal, minus, false), (Flags{0b0110, idc}));
}

TEST(SoftFloat, FindsMaximaAndNumbersBeforeQuietNans) {
  EXPECT_EQ(with(nearest, soft_float::maximum<Single>, minus, 0), (Is{0, 0}));
  EXPECT_EQ(with(nearest, soft_float::minimum<Single>, 0, minus), (Is{minus, 0}));
  EXPECT_EQ(with(nearest, soft_float::maximum<Single>, infinity | minus, denormal), (Is{denormal, 0}));
  EXPECT_EQ(with(nearest, soft_float::maximum<Single>, one, quiet), (Is{quiet, 0}));
  EXPECT_EQ(with(nearest, soft_float::maximum_number<Single>, one, quiet), (Is{one, 0}));
  EXPECT_EQ(with(nearest, soft_float::minimum_number<Single>, quiet, two), (Is{two, 0}));
  EXPECT_EQ(with(nearest, soft_float::maximum_number<Single>, quiet, other_quiet), (Is{quiet, 0}));
  EXPECT_EQ(with(nearest, soft_float::maximum_number<Single>, one, signalling),
            (Is{signalling | 0x40'0000, ioc}));
}

TEST(SoftFloat, ExtendsZeroTimesInfinityToTwo) {
  EXPECT_EQ(with(nearest, soft_float::multiply_extended<Single>, 0, infinity | minus), (Is{two | minus, 0}));
  EXPECT_EQ(with(nearest, soft_float::reciprocal_step<Single>, 0, infinity), (Is{two, 0}));
  EXPECT_EQ(with(nearest, soft_float::reciprocal_root_step<Single>, 0, infinity), (Is{0x3fc0'0000, 0}));
  EXPECT_EQ(with(nearest, soft_float::reciprocal_step<Single>, one, one), (Is{one, 0}));
  EXPECT_EQ(with(nearest, soft_float::reciprocal_step<Single>, quiet, one),
            (Is{quiet | minus, 0}));  // negated first
  EXPECT_EQ(with(nearest, soft_float::reciprocal_root_step<Single>, one, two), (Is{0x3f00'0000, 0}));
}

TEST(SoftFloat, EstimatesReciprocalsOfEightBits) {
  constexpr auto estimate = soft_float::reciprocal_estimate<Single>;
  constexpr auto root_estimate = soft_float::reciprocal_root_estimate<Single>;
  EXPECT_EQ(with(nearest, estimate, one), (Is{0x3f7f'8000, 0}));
  EXPECT_EQ(with(nearest, estimate, 0x4040'0000), (Is{0x3eaa'8000, 0}));  // 3
  EXPECT_EQ(with(nearest, estimate, minus), (Is{infinity | minus, dzc}));
  EXPECT_EQ(with(nearest, estimate, denormal), (Is{infinity, ofc | ixc}));
  EXPECT_EQ(with(zero, estimate, denormal), (Is{largest, ofc | ixc}));
  EXPECT_EQ(with(nearest, estimate, largest), (Is{0x0020'0000, 0}));  // a denormal
  EXPECT_EQ(with(fpcr_bit::fz, estimate, largest), (Is{0, ufc}));
  EXPECT_EQ(with(nearest, root_estimate, one), (Is{0x3f7f'8000, 0}));
  EXPECT_EQ(with(nearest, root_estimate, one | minus), (Is{nan, ioc}));
  EXPECT_EQ(with(nearest, root_estimate, infinity), (Is{0, 0}));
  EXPECT_EQ(with(nearest, soft_float::reciprocal_exponent<Single>, one), (Is{0x4000'0000, 0}));
  EXPECT_EQ(with(nearest, soft_float::reciprocal_exponent<Single>, minus), (Is{0xff00'0000, 0}));
  EXPECT_EQ(soft_float::unsigned_reciprocal_estimate(0x8000'0000), 0xff80'0000u);
  EXPECT_EQ(soft_float::unsigned_reciprocal_estimate(0x7fff'ffff), 0xffff'ffffu);
  EXPECT_EQ(soft_float::unsigned_reciprocal_root_estimate(0x4000'0000), 0xff80'0000u);
}

TEST(SoftFloat, RoundsToIntegralValues) {
  constexpr auto round = soft_float::round_to_integral<Single>;
  constexpr Single half = 0x3f00'0000, one_and_half = 0x3fc0'0000;
  EXPECT_EQ(with(nearest, round, half, Rounding::nearest_even, false), (Is{0, 0}));
  EXPECT_EQ(with(nearest, round, one_and_half, Rounding::nearest_even, false), (Is{two, 0}));
  EXPECT_EQ(with(nearest, round, half | minus, Rounding::nearest_away, false), (Is{one | minus, 0}));
  EXPECT_EQ(with(nearest, round, half | minus, Rounding::up, true), (Is{minus, ixc}));
  EXPECT_EQ(with(nearest, round, denormal, Rounding::up, true), (Is{one, ixc}));
  EXPECT_EQ(with(nearest, round, one_and_half, Rounding::toward_zero, true), (Is{one, ixc}));
  EXPECT_EQ(with(nearest, round, largest, Rounding::down, true), (Is{largest, 0}));
  EXPECT_EQ(with(nearest, round, signalling, Rounding::down, false), (Is{signalling | 0x40'0000, ioc}));
}

TEST(SoftFloat, ConvertsToIntegersAndSaturates) {
  using Rounding::nearest_away, Rounding::nearest_even, Rounding::toward_zero, Rounding::down;
  constexpr auto to_s32 = soft_float::to_integer<std::int32_t, Single>;
  constexpr auto to_u32 = soft_float::to_integer<std::uint32_t, Single>;
  constexpr auto to_s64 = soft_float::to_integer<std::int64_t, Single>;
  using S32 = Outcome<std::int32_t>;
  using U32 = Outcome<std::uint32_t>;
  EXPECT_EQ(with(0, to_s32, 0xc020'0000, 0, nearest_even), (S32{-2, ixc}));  // -2.5
  EXPECT_EQ(with(0, to_s32, 0xc020'0000, 0, nearest_away), (S32{-3, ixc}));
  EXPECT_EQ(with(0, to_s32, 0xc020'0000, 1, toward_zero), (S32{-5, 0}));
  EXPECT_EQ(with(0, to_s32, 0xcf00'0000, 0, toward_zero), (S32{INT32_MIN, 0}));  // -2^31
  EXPECT_EQ(with(0, to_s32, 0x4f00'0000, 0, toward_zero), (S32{INT32_MAX, ioc}));
  EXPECT_EQ(with(0, to_s32, quiet, 0, toward_zero), (S32{0, ioc}));
  EXPECT_EQ(with(0, to_s32, infinity | minus, 0, toward_zero), (S32{INT32_MIN, ioc}));
  EXPECT_EQ(with(0, to_u32, 0xbf00'0000, 0, toward_zero), (U32{0, ixc}));  // -0.5
  EXPECT_EQ(with(0, to_u32, 0xbf00'0000, 0, down), (U32{0, ioc}));
  EXPECT_EQ(with(0, to_u32, 0x4f7f'ffff, 0, toward_zero), (U32{0xffff'ff00, 0}));
  EXPECT_EQ(with(0, to_s64, one, 62, toward_zero), (Outcome<std::int64_t>{std::int64_t{1} << 62, 0}));
  EXPECT_EQ(with(0, to_s64, one, 63, toward_zero), (Outcome<std::int64_t>{INT64_MAX, ioc}));
  EXPECT_EQ(with(fpcr_bit::fz, to_s32, denormal, 0, Rounding::up), (S32{0, idc}));
}

TEST(SoftFloat, ConvertsFromIntegers) {
  EXPECT_EQ(with(0, soft_float::from_integer<Single, std::int32_t>, -1, 0), (Is{one | minus, 0}));
  EXPECT_EQ(with(0, soft_float::from_integer<Single, std::int32_t>, INT32_MIN, 31), (Is{one | minus, 0}));
  EXPECT_EQ(with(0, soft_float::from_integer<Single, std::uint32_t>, ~0u, 0), (Is{0x4f80'0000, ixc}));
  EXPECT_EQ(with(zero, soft_float::from_integer<Single, std::uint32_t>, ~0u, 0), (Is{0x4f7f'ffff, ixc}));
  EXPECT_EQ(with(0, soft_float::from_integer<Single, std::uint64_t>, 1, 64), (Is{0x1f80'0000, 0}));
  EXPECT_EQ(with(down, soft_float::from_integer<Single, std::int64_t>, 0, 64), (Is{0, 0}));
}

TEST(SoftFloat, ConvertsBetweenFormats) {
  constexpr auto halve = soft_float::convert<Half, Single>;
  constexpr auto narrow = soft_float::convert<Single, Double>;
  constexpr auto widen = soft_float::convert<Double, Single>;
  using IsHalf = Outcome<Half>;
  constexpr auto even = Rounding::nearest_even;
  EXPECT_EQ(with(0, widen, signalling, even), (Outcome<Double>{0x7ff8'00f1'2000'0000, ioc}));
  EXPECT_EQ(with(0, widen, denormal, even), (Outcome<Double>{0x36a0'0000'0000'0000, 0}));
  EXPECT_EQ(with(0, narrow, 0xfff8'0000'2000'0000, even), (Is{0xffc0'0001, 0}));
  EXPECT_EQ(with(fpcr_bit::dn, narrow, 0xfff8'0000'2000'0000, even), (Is{nan, 0}));
  EXPECT_EQ(with(0, narrow, 0x3ff0'0000'0000'0001, Rounding::odd), (Is{one + 1, ixc}));
  EXPECT_EQ(with(0, narrow, 0x7fef'ffff'ffff'ffff, Rounding::odd), (Is{largest, ofc | ixc}));
  EXPECT_EQ(with(0, halve, 0x477f'f000, even), (IsHalf{0x7c00, ofc | ixc}));  // 65520
  EXPECT_EQ(with(0, halve, 0x477f'e000, even), (IsHalf{0x7bff, 0}));          // 65504
  // A half's denormals are never flushed.
  EXPECT_EQ(with(fpcr_bit::fz, halve, 0x3380'0000, even), (IsHalf{0x0001, 0}));
  EXPECT_EQ(with(fpcr_bit::fz, soft_float::convert<Single, Half>, Half{1}, even), (Is{0x3380'0000, 0}));
}

TEST(SoftFloat, KnowsTheAlternativeHalf) {
  constexpr auto halve = soft_float::convert<Half, Single>;
  constexpr auto from_half = soft_float::convert<Single, Half>;
  using IsHalf = Outcome<Half>;
  constexpr auto even = Rounding::nearest_even;
  EXPECT_EQ(with(fpcr_bit::ahp, from_half, Half{0x7c00}, even), (Is{0x4780'0000, 0}));  // 65536, no infinity
  EXPECT_EQ(with(fpcr_bit::ahp, halve, 0x4780'0000, even), (IsHalf{0x7c00, 0}));
  EXPECT_EQ(with(fpcr_bit::ahp, halve, 0xc800'0000, even), (IsHalf{0xffff, ioc}));  // too large
  EXPECT_EQ(with(fpcr_bit::ahp, halve, infinity, even), (IsHalf{0x7fff, ioc}));
  EXPECT_EQ(with(fpcr_bit::ahp, halve, other_quiet, even), (IsHalf{0x8000, ioc}));
}

TEST(SoftFloat, ExpandsImmediates) {
  EXPECT_EQ(expand_immediate<Single>(0x70), one);
  EXPECT_EQ(expand_immediate<Double>(0x78), std::bit_cast<Double>(1.5));
  EXPECT_EQ(expand_immediate<Double>(0x80), std::bit_cast<Double>(-2.0));
  EXPECT_EQ(expand_immediate<Single>(0xff), std::bit_cast<Single>(-1.9375f));
  EXPECT_EQ(expand_immediate<Half>(0x70), 0x3c00);
}

// For operands and results without special cases, any IEEE host computes the same results.
template <class T, class Host>
void expect_the_host_s(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto any = [&] { return static_cast<T>(random()); };
  const auto host = [](T bits) { return std::bit_cast<Host>(bits); };
  const auto expect = [&](T actual, Host expected) {
    EXPECT_EQ(is_nan(actual), std::isnan(expected));
    if (!is_nan(actual)) {
      EXPECT_EQ(actual, std::bit_cast<T>(expected));
    }
  };
  for (int i = 0; i < 20000; ++i) {
    const T a = any(), b = any();
    T c = any();
    if (i % 2)
      c = (c & Float<T>::fraction_mask) | (std::bit_cast<T>(host(a) * host(b)) & ~Float<T>::fraction_mask);
    FloatEnvironment e(nearest);
    expect(soft_float::add(e, a, c), host(a) + host(c));
    expect(soft_float::subtract(e, b, c), host(b) - host(c));
    expect(soft_float::multiply(e, a, b), host(a) * host(b));
    expect(soft_float::divide(e, a, b), host(a) / host(b));
    expect(soft_float::square_root(e, a), std::sqrt(host(a)));
    expect(soft_float::multiply_add(e, c, a, b), std::fma(host(a), host(b), host(c)));
    EXPECT_EQ(soft_float::compare(e, a, b, false) == 0b1000, host(a) < host(b));
  }
}

TEST(SoftFloat, AgreesWithTheHost) {
  expect_the_host_s<Single, float>(1);
  expect_the_host_s<Double, double>(2);
}

TEST(SoftFloat, RoundsEveryHalfRight) {
  // Converts halves to singles and back. A single holds the sum of two halves exactly, so that its conversion
  // to a half rounds once.
  FloatEnvironment e(nearest);
  constexpr auto even = Rounding::nearest_even;
  for (unsigned bits = 0; bits < 0x1'0000; ++bits) {
    const auto half = static_cast<Half>(bits);
    const auto single = soft_float::convert<Single>(e, half, even);
    const Half back = soft_float::convert<Half>(e, single, even);
    EXPECT_EQ(back, is_nan(half) ? half | 0x200 : half);
    const Half other = static_cast<Half>(bits * 40503u);
    const Half sum = soft_float::add(e, half, other);
    const Single exact = soft_float::add(e, single, soft_float::convert<Single>(e, other, even));
    if (!is_nan(exact)) {
      EXPECT_EQ(sum, soft_float::convert<Half>(e, exact, even));
    }
  }
}

}  // namespace
}  // namespace asterism::a64
