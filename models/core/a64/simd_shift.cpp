// Advanced SIMD shift by immediate, vector and scalar (Arm DDI 0487, C4.1.96), without conversions.
#include <bit>

#include "core/a64/simd_tables.h"

namespace asterism::a64 {
namespace simd_shift {
namespace {

// op.imm is the distance. The operation on a lane is f(a, by), f(a, by, d) with the lane of the destination,
// or f(a, by, saturated).
template <auto f>
struct Shift {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    const auto d = lanes<T, bytes>(cpu.v[op.rd]);
    const unsigned by = op.imm;
    Lanes<T, bytes> result;
    bool saturated = false;
    for (std::size_t i = 0; i < result.size(); ++i) {
      if constexpr (std::is_invocable_v<decltype(f), T, unsigned>) {
        result[i] = f(a[i], by);
      } else if constexpr (std::is_invocable_v<decltype(f), T, unsigned, bool&>) {
        result[i] = static_cast<T>(f(a[i], by, saturated));
      } else {
        result[i] = f(a[i], by, d[i]);
      }
    }
    put(cpu.v[op.rd], result);
    if (saturated) cpu.fpsr |= fpsr_qc;
  }
};

// T is the type of the result; f(a, by, saturated) of a wide lane.
template <auto f>
struct ShiftRightNarrow {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes < Wide<T>, bytes == 16 || bytes == 8 ? 16 : bytes * 2 > (cpu.v[op.rn]);
    const unsigned by = op.imm;
    std::array<T, a.size()> result;
    bool saturated = false;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<T>(f(a[i], by, saturated));
    put_half<bytes>(cpu.v[op.rd], result);
    if (saturated) cpu.fpsr |= fpsr_qc;
  }
};

// T is the type of the source.
struct ShiftLeftLong {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = half<T, bytes>(cpu.v[op.rn]);
    const unsigned by = op.imm;
    std::array<Wide<T>, a.size()> result;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<Wide<T>>(Modulo<Wide<T>>(Wide<T>{a[i]}) << by);
    put(cpu.v[op.rd], result);
  }
};

// ---- operations on a lane ----

constexpr auto right = []<class T>(T a, unsigned by) -> T { return shift_right(a, by); };
constexpr auto right_accumulate = []<class T>(T a, unsigned by, T d) -> T {
  return add(d, shift_right(a, by));
};
constexpr auto rounding_right = []<class T>(T a, unsigned by) -> T { return rounding_shift_right(a, by); };
constexpr auto rounding_right_accumulate = []<class T>(T a, unsigned by, T d) -> T {
  return add(d, rounding_shift_right(a, by));
};
constexpr auto left = []<class T>(T a, unsigned by) -> T { return shift_left(a, by); };
// Bits into which nothing is shifted do not change.
constexpr auto right_insert = []<class T>(T a, unsigned by, T d) -> T {
  const T mask = shift_right(most<T>, by);
  return static_cast<T>((d & ~mask) | shift_right(a, by));
};
constexpr auto left_insert = []<class T>(T a, unsigned by, T d) -> T {
  const T mask = shift_left(most<T>, by);
  return static_cast<T>((d & ~mask) | shift_left(a, by));
};
constexpr auto saturating_left = []<class T>(T a, unsigned by, bool& saturated) -> T {
  return saturating_shift_left(a, by, saturated);
};
constexpr auto saturating_left_unsigned = []<class T>(T a, unsigned by, bool& saturated) -> Unsigned<T> {
  if (a >= T{0}) return saturating_shift_left(static_cast<Unsigned<T>>(a), by, saturated);
  saturated = true;
  return 0;
};

