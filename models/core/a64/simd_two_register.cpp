// Advanced SIMD two-register miscellaneous, vector and scalar (Arm DDI 0487, C4.1.96), without floating
// point.
#include <bit>

#include "core/a64/simd_tables.h"

namespace asterism::a64 {
namespace simd_two_register {
namespace {

// The operation on a lane is f(a), f(a, saturated), or f(a, d, saturated) with the lane of the destination.
template <auto f>
struct EachLane {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    const auto d = lanes<T, bytes>(cpu.v[op.rd]);
    Lanes<T, bytes> result;
    bool saturated = false;
    for (std::size_t i = 0; i < result.size(); ++i) {
      if constexpr (std::is_invocable_v<decltype(f), T>) {
        result[i] = f(a[i]);
      } else if constexpr (std::is_invocable_v<decltype(f), T, bool&>) {
        result[i] = f(a[i], saturated);
      } else {
        result[i] = f(a[i], d[i], saturated);
      }
    }
    put(cpu.v[op.rd], result);
    if (saturated) cpu.fpsr |= fpsr_qc;
  }
};

template <class T>
T bytes_reversed(T value) {
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  return static_cast<T>(value << 8 | value >> 8);
}

// Reverses the order of the lanes within each group of so many bytes.
template <unsigned group>
struct Reverse {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    if constexpr (sizeof(T) == 1) {  // byte by byte would be slow on the host
      auto result = lanes<typename detail::OfBytes<group>::type, bytes>(cpu.v[op.rn]);
      for (auto& lane : result) lane = bytes_reversed(lane);
      put(cpu.v[op.rd], result);
    } else {
      const auto a = lanes<T, bytes>(cpu.v[op.rn]);
      Lanes<T, bytes> result;
      for (std::size_t i = 0; i < result.size(); ++i) result[i] = a[i ^ (group / sizeof(T) - 1)];
      put(cpu.v[op.rd], result);
    }
  }
};

// Sums of adjacent lanes, twice as wide.
template <bool accumulates>
struct AddLongPairwise {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    auto result = lanes<Wide<T>, bytes>(cpu.v[op.rd]);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto sum = static_cast<Wide<T>>(Wide<T>{a[2 * i]} + Wide<T>{a[2 * i + 1]});
      result[i] = accumulates ? add(result[i], sum) : sum;
    }
    put(cpu.v[op.rd], result);
  }
};

// T is the type of the result; f(a, saturated) of a wide one.
template <auto f>
struct Narrowed {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes < Wide<T>, bytes == 16 || bytes == 8 ? 16 : bytes * 2 > (cpu.v[op.rn]);
    std::array<T, a.size()> result;
    bool saturated = false;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<T>(f(a[i], saturated));
    put_half<bytes>(cpu.v[op.rd], result);
    if (saturated) cpu.fpsr |= fpsr_qc;
  }
};

struct ShiftLeftLong {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = half<T, bytes>(cpu.v[op.rn]);
    std::array<Wide<T>, a.size()> result;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<Wide<T>>(Wide<T>{a[i]} << width<T>);
    put(cpu.v[op.rd], result);
  }
};

// ---- operations on a lane ----

// The bits that equal the sign, without it.
constexpr auto leading_signs = []<class T>(T a) -> T {
  const auto changes = static_cast<Unsigned<T>>(a ^ static_cast<T>(a >> 1));  // its top bit is 0
  return static_cast<T>(std::countl_zero(changes) - 1);
};
constexpr auto leading_zeros = []<class T>(T a) -> T { return static_cast<T>(std::countl_zero(a)); };
// For bytes, by sums of adjacent bits, which vectorises.
constexpr auto count_ones = []<class T>(T a) -> T {
  const unsigned pairs = a - (a >> 1 & 0x55u);
  const unsigned nibbles = (pairs & 0x33u) + (pairs >> 2 & 0x33u);
  return static_cast<T>((nibbles + (nibbles >> 4)) & 0xfu);
};
constexpr auto invert = []<class T>(T a) -> T { return static_cast<T>(~a); };
constexpr auto reverse_bits = []<class T>(T a) -> T {
  unsigned bits = a;
  bits = (bits & 0x55u) << 1 | (bits >> 1 & 0x55u);
  bits = (bits & 0x33u) << 2 | (bits >> 2 & 0x33u);
  return static_cast<T>(bits << 4 | bits >> 4);
};
constexpr auto absolute = []<class T>(T a) -> T { return a < T{0} ? subtract(T{0}, a) : a; };
constexpr auto negate = []<class T>(T a) -> T { return subtract(T{0}, a); };
constexpr auto saturating_absolute = []<class T>(T a, bool& saturated) -> T {
  return a < T{0} ? saturating_subtract(T{0}, a, saturated) : a;
};
constexpr auto saturating_negate = []<class T>(T a, bool& saturated) -> T {
  return saturating_subtract(T{0}, a, saturated);
};

