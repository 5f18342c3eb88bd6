// Advanced SIMD copy, vector and scalar, and modified immediate (Arm DDI 0487, C4.1.96).
#include <bit>

#include "core/a64/fast_float.h"
#include "core/a64/simd_tables.h"

namespace asterism::a64 {
namespace simd_copy {
namespace {

// ---- copy: op.rm is the lane of the source, op.ra that of the destination ----

struct DupElement {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    Lanes<T, bytes> result;
    result.fill(element<T>(cpu.v[op.rn], op.rm));
    put(cpu.v[op.rd], result);
  }
};

struct DupGeneral {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    Lanes<T, bytes> result;
    result.fill(static_cast<T>(cpu.x[op.rn]));
    put(cpu.v[op.rd], result);
  }
};

// To W (8 bytes by Q) or X.
struct MoveToGeneral {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    using Register = std::conditional_t<bytes == 16, std::uint64_t, std::uint32_t>;
    using Extended = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    cpu.x[op.rd] = static_cast<Register>(Extended{element<T>(cpu.v[op.rn], op.rm)});
  }
};

struct InsertGeneral {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    set_element(cpu.v[op.rd], op.ra, static_cast<T>(cpu.x[op.rn]));
  }
};

struct InsertElement {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    set_element(cpu.v[op.rd], op.ra, element<T>(cpu.v[op.rn], op.rm));
  }
};

// The lowest set bit of imm5 selects the size, the bits above it the lane.
unsigned size_of_imm5(const Decoding& d) {
  return static_cast<unsigned>(std::countr_zero(d.bits(20, 16) | 1u << 4));
}
std::uint8_t lane_of_imm5(const Decoding& d) {
  return static_cast<std::uint8_t>(d.bits(20, 16) >> (size_of_imm5(d) + 1));
}
bool is_reserved_imm5(const Decoding& d) { return d.bits(19, 16) == 0; }

template <class Family, unsigned sizes, Sign sign = Sign::is_unsigned>
bool choose(Decoding& d) {
  if (is_reserved_imm5(d)) return false;
  d.op.run = vector_handler<Family, sizes, sign>(d, size_of_imm5(d));
  return d.op.run != nullptr;
}

bool decode_dup_element(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.rm = lane_of_imm5(d);
  return choose<DupElement, sizes_bhsd>(d);
}
bool decode_dup_element_scalar(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.rm = lane_of_imm5(d);
  if (is_reserved_imm5(d)) return false;
  d.op.run = scalar_handler<DupElement, sizes_bhsd, Sign::is_unsigned>(d, size_of_imm5(d));
  return true;
}
bool decode_dup_general(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.source(5);
  return choose<DupGeneral, sizes_bhsd>(d);
}
template <unsigned sizes, Sign sign>
bool decode_move_to_general(Decoding& d) {
  d.op.rd = d.target(0), d.op.rn = d.vector(5), d.op.rm = lane_of_imm5(d);
  return choose<MoveToGeneral, sizes, sign>(d);
}
bool decode_insert_general(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.source(5), d.op.ra = lane_of_imm5(d);
  return choose<InsertGeneral, sizes_bhsd>(d);
}
bool decode_insert_element(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.ra = lane_of_imm5(d);
  d.op.rm = static_cast<std::uint8_t>(d.bits(14, 11) >> size_of_imm5(d));
  return choose<InsertElement, sizes_bhsd>(d);
}

// ---- modified immediate ----

template <bool is_128>
void move_immediate(Cpu& cpu, const Operation& op) {
  const std::uint64_t value = op.wide();
  cpu.v[op.rd].d = {value, is_128 ? value : 0};
}
template <bool is_128>
void or_immediate(Cpu& cpu, const Operation& op) {
  auto& d = cpu.v[op.rd].d;
  const std::uint64_t value = op.wide();
  d = {d[0] | value, is_128 ? d[1] | value : 0};
}
template <bool is_128>
void clear_immediate(Cpu& cpu, const Operation& op) {
  auto& d = cpu.v[op.rd].d;
  const std::uint64_t value = op.wide();
  d = {d[0] & ~value, is_128 ? d[1] & ~value : 0};
}

std::uint64_t imm8(const Decoding& d) { return d.bits(18, 16) << 5 | d.bits(9, 5); }
constexpr std::uint64_t every_word = 0x0000'0001'0000'0001, every_half_word = 0x0001'0001'0001'0001;
constexpr std::uint64_t every_byte = 0x0101'0101'0101'0101;

// Expands imm8 to 64 bits.
std::uint64_t shifted_words(const Decoding& d) { return (imm8(d) << (8 * d.bits(14, 13))) * every_word; }
std::uint64_t shifted_half_words(const Decoding& d) {
  return (imm8(d) << (8 * d.bits(13, 13))) * every_half_word;
}
std::uint64_t ones_shifted_in(const Decoding& d) {
  return (d.bit(12) ? imm8(d) << 16 | 0xffff : imm8(d) << 8 | 0xff) * every_word;
}
std::uint64_t bytes(const Decoding& d) { return imm8(d) * every_byte; }
// Each bit becomes a byte.
std::uint64_t bits_as_bytes(const Decoding& d) {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 8; ++i) result |= (imm8(d) >> i & 1) * 0xff << (8 * i);
  return result;
}
// Sign, the lowest bits of the exponent (the others are those of 2 to the power of -3 to 4), four bits of the
// fraction.
std::uint64_t halves(const Decoding& d) {
  return expand_immediate<Half>(static_cast<unsigned>(imm8(d))) * every_half_word;
}
std::uint64_t singles(const Decoding& d) {
  const std::uint64_t sign = imm8(d) >> 7, b = imm8(d) >> 6 & 1, rest = imm8(d) & 0x3f;
  return (sign << 31 | (b ? 0x1full : 0x20ull) << 25 | rest << 19) * every_word;
}
std::uint64_t doubles(const Decoding& d) {
  const std::uint64_t sign = imm8(d) >> 7, b = imm8(d) >> 6 & 1, rest = imm8(d) & 0x3f;
  return sign << 63 | (b ? 0xffull : 0x100ull) << 54 | rest << 48;
}