constexpr auto narrow = []<class T>(T a, unsigned by, bool&) -> T { return shift_right(a, by); };
constexpr auto rounding_narrow = []<class T>(T a, unsigned by, bool&) -> T {
  return rounding_shift_right(a, by);
};
constexpr auto saturating_narrow = []<class T>(T a, unsigned by, bool& saturated) -> Narrow<T> {
  return saturate<Narrow<T>>(shift_right(a, by), saturated);
};
constexpr auto saturating_rounding_narrow = []<class T>(T a, unsigned by, bool& saturated) -> Narrow<T> {
  return saturate<Narrow<T>>(rounding_shift_right(a, by), saturated);
};
constexpr auto saturating_unsigned_narrow = []<class T>(T a, unsigned by,
                                                        bool& saturated) -> Unsigned<Narrow<T>> {
  return saturate<Unsigned<Narrow<T>>>(shift_right(a, by), saturated);
};
constexpr auto saturating_rounding_unsigned_narrow = []<class T>(T a, unsigned by,
                                                                 bool& saturated) -> Unsigned<Narrow<T>> {
  return saturate<Unsigned<Narrow<T>>>(rounding_shift_right(a, by), saturated);
};

// ---- decoding: the highest set bit of immh selects the size; for narrow and long, that of the narrow
// lanes ----

enum class Direction : std::uint8_t { left, right };

bool take_shift(Decoding& d, Direction direction, unsigned& size) {
  take_registers(d);
  const unsigned immh = d.bits(22, 19), distance = d.bits(22, 16);
  if (immh == 0) return false;
  size = static_cast<unsigned>(std::bit_width(immh)) - 1;
  d.op.imm = direction == Direction::left ? distance - (8u << size) : (16u << size) - distance;
  return true;
}

template <class Family, unsigned sizes, Direction direction, Sign sign>
bool decode_shift(Decoding& d) {
  unsigned size;
  if (!take_shift(d, direction, size)) return false;
  d.op.run = vector_handler<Family, sizes, sign>(d, size);
  return d.op.run != nullptr;
}

template <class Family, unsigned sizes, Direction direction, Sign sign>
bool decode_scalar_shift(Decoding& d) {
  unsigned size;
  if (!take_shift(d, direction, size)) return false;
  d.op.run = scalar_handler<Family, sizes, sign>(d, size);
  return d.op.run != nullptr;
}

constexpr Sign is_unsigned = Sign::is_unsigned, is_signed = Sign::is_signed, by_u = Sign::by_u;
constexpr Row::Needs fp = Row::Needs::fp;