constexpr auto is_greater = []<class T>(T a) -> T { return all_ones_if<T>(a > T{0}); };
constexpr auto is_greater_or_equal = []<class T>(T a) -> T { return all_ones_if<T>(a >= T{0}); };
constexpr auto is_zero = []<class T>(T a) -> T { return all_ones_if<T>(a == T{0}); };
constexpr auto is_less_or_equal = []<class T>(T a) -> T { return all_ones_if<T>(a <= T{0}); };
constexpr auto is_less = []<class T>(T a) -> T { return all_ones_if<T>(a < T{0}); };

// Adds a lane of the other sign to one of the destination.
constexpr auto accumulate_saturating = []<class T>(T a, T d, bool& saturated) -> T {
  using Other = std::conditional_t<std::is_signed_v<T>, Unsigned<T>, Signed<T>>;
  const auto addend = static_cast<Other>(a);
  T sum{};
  if (!__builtin_add_overflow(addend, d, &sum)) return sum;
  saturated = true;
  return std::is_signed_v<Other> && addend < Other{0} ? least<T> : most<T>;
};

constexpr auto truncate_lane = []<class T>(T a, bool&) -> T { return a; };
constexpr auto saturate_narrow = []<class T>(T a, bool& saturated) -> Narrow<T> {
  return saturate<Narrow<T>>(a, saturated);
};
constexpr auto saturate_unsigned_narrow = []<class T>(T a, bool& saturated) -> Unsigned<Narrow<T>> {
  return saturate<Unsigned<Narrow<T>>>(a, saturated);
};

// ---- rows ----

template <auto f, unsigned sizes, Sign sign>
constexpr auto vectors = decode_vector<EachLane<f>, sizes, sign>;
template <auto f, unsigned sizes, Sign sign>
constexpr auto scalars = decode_scalar<EachLane<f>, sizes, sign>;

constexpr Sign is_unsigned = Sign::is_unsigned, is_signed = Sign::is_signed, by_u = Sign::by_u;
constexpr Row::Needs fp = Row::Needs::fp;

