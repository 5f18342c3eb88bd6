// Advanced SIMD three same, vector and scalar (Arm DDI 0487, C4.1.96), without floating point.
#include "core/a64/simd_operands.h"

namespace asterism::a64 {
namespace simd_three_same {
namespace {

// Adjacent pairs of lanes: first those of the first operand, then those of the second.
template <auto f>
struct Pairwise {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    const auto b = lanes<T, bytes>(cpu.v[op.rm]);
    Lanes<T, bytes> result;
    constexpr std::size_t pairs = result.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) result[i] = f(a[2 * i], a[2 * i + 1]);
    for (std::size_t i = 0; i < pairs; ++i) result[pairs + i] = f(b[2 * i], b[2 * i + 1]);
    put(cpu.v[op.rd], result);
  }
};

// ---- operations on a lane ----

constexpr auto sum = []<class T>(T a, T b) -> T { return add(a, b); };
constexpr auto minus = []<class T>(T a, T b) -> T { return subtract(a, b); };

constexpr auto equal = []<class T>(T a, T b) -> T { return all_ones_if<T>(a == b); };
constexpr auto greater = []<class T>(T a, T b) -> T { return all_ones_if<T>(a > b); };
constexpr auto greater_or_equal = []<class T>(T a, T b) -> T { return all_ones_if<T>(a >= b); };
constexpr auto test = []<class T>(T a, T b) -> T { return all_ones_if<T>((a & b) != 0); };

constexpr auto larger = []<class T>(T a, T b) -> T { return a > b ? a : b; };
constexpr auto smaller = []<class T>(T a, T b) -> T { return a < b ? a : b; };
constexpr auto absolute_difference = []<class T>(T a, T b) -> T { return static_cast<T>(difference(a, b)); };
constexpr auto add_absolute_difference = []<class T>(T a, T b, T d) -> T {
  return add(d, static_cast<T>(difference(a, b)));
};

// Half of a sum, without the carry that the sum would lose: a + b equals 2 (a & b) + (a ^ b), and it equals
// 2 (a | b) - (a ^ b).
constexpr auto halving_add = []<class T>(T a, T b) -> T {
  return add(static_cast<T>(a & b), static_cast<T>(static_cast<T>(a ^ b) >> 1));
};
constexpr auto rounding_halving_add = []<class T>(T a, T b) -> T {
  return subtract(static_cast<T>(a | b), static_cast<T>(static_cast<T>(a ^ b) >> 1));
};
constexpr auto halving_subtract = []<class T>(T a, T b) -> T {
  return static_cast<T>((Wide<T>{a} - Wide<T>{b}) >> 1);
};

constexpr auto saturating_sum = []<class T>(T a, T b, bool& saturated) -> T {
  return saturating_add(a, b, saturated);
};
constexpr auto saturating_minus = []<class T>(T a, T b, bool& saturated) -> T {
  return saturating_subtract(a, b, saturated);
};

// The shift by a register: a signed byte; negative is to the right.
constexpr int distance(auto b) { return static_cast<std::int8_t>(b); }
constexpr auto shift = []<class T>(T a, T b) -> T {
  const int by = distance(b);
  return by >= 0 ? shift_left(a, static_cast<unsigned>(by)) : shift_right(a, static_cast<unsigned>(-by));
};
constexpr auto rounding_shift = []<class T>(T a, T b) -> T {
  const int by = distance(b);
  return by >= 0 ? shift_left(a, static_cast<unsigned>(by))
                 : rounding_shift_right(a, static_cast<unsigned>(-by));
};
constexpr auto saturating_shift = []<class T>(T a, T b, bool& saturated) -> T {
  const int by = distance(b);
  return by >= 0 ? saturating_shift_left(a, static_cast<unsigned>(by), saturated)
                 : shift_right(a, static_cast<unsigned>(-by));
};
constexpr auto saturating_rounding_shift = []<class T>(T a, T b, bool& saturated) -> T {
  const int by = distance(b);
  return by >= 0 ? saturating_shift_left(a, static_cast<unsigned>(by), saturated)
                 : rounding_shift_right(a, static_cast<unsigned>(-by));
};

constexpr auto polynomial_times = []<class T>(T a, T b) -> T {
  return static_cast<T>(polynomial_multiply(a, b));
};

constexpr auto bit_and = []<class T>(T a, T b) -> T { return a & b; };
constexpr auto bit_clear = []<class T>(T a, T b) -> T { return a & ~b; };
constexpr auto bit_or = []<class T>(T a, T b) -> T { return a | b; };
constexpr auto bit_or_not = []<class T>(T a, T b) -> T { return a | ~b; };
constexpr auto exclusive_or = []<class T>(T a, T b) -> T { return a ^ b; };
constexpr auto bit_select = []<class T>(T a, T b, T d) -> T { return b ^ ((b ^ a) & d); };
constexpr auto insert_if_true = []<class T>(T a, T b, T d) -> T { return d ^ ((d ^ a) & b); };
constexpr auto insert_if_false = []<class T>(T a, T b, T d) -> T { return d ^ ((d ^ a) & ~b); };

// ---- rows ----

template <auto f, unsigned sizes = sizes_bhsd, Sign sign = Sign::by_u>
constexpr auto vectors = decode_vector<Lanewise<f>, sizes, sign>;
template <auto f, unsigned sizes = sizes_bhsd, Sign sign = Sign::by_u>
constexpr auto scalars = decode_scalar<Lanewise<f>, sizes, sign>;
template <auto f, unsigned sizes = sizes_bhs, Sign sign = Sign::by_u>
constexpr auto pairs = decode_vector<Pairwise<f>, sizes, sign>;

// Logical operations have no lanes.
template <auto f>
bool decode_logical(Decoding& d) {
  take_registers(d);
  d.op.run = d.bit(30) ? step<Lanewise<f>::template work<std::uint64_t, 16>>
                       : step<Lanewise<f>::template work<std::uint64_t, 8>>;
  return true;
}

constexpr Sign is_unsigned = Sign::is_unsigned, is_signed = Sign::is_signed;
constexpr Row::Needs fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q U 01110 size 1 Rm 00000 1 Rn Rd"), "SHADD, UHADD",     vectors<halving_add, sizes_bhs>, fp},
    {encoding("0 Q U 01110 size 1 Rm 00001 1 Rn Rd"), "SQADD, UQADD",     vectors<saturating_sum>, fp},
    {encoding("0 Q U 01110 size 1 Rm 00010 1 Rn Rd"), "SRHADD, URHADD",   vectors<rounding_halving_add, sizes_bhs>, fp},
    {encoding("0 Q 0 01110 00 1 Rm 00011 1 Rn Rd"), "AND (vector)",     decode_logical<bit_and>, fp},
    {encoding("0 Q 0 01110 01 1 Rm 00011 1 Rn Rd"), "BIC (vector, register)", decode_logical<bit_clear>, fp},
    {encoding("0 Q 0 01110 10 1 Rm 00011 1 Rn Rd"), "ORR (vector, register)", decode_logical<bit_or>, fp},
    {encoding("0 Q 0 01110 11 1 Rm 00011 1 Rn Rd"), "ORN (vector)",     decode_logical<bit_or_not>, fp},
    {encoding("0 Q 1 01110 00 1 Rm 00011 1 Rn Rd"), "EOR (vector)",     decode_logical<exclusive_or>, fp},
    {encoding("0 Q 1 01110 01 1 Rm 00011 1 Rn Rd"), "BSL",              decode_logical<bit_select>, fp},
    {encoding("0 Q 1 01110 10 1 Rm 00011 1 Rn Rd"), "BIT",              decode_logical<insert_if_true>, fp},
    {encoding("0 Q 1 01110 11 1 Rm 00011 1 Rn Rd"), "BIF",              decode_logical<insert_if_false>, fp},
    {encoding("0 Q U 01110 size 1 Rm 00100 1 Rn Rd"), "SHSUB, UHSUB",     vectors<halving_subtract, sizes_bhs>, fp},
    {encoding("0 Q U 01110 size 1 Rm 00101 1 Rn Rd"), "SQSUB, UQSUB",     vectors<saturating_minus>, fp},
    {encoding("0 Q U 01110 size 1 Rm 00110 1 Rn Rd"), "CMGT (register), CMHI", vectors<greater>, fp},
    {encoding("0 Q U 01110 size 1 Rm 00111 1 Rn Rd"), "CMGE (register), CMHS", vectors<greater_or_equal>, fp},
    {encoding("0 Q U 01110 size 1 Rm 01000 1 Rn Rd"), "SSHL, USHL",       vectors<shift>, fp},
    {encoding("0 Q U 01110 size 1 Rm 01001 1 Rn Rd"), "SQSHL, UQSHL (register)", vectors<saturating_shift>, fp},
    {encoding("0 Q U 01110 size 1 Rm 01010 1 Rn Rd"), "SRSHL, URSHL",     vectors<rounding_shift>, fp},
    {encoding("0 Q U 01110 size 1 Rm 01011 1 Rn Rd"), "SQRSHL, UQRSHL",   vectors<saturating_rounding_shift>, fp},
    {encoding("0 Q U 01110 size 1 Rm 01100 1 Rn Rd"), "SMAX, UMAX",       vectors<larger, sizes_bhs>, fp},
    {encoding("0 Q U 01110 size 1 Rm 01101 1 Rn Rd"), "SMIN, UMIN",       vectors<smaller, sizes_bhs>, fp},
    {encoding("0 Q U 01110 size 1 Rm 01110 1 Rn Rd"), "SABD, UABD",       vectors<absolute_difference, sizes_bhs>, fp},
    {encoding("0 Q U 01110 size 1 Rm 01111 1 Rn Rd"), "SABA, UABA",       vectors<add_absolute_difference, sizes_bhs>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 10000 1 Rn Rd"), "ADD (vector)",     vectors<sum, sizes_bhsd, is_unsigned>, fp},
    {encoding("0 Q 1 01110 size 1 Rm 10000 1 Rn Rd"), "SUB (vector)",     vectors<minus, sizes_bhsd, is_unsigned>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 10001 1 Rn Rd"), "CMTST",            vectors<test, sizes_bhsd, is_unsigned>, fp},
    {encoding("0 Q 1 01110 size 1 Rm 10001 1 Rn Rd"), "CMEQ (register)",  vectors<equal, sizes_bhsd, is_unsigned>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 10010 1 Rn Rd"), "MLA (vector)",     vectors<multiply_add, sizes_bhs, is_unsigned>, fp},
    {encoding("0 Q 1 01110 size 1 Rm 10010 1 Rn Rd"), "MLS (vector)",     vectors<multiply_subtract, sizes_bhs, is_unsigned>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 10011 1 Rn Rd"), "MUL (vector)",     vectors<times, sizes_bhs, is_unsigned>, fp},
    {encoding("0 Q 1 01110 size 1 Rm 10011 1 Rn Rd"), "PMUL",             vectors<polynomial_times, size_b, is_unsigned>, fp},
    {encoding("0 Q U 01110 size 1 Rm 10100 1 Rn Rd"), "SMAXP, UMAXP",     pairs<larger>, fp},
    {encoding("0 Q U 01110 size 1 Rm 10101 1 Rn Rd"), "SMINP, UMINP",     pairs<smaller>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 10110 1 Rn Rd"), "SQDMULH (vector)", vectors<doubling_high, size_h | size_s, is_signed>, fp},
    {encoding("0 Q 1 01110 size 1 Rm 10110 1 Rn Rd"), "SQRDMULH (vector)", vectors<rounding_doubling_high, size_h | size_s, is_signed>, fp},
    {encoding("0 Q 0 01110 size 1 Rm 10111 1 Rn Rd"), "ADDP (vector)",    pairs<sum, sizes_bhsd, is_unsigned>, fp},

    {encoding("01 U 11110 size 1 Rm 00001 1 Rn Rd"), "SQADD, UQADD",      scalars<saturating_sum>, fp},
    {encoding("01 U 11110 size 1 Rm 00101 1 Rn Rd"), "SQSUB, UQSUB",      scalars<saturating_minus>, fp},
    {encoding("01 U 11110 size 1 Rm 00110 1 Rn Rd"), "CMGT (register), CMHI", scalars<greater, size_d>, fp},
    {encoding("01 U 11110 size 1 Rm 00111 1 Rn Rd"), "CMGE (register), CMHS", scalars<greater_or_equal, size_d>, fp},
    {encoding("01 U 11110 size 1 Rm 01000 1 Rn Rd"), "SSHL, USHL",        scalars<shift, size_d>, fp},
    {encoding("01 U 11110 size 1 Rm 01001 1 Rn Rd"), "SQSHL, UQSHL (register)", scalars<saturating_shift>, fp},
    {encoding("01 U 11110 size 1 Rm 01010 1 Rn Rd"), "SRSHL, URSHL",      scalars<rounding_shift, size_d>, fp},
    {encoding("01 U 11110 size 1 Rm 01011 1 Rn Rd"), "SQRSHL, UQRSHL",    scalars<saturating_rounding_shift>, fp},
    {encoding("01 0 11110 size 1 Rm 10000 1 Rn Rd"), "ADD (vector)",      scalars<sum, size_d, is_unsigned>, fp},
    {encoding("01 1 11110 size 1 Rm 10000 1 Rn Rd"), "SUB (vector)",      scalars<minus, size_d, is_unsigned>, fp},
    {encoding("01 0 11110 size 1 Rm 10001 1 Rn Rd"), "CMTST",             scalars<test, size_d, is_unsigned>, fp},
    {encoding("01 1 11110 size 1 Rm 10001 1 Rn Rd"), "CMEQ (register)",   scalars<equal, size_d, is_unsigned>, fp},
    {encoding("01 0 11110 size 1 Rm 10110 1 Rn Rd"), "SQDMULH (vector)",  scalars<doubling_high, size_h | size_s, is_signed>, fp},
    {encoding("01 1 11110 size 1 Rm 10110 1 Rn Rd"), "SQRDMULH (vector)", scalars<rounding_doubling_high, size_h | size_s, is_signed>, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_three_same

std::span<const Row> simd_three_same_rows() { return simd_three_same::rows; }

}  // namespace asterism::a64
