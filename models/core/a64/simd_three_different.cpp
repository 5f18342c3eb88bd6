// Advanced SIMD three different, vector and scalar (Arm DDI 0487, C4.1.96). PMULL of 64 bits is in
// simd_cryptography.cpp.
#include "core/a64/simd_operands.h"

namespace asterism::a64 {
namespace simd_three_different {
namespace {

// The lanes of the first source are already long.
template <auto f>
struct LongFirst {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<Wide<T>>(cpu.v[op.rn]);
    const auto b = half<T, bytes>(cpu.v[op.rm]);
    Lanes<Wide<T>> result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = f(a[i], Wide<T>{b[i]});
    put(cpu.v[op.rd], result);
  }
};

// The upper halves of f of lanes twice as wide as T.
template <auto f, bool rounds>
struct HighNarrow {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<Wide<T>>(cpu.v[op.rn]);
    const auto b = lanes<Wide<T>>(cpu.v[op.rm]);
    constexpr auto half_of_last = static_cast<Wide<T>>(rounds ? Wide<T>{1} << (width<T> - 1) : 0);
    Lanes<T, 8> result;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<T>(add(f(a[i], b[i]), half_of_last) >> width<T>);
    put_half<bytes>(cpu.v[op.rd], result);
  }
};

constexpr auto sum = []<class T>(T a, T b) -> T { return add(a, b); };
constexpr auto minus = []<class T>(T a, T b) -> T { return subtract(a, b); };
constexpr auto absolute_difference = []<class T>(T a, T b) -> T { return static_cast<T>(difference(a, b)); };
constexpr auto add_absolute_difference = []<class T>(T a, T b, T d) -> T {
  return add(d, static_cast<T>(difference(a, b)));
};
constexpr auto polynomial_times = []<class T>(T a, T b) -> T {
  return static_cast<T>(polynomial_multiply(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)));
};

template <auto f, unsigned sizes = sizes_bhs, Sign sign = Sign::by_u>
constexpr auto longs = decode_vector<Long<f>, sizes, sign>;
template <auto f>
constexpr auto long_firsts = decode_vector<LongFirst<f>, sizes_bhs>;
template <auto f, bool rounds>
constexpr auto high_narrows = decode_vector<HighNarrow<f, rounds>, sizes_bhs, Sign::is_unsigned>;
template <auto f>
constexpr auto scalar_longs = decode_scalar<Long<f>, size_h | size_s, Sign::is_signed>;

constexpr Sign is_unsigned = Sign::is_unsigned, is_signed = Sign::is_signed;
constexpr unsigned sizes_hs = size_h | size_s;
constexpr Row::Needs fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q U 01110 size 1 Rm 0000 00 Rn Rd"), "SADDL, UADDL", longs<sum>, fp},
    {encoding("0 Q U 01110 size 1 Rm 0001 00 Rn Rd"), "SADDW, UADDW", long_firsts<sum>, fp},
    {encoding("0 Q U 01110 size 1 Rm 0010 00 Rn Rd"), "SSUBL, USUBL", longs<minus>, fp},
    {encoding("0 Q U 01110 size 1 Rm 0011 00 Rn Rd"), "SSUBW, USUBW", long_firsts<minus>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 0100 00 Rn Rd"), "ADDHN",        high_narrows<sum, false>, fp},
    {encoding("0 Q 1 01110 size 1 Rm 0100 00 Rn Rd"), "RADDHN",       high_narrows<sum, true>, fp},
    {encoding("0 Q U 01110 size 1 Rm 0101 00 Rn Rd"), "SABAL, UABAL", longs<add_absolute_difference>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 0110 00 Rn Rd"), "SUBHN",        high_narrows<minus, false>, fp},
    {encoding("0 Q 1 01110 size 1 Rm 0110 00 Rn Rd"), "RSUBHN",       high_narrows<minus, true>, fp},
    {encoding("0 Q U 01110 size 1 Rm 0111 00 Rn Rd"), "SABDL, UABDL", longs<absolute_difference>, fp},
    {encoding("0 Q U 01110 size 1 Rm 1000 00 Rn Rd"), "SMLAL, UMLAL (vector)", longs<multiply_add>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 1001 00 Rn Rd"), "SQDMLAL (vector)", longs<doubling_add, sizes_hs, is_signed>, fp},
    {encoding("0 Q U 01110 size 1 Rm 1010 00 Rn Rd"), "SMLSL, UMLSL (vector)", longs<multiply_subtract>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 1011 00 Rn Rd"), "SQDMLSL (vector)", longs<doubling_subtract, sizes_hs, is_signed>, fp},
    {encoding("0 Q U 01110 size 1 Rm 1100 00 Rn Rd"), "SMULL, UMULL (vector)", longs<times>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 1101 00 Rn Rd"), "SQDMULL (vector)", longs<doubling, sizes_hs, is_signed>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 1110 00 Rn Rd"), "PMULL",        longs<polynomial_times, size_b, is_unsigned>, fp},

    {encoding("01 0 11110 size 1 Rm 1001 00 Rn Rd"),  "SQDMLAL (vector)", scalar_longs<doubling_add>, fp},
    {encoding("01 0 11110 size 1 Rm 1011 00 Rn Rd"),  "SQDMLSL (vector)", scalar_longs<doubling_subtract>, fp},
    {encoding("01 0 11110 size 1 Rm 1101 00 Rn Rd"),  "SQDMULL (vector)", scalar_longs<doubling>, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_three_different

std::span<const Row> simd_three_different_rows() { return simd_three_different::rows; }

}  // namespace asterism::a64