// RBIT has the size of bytes too, but 01 in the field.
bool decode_reverse_bits(Decoding& d) {
  take_registers(d);
  d.op.run = vector_handler<EachLane<reverse_bits>, size_b, is_unsigned>(d, 0);
  return true;
}

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q 0 01110 size 10000 00000 10 Rn Rd"), "REV64",          decode_vector<Reverse<8>, sizes_bhs, is_unsigned>, fp},
    {encoding("0 Q 1 01110 size 10000 00000 10 Rn Rd"), "REV32 (vector)", decode_vector<Reverse<4>, size_b | size_h, is_unsigned>, fp},
    {encoding("0 Q 0 01110 size 10000 00001 10 Rn Rd"), "REV16 (vector)", decode_vector<Reverse<2>, size_b, is_unsigned>, fp},
    {encoding("0 Q U 01110 size 10000 00010 10 Rn Rd"), "SADDLP, UADDLP", decode_vector<AddLongPairwise<false>, sizes_bhs>, fp},
    {encoding("0 Q U 01110 size 10000 00011 10 Rn Rd"), "SUQADD, USQADD", vectors<accumulate_saturating, sizes_bhsd, by_u>, fp},
    {encoding("0 Q 0 01110 size 10000 00100 10 Rn Rd"), "CLS (vector)",   vectors<leading_signs, sizes_bhs, is_signed>, fp},
    {encoding("0 Q 1 01110 size 10000 00100 10 Rn Rd"), "CLZ (vector)",   vectors<leading_zeros, sizes_bhs, is_unsigned>, fp},
    {encoding("0 Q 0 01110 size 10000 00101 10 Rn Rd"), "CNT",            vectors<count_ones, size_b, is_unsigned>, fp},
    {encoding("0 Q 1 01110 00 10000 00101 10 Rn Rd"), "NOT",            vectors<invert, size_b, is_unsigned>, fp},
    {encoding("0 Q 1 01110 01 10000 00101 10 Rn Rd"), "RBIT (vector)",  decode_reverse_bits, fp},
    {encoding("0 Q U 01110 size 10000 00110 10 Rn Rd"), "SADALP, UADALP", decode_vector<AddLongPairwise<true>, sizes_bhs>, fp},
    {encoding("0 Q 0 01110 size 10000 00111 10 Rn Rd"), "SQABS",          vectors<saturating_absolute, sizes_bhsd, is_signed>, fp},
    {encoding("0 Q 1 01110 size 10000 00111 10 Rn Rd"), "SQNEG",          vectors<saturating_negate, sizes_bhsd, is_signed>, fp},
    {encoding("0 Q 0 01110 size 10000 01000 10 Rn Rd"), "CMGT (zero)",    vectors<is_greater, sizes_bhsd, is_signed>, fp},
    {encoding("0 Q 1 01110 size 10000 01000 10 Rn Rd"), "CMGE (zero)",    vectors<is_greater_or_equal, sizes_bhsd, is_signed>, fp},
    {encoding("0 Q 0 01110 size 10000 01001 10 Rn Rd"), "CMEQ (zero)",    vectors<is_zero, sizes_bhsd, is_signed>, fp},
    {encoding("0 Q 1 01110 size 10000 01001 10 Rn Rd"), "CMLE (zero)",    vectors<is_less_or_equal, sizes_bhsd, is_signed>, fp},
    {encoding("0 Q 0 01110 size 10000 01010 10 Rn Rd"), "CMLT (zero)",    vectors<is_less, sizes_bhsd, is_signed>, fp},
    {encoding("0 Q 0 01110 size 10000 01011 10 Rn Rd"), "ABS",            vectors<absolute, sizes_bhsd, is_signed>, fp},
    {encoding("0 Q 1 01110 size 10000 01011 10 Rn Rd"), "NEG (vector)",   vectors<negate, sizes_bhsd, is_unsigned>, fp},
    {encoding("0 Q 0 01110 size 10000 10010 10 Rn Rd"), "XTN",            decode_vector<Narrowed<truncate_lane>, sizes_bhs, is_unsigned>, fp},
    {encoding("0 Q 1 01110 size 10000 10010 10 Rn Rd"), "SQXTUN",         decode_vector<Narrowed<saturate_unsigned_narrow>, sizes_bhs, is_signed>, fp},
    {encoding("0 Q 1 01110 size 10000 10011 10 Rn Rd"), "SHLL",           decode_vector<ShiftLeftLong, sizes_bhs, is_unsigned>, fp},
    {encoding("0 Q U 01110 size 10000 10100 10 Rn Rd"), "SQXTN, UQXTN",   decode_vector<Narrowed<saturate_narrow>, sizes_bhs>, fp},

    {encoding("01 U 11110 size 10000 00011 10 Rn Rd"), "SUQADD, USQADD",  scalars<accumulate_saturating, sizes_bhsd, by_u>, fp},
    {encoding("01 0 11110 size 10000 00111 10 Rn Rd"), "SQABS",           scalars<saturating_absolute, sizes_bhsd, is_signed>, fp},
    {encoding("01 1 11110 size 10000 00111 10 Rn Rd"), "SQNEG",           scalars<saturating_negate, sizes_bhsd, is_signed>, fp},
    {encoding("01 0 11110 size 10000 01000 10 Rn Rd"), "CMGT (zero)",     scalars<is_greater, size_d, is_signed>, fp},
    {encoding("01 1 11110 size 10000 01000 10 Rn Rd"), "CMGE (zero)",     scalars<is_greater_or_equal, size_d, is_signed>, fp},
    {encoding("01 0 11110 size 10000 01001 10 Rn Rd"), "CMEQ (zero)",     scalars<is_zero, size_d, is_signed>, fp},
    {encoding("01 1 11110 size 10000 01001 10 Rn Rd"), "CMLE (zero)",     scalars<is_less_or_equal, size_d, is_signed>, fp},
    {encoding("01 0 11110 size 10000 01010 10 Rn Rd"), "CMLT (zero)",     scalars<is_less, size_d, is_signed>, fp},
    {encoding("01 0 11110 size 10000 01011 10 Rn Rd"), "ABS",             scalars<absolute, size_d, is_signed>, fp},
    {encoding("01 1 11110 size 10000 01011 10 Rn Rd"), "NEG (vector)",    scalars<negate, size_d, is_unsigned>, fp},
    {encoding("01 1 11110 size 10000 10010 10 Rn Rd"), "SQXTUN",          decode_scalar<Narrowed<saturate_unsigned_narrow>, sizes_bhs, is_signed>, fp},
    {encoding("01 U 11110 size 10000 10100 10 Rn Rd"), "SQXTN, UQXTN",    decode_scalar<Narrowed<saturate_narrow>, sizes_bhs>, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_two_register

std::span<const Row> simd_two_register_rows() { return simd_two_register::rows; }

}  // namespace asterism::a64