template <std::uint64_t (*constant)(const Decoding&)>
bool decode_move(Decoding& d) {
  d.op.rd = d.vector(0);
  d.wide(constant(d));
  d.op.run = d.bit(30) ? step<move_immediate<true>> : step<move_immediate<false>>;
  return true;
}
template <std::uint64_t (*constant)(const Decoding&)>
bool decode_move_inverted(Decoding& d) {
  d.op.rd = d.vector(0);
  d.wide(~constant(d));
  d.op.run = d.bit(30) ? step<move_immediate<true>> : step<move_immediate<false>>;
  return true;
}
template <std::uint64_t (*constant)(const Decoding&)>
bool decode_or(Decoding& d) {
  d.op.rd = d.vector(0);
  d.wide(constant(d));
  d.op.run = d.bit(30) ? step<or_immediate<true>> : step<or_immediate<false>>;
  return true;
}
template <std::uint64_t (*constant)(const Decoding&)>
bool decode_clear(Decoding& d) {
  d.op.rd = d.vector(0);
  d.wide(constant(d));
  d.op.run = d.bit(30) ? step<clear_immediate<true>> : step<clear_immediate<false>>;
  return true;
}

constexpr Sign is_unsigned = Sign::is_unsigned, is_signed = Sign::is_signed;
constexpr Row::Needs fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q 0 01110000 imm5 0 0000 1 Rn Rd"),  "DUP (element)",      decode_dup_element, fp},
    {encoding("0 Q 0 01110000 imm5 0 0001 1 Rn Rd"),  "DUP (general)",      decode_dup_general, fp},
    {encoding("0 0 0 01110000 imm5 0 0101 1 Rn Rd"),  "SMOV",               decode_move_to_general<size_b | size_h, is_signed>, fp},
    {encoding("0 1 0 01110000 imm5 0 0101 1 Rn Rd"),  "SMOV",               decode_move_to_general<sizes_bhs, is_signed>, fp},
    {encoding("0 0 0 01110000 imm5 0 0111 1 Rn Rd"),  "UMOV",               decode_move_to_general<sizes_bhs, is_unsigned>, fp},
    {encoding("0 1 0 01110000 imm5 0 0111 1 Rn Rd"),  "UMOV",               decode_move_to_general<size_d, is_unsigned>, fp},
    {encoding("0 1 0 01110000 imm5 0 0011 1 Rn Rd"),  "INS (general)",      decode_insert_general, fp},
    {encoding("0 1 1 01110000 imm5 0 imm4 1 Rn Rd"),  "INS (element)",      decode_insert_element, fp},
    {encoding("01 0 11110000 imm5 0 0000 1 Rn Rd"),  "DUP (element)",      decode_dup_element_scalar, fp},

    {encoding("0 Q 0 0111100000 a b c 0xx0 01 d e f g h Rd"), "MOVI",       decode_move<shifted_words>, fp},
    {encoding("0 Q 0 0111100000 a b c 0xx1 01 d e f g h Rd"), "ORR (vector, immediate)", decode_or<shifted_words>, fp},
    {encoding("0 Q 0 0111100000 a b c 10x0 01 d e f g h Rd"), "MOVI",       decode_move<shifted_half_words>, fp},
    {encoding("0 Q 0 0111100000 a b c 10x1 01 d e f g h Rd"), "ORR (vector, immediate)", decode_or<shifted_half_words>, fp},
    {encoding("0 Q 0 0111100000 a b c 110x 01 d e f g h Rd"), "MOVI",       decode_move<ones_shifted_in>, fp},
    {encoding("0 Q 0 0111100000 a b c 1110 01 d e f g h Rd"), "MOVI",       decode_move<bytes>, fp},
    {encoding("0 Q 0 0111100000 a b c 1111 01 d e f g h Rd"), "FMOV (vector, immediate)", decode_move<singles>, fp},
    {encoding("0 Q 0 0111100000 a b c 1111 11 d e f g h Rd"), "FMOV (vector, half, immediate)", decode_move<halves>, Row::Needs::fp16},
    {encoding("0 Q 1 0111100000 a b c 0xx0 01 d e f g h Rd"), "MVNI",       decode_move_inverted<shifted_words>, fp},
    {encoding("0 Q 1 0111100000 a b c 0xx1 01 d e f g h Rd"), "BIC (vector, immediate)", decode_clear<shifted_words>, fp},
    {encoding("0 Q 1 0111100000 a b c 10x0 01 d e f g h Rd"), "MVNI",       decode_move_inverted<shifted_half_words>, fp},
    {encoding("0 Q 1 0111100000 a b c 10x1 01 d e f g h Rd"), "BIC (vector, immediate)", decode_clear<shifted_half_words>, fp},
    {encoding("0 Q 1 0111100000 a b c 110x 01 d e f g h Rd"), "MVNI",       decode_move_inverted<ones_shifted_in>, fp},
    {encoding("0 Q 1 0111100000 a b c 1110 01 d e f g h Rd"), "MOVI",       decode_move<bits_as_bytes>, fp},
    {encoding("0 1 1 0111100000 a b c 1111 01 d e f g h Rd"), "FMOV (vector, immediate)", decode_move<doubles>, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_copy

std::span<const Row> simd_copy_rows() { return simd_copy::rows; }

}  // namespace asterism::a64