template <auto f, Sign sign = by_u>
constexpr auto rights = decode_shift<Shift<f>, sizes_bhsd, Direction::right, sign>;
template <auto f, Sign sign = by_u>
constexpr auto lefts = decode_shift<Shift<f>, sizes_bhsd, Direction::left, sign>;
template <auto f, Sign sign = by_u>
constexpr auto narrows = decode_shift<ShiftRightNarrow<f>, sizes_bhs, Direction::right, sign>;
template <auto f, Sign sign = by_u>
constexpr auto scalar_rights = decode_scalar_shift<Shift<f>, size_d, Direction::right, sign>;
template <auto f, unsigned sizes, Sign sign = by_u>
constexpr auto scalar_lefts = decode_scalar_shift<Shift<f>, sizes, Direction::left, sign>;
template <auto f, Sign sign = by_u>
constexpr auto scalar_narrows = decode_scalar_shift<ShiftRightNarrow<f>, sizes_bhs, Direction::right, sign>;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q U 011110 immh immb 00000 1 Rn Rd"), "SSHR, USHR",       rights<right>, fp},
    {encoding("0 Q U 011110 immh immb 00010 1 Rn Rd"), "SSRA, USRA",       rights<right_accumulate>, fp},
    {encoding("0 Q U 011110 immh immb 00100 1 Rn Rd"), "SRSHR, URSHR",     rights<rounding_right>, fp},
    {encoding("0 Q U 011110 immh immb 00110 1 Rn Rd"), "SRSRA, URSRA",     rights<rounding_right_accumulate>, fp},
    {encoding("0 Q 1 011110 immh immb 01000 1 Rn Rd"), "SRI",              rights<right_insert, is_unsigned>, fp},
    {encoding("0 Q 0 011110 immh immb 01010 1 Rn Rd"), "SHL",              lefts<left, is_unsigned>, fp},
    {encoding("0 Q 1 011110 immh immb 01010 1 Rn Rd"), "SLI",              lefts<left_insert, is_unsigned>, fp},
    {encoding("0 Q 1 011110 immh immb 01100 1 Rn Rd"), "SQSHLU",           lefts<saturating_left_unsigned, is_signed>, fp},
    {encoding("0 Q U 011110 immh immb 01110 1 Rn Rd"), "SQSHL, UQSHL (immediate)", lefts<saturating_left>, fp},
    {encoding("0 Q 0 011110 immh immb 10000 1 Rn Rd"), "SHRN",             narrows<narrow, is_unsigned>, fp},
    {encoding("0 Q 1 011110 immh immb 10000 1 Rn Rd"), "SQSHRUN",          narrows<saturating_unsigned_narrow, is_signed>, fp},
    {encoding("0 Q 0 011110 immh immb 10001 1 Rn Rd"), "RSHRN",            narrows<rounding_narrow, is_unsigned>, fp},
    {encoding("0 Q 1 011110 immh immb 10001 1 Rn Rd"), "SQRSHRUN",         narrows<saturating_rounding_unsigned_narrow, is_signed>, fp},
    {encoding("0 Q U 011110 immh immb 10010 1 Rn Rd"), "SQSHRN, UQSHRN",   narrows<saturating_narrow>, fp},
    {encoding("0 Q U 011110 immh immb 10011 1 Rn Rd"), "SQRSHRN, UQRSHRN", narrows<saturating_rounding_narrow>, fp},
    {encoding("0 Q U 011110 immh immb 10100 1 Rn Rd"), "SSHLL, USHLL",     decode_shift<ShiftLeftLong, sizes_bhs, Direction::left, by_u>, fp},

    {encoding("01 U 111110 immh immb 00000 1 Rn Rd"),  "SSHR, USHR",       scalar_rights<right>, fp},
    {encoding("01 U 111110 immh immb 00010 1 Rn Rd"),  "SSRA, USRA",       scalar_rights<right_accumulate>, fp},
    {encoding("01 U 111110 immh immb 00100 1 Rn Rd"),  "SRSHR, URSHR",     scalar_rights<rounding_right>, fp},
    {encoding("01 U 111110 immh immb 00110 1 Rn Rd"),  "SRSRA, URSRA",     scalar_rights<rounding_right_accumulate>, fp},
    {encoding("01 1 111110 immh immb 01000 1 Rn Rd"),  "SRI",              scalar_rights<right_insert, is_unsigned>, fp},
    {encoding("01 0 111110 immh immb 01010 1 Rn Rd"),  "SHL",              scalar_lefts<left, size_d, is_unsigned>, fp},
    {encoding("01 1 111110 immh immb 01010 1 Rn Rd"),  "SLI",              scalar_lefts<left_insert, size_d, is_unsigned>, fp},
    {encoding("01 1 111110 immh immb 01100 1 Rn Rd"),  "SQSHLU",           scalar_lefts<saturating_left_unsigned, sizes_bhsd, is_signed>, fp},
    {encoding("01 U 111110 immh immb 01110 1 Rn Rd"),  "SQSHL, UQSHL (immediate)", scalar_lefts<saturating_left, sizes_bhsd>, fp},
    {encoding("01 1 111110 immh immb 10000 1 Rn Rd"),  "SQSHRUN",          scalar_narrows<saturating_unsigned_narrow, is_signed>, fp},
    {encoding("01 1 111110 immh immb 10001 1 Rn Rd"),  "SQRSHRUN",         scalar_narrows<saturating_rounding_unsigned_narrow, is_signed>, fp},
    {encoding("01 U 111110 immh immb 10010 1 Rn Rd"),  "SQSHRN, UQSHRN",   scalar_narrows<saturating_narrow>, fp},
    {encoding("01 U 111110 immh immb 10011 1 Rn Rd"),  "SQRSHRN, UQRSHRN", scalar_narrows<saturating_rounding_narrow>, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_shift

std::span<const Row> simd_shift_rows() { return simd_shift::rows; }

}  // namespace asterism::a64
