// Data processing with registers (Arm DDI 0487, C4.1.68).
#include <array>
#include <bit>
#include <tuple>
#include <type_traits>

#include "core/a64/arithmetic.h"
#include "core/a64/conditions.h"
#include "core/a64/cpu.h"
#include "core/a64/decoder.h"
#include "core/a64/handler_table.h"
#include "core/a64/integer_operations.h"

namespace asterism::a64 {
namespace data_processing_register {
namespace {

using namespace integer;

template <std::size_t sf>
using Width = std::conditional_t<sf != 0, X, W>;

void decode_rd_rn_rm(Decoding& d) {
  d.op.rd = d.target(0);
  d.op.rn = d.source(5);
  d.op.rm = d.source(16);
}

// ---- with a shifted register: imm is the amount ----

constexpr std::size_t shift_kinds = 5;
// Decodes the registers, shift and amount of a shifted-register instruction. False: reserved.
bool decode_shifted(Decoding& d, std::size_t& shift) {
  decode_rd_rn_rm(d);
  d.op.imm = d.bits(15, 10);
  shift = d.op.imm == 0 ? static_cast<std::size_t>(Shift::none) : d.bits(23, 22);
  return d.bit(31) || d.op.imm < 32;
}

bool decode_logical(Decoding& d) {
  static constexpr auto handlers = table_of<shift_kinds * 16>([]<std::size_t i> {
    constexpr std::size_t shift = i % shift_kinds, rest = i / shift_kinds;
    return Handler{step<one<LogicShifted<Width<rest / 8>, rest / 2 % 4, rest % 2 == 1, Shift{shift}>>>};
  });
  std::size_t shift;
  if (!decode_shifted(d, shift)) return false;
  const unsigned opc = d.bits(30, 29);
  if (opc == 1 && !d.bit(21) && d.op.rn == zero_register && d.op.imm == 0)
    return by_width<one<Move<X>>, one<Move<W>>>(d);
  d.op.run = handlers[((d.bits(31, 29) << 1 | d.bits(21, 21)) * shift_kinds) + shift];
  return true;
}

bool decode_add_shifted(Decoding& d) {
  static constexpr auto handlers = table_of<shift_kinds * 8>([]<std::size_t i> {
    constexpr std::size_t shift = i % shift_kinds, rest = i / shift_kinds;
    return Handler{step<one<AddShifted<Width<rest / 4>, rest % 4, Shift{shift}>>>};
  });
  std::size_t shift;
  if (!decode_shifted(d, shift) || d.bits(23, 22) == 3) return false;
  d.op.run = handlers[d.bits(31, 29) * shift_kinds + shift];
  return true;
}

// ---- with an extended register: imm is the amount of the shift behind it ----

template <class T, unsigned op_s, class Part>
void add_extended(Cpu& cpu, const Operation& op) {
  // A Part is signed where the option extends the sign (SXTB): NOLINTNEXTLINE(bugprone-signed-char-misuse)
  const T part = static_cast<T>(static_cast<Part>(cpu.x[op.rm]));
  cpu.x[op.rd] = sum<T, op_s>(cpu.flags, static_cast<T>(cpu.x[op.rn]), part << op.imm);
}

template <std::size_t option>
using ExtendedPart =
    std::tuple_element_t<option, std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                                            std::int8_t, std::int16_t, std::int32_t, std::int64_t>>;

// SP by a register: lowered from its own value, or set.
template <unsigned op_s>
void add_to_stack(Cpu& cpu, const Operation& op) {
  add_extended<std::uint64_t, op_s, std::uint64_t>(cpu, op);
}

bool decode_add_extended(Decoding& d) {
  static constexpr auto handlers = table_of<2 * 4 * 8>([]<std::size_t i> {
    return Handler{step<add_extended<Width<i / 32>, i / 8 % 4, ExtendedPart<i % 8>>>};
  });
  constexpr unsigned most = 4;
  if (d.bits(12, 10) > most) return false;
  decode_rd_rn_rm(d);
  if (!d.bit(29)) d.op.rd = d.target_or_sp(0);
  d.op.rn = d.source_or_sp(5);
  d.op.imm = d.bits(12, 10);
  d.op.run = handlers[d.bits(31, 29) << 3 | d.bits(15, 13)];
  constexpr unsigned uxtx = 3;
  if (d.op.rd == stack_pointer && d.bit(31) && (d.bits(15, 13) | 4) == (uxtx | 4))
    d.op.run = d.bit(30) ? step<to_stack<add_to_stack<2>>> : step<to_stack<add_to_stack<0>>>;
  return true;
}

// ---- with carry ----

template <class T, bool subtracts>
void add_carry(Cpu& cpu, const Operation& op) {
  const T m = static_cast<T>(cpu.x[op.rm]);
  cpu.x[op.rd] = static_cast<T>(cpu.x[op.rn] + static_cast<T>(subtracts ? ~m : m) + cpu.flags.c);
}
template <class T, bool subtracts>
void add_carry_setting_flags(Cpu& cpu, const Operation& op) {
  const T m = static_cast<T>(cpu.x[op.rm]);
  cpu.x[op.rd] = add_with_carry<T>(cpu.flags, static_cast<T>(cpu.x[op.rn]),
                                   static_cast<T>(subtracts ? ~m : m), cpu.flags.c);
}

bool decode_add_carry(Decoding& d) {
  decode_rd_rn_rm(d);
  switch (d.bits(30, 29)) {
    case 0:
      return by_width<add_carry<X, false>, add_carry<W, false>>(d);
    case 1:
      return by_width<add_carry_setting_flags<X, false>, add_carry_setting_flags<W, false>>(d);
    case 2:
      return by_width<add_carry<X, true>, add_carry<W, true>>(d);
    default:
      return by_width<add_carry_setting_flags<X, true>, add_carry_setting_flags<W, true>>(d);
  }
}

// ---- conditional compare: rd is the NZCV otherwise ----

// subtracts: CCMP; is_immediate: imm is the second operand.
template <class T, bool subtracts, bool is_immediate, unsigned condition>
void compare_if(Cpu& cpu, const Operation& op) {
  if (!holds<condition>(cpu.flags)) return cpu.flags.set(op.rd);
  const T a = static_cast<T>(cpu.x[op.rn]), b = is_immediate ? T{op.imm} : static_cast<T>(cpu.x[op.rm]);
  if constexpr (subtracts)
    subtract_setting_flags<T>(cpu.flags, a, b);
  else
    add_setting_flags<T>(cpu.flags, a, b);
}

bool decode_compare_if(Decoding& d) {
  static constexpr auto handlers = table_of<2 * 2 * 2 * 16>([]<std::size_t i> {
    return Handler{step<compare_if<Width<i / 64>, i / 32 % 2 == 1, i / 16 % 2 == 1, i % 16>>};
  });
  d.op.rd = static_cast<std::uint8_t>(d.bits(3, 0));
  d.op.rn = d.source(5);
  d.op.rm = d.source(16);
  d.op.imm = d.bits(20, 16);
  d.op.run = handlers[d.bits(31, 30) << 5 | d.bits(11, 11) << 4 | d.bits(15, 12)];
  return true;
}

// ---- conditional select ----

bool decode_select(Decoding& d) {
  static constexpr auto handlers = table_of<2 * 4 * 16>(
      []<std::size_t i> { return Handler{step<one<Select<Width<i / 64>, i / 16 % 4, i % 16>>>}; });
  decode_rd_rn_rm(d);
  d.op.run = handlers[d.bits(31, 30) << 5 | d.bits(10, 10) << 4 | d.bits(15, 12)];
  return true;
}

// ---- one source ----

template <class T>
T reverse_bits(T value) {
  value = (value >> 1 & static_cast<T>(0x5555'5555'5555'5555)) |
          (value & static_cast<T>(0x5555'5555'5555'5555)) << 1;
  value = (value >> 2 & static_cast<T>(0x3333'3333'3333'3333)) |
          (value & static_cast<T>(0x3333'3333'3333'3333)) << 2;
  value = (value >> 4 & static_cast<T>(0x0f0f'0f0f'0f0f'0f0f)) |
          (value & static_cast<T>(0x0f0f'0f0f'0f0f'0f0f)) << 4;
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  return static_cast<T>(__builtin_bswap32(static_cast<W>(value)));
}
template <class T>
void rbit(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = reverse_bits(static_cast<T>(cpu.x[op.rn]));
}
// The bytes of each part of `size` bytes.
template <class T, unsigned size>
void reverse_bytes(Cpu& cpu, const Operation& op) {
  const std::uint64_t value = cpu.x[op.rn];
  constexpr std::uint64_t odd = 0x00ff'00ff'00ff'00ff;
  if constexpr (size == 2) cpu.x[op.rd] = static_cast<T>((value >> 8 & odd) | (value & odd) << 8);
  if constexpr (size == 4)
    cpu.x[op.rd] = static_cast<T>(std::uint64_t{__builtin_bswap32(static_cast<W>(value >> 32))} << 32 |
                                  __builtin_bswap32(static_cast<W>(value)));
  if constexpr (size == 8) cpu.x[op.rd] = __builtin_bswap64(value);
}
template <class T>
void clz(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = static_cast<unsigned>(std::countl_zero(static_cast<T>(cpu.x[op.rn])));
}
template <class T>
void cls(Cpu& cpu, const Operation& op) {
  const T value = static_cast<T>(cpu.x[op.rn]), differs_from_next = value ^ shifted<T, Shift::asr>(value, 1);
  cpu.x[op.rd] = static_cast<unsigned>(std::countl_zero(differs_from_next)) - 1;
}

template <auto x, auto w>
bool decode_one_source(Decoding& d) {
  d.op.rd = d.target(0);
  d.op.rn = d.source(5);
  return by_width<x, w>(d);
}
// For X registers only.
template <auto x>
bool decode_one_source_x(Decoding& d) {
  if (!d.bit(31)) return false;
  d.op.rd = d.target(0);
  d.op.rn = d.source(5);
  d.op.run = step<x>;
  return true;
}

// ---- two sources ----

template <class T>
void udiv(Cpu& cpu, const Operation& op) {
  const T n = static_cast<T>(cpu.x[op.rn]), m = static_cast<T>(cpu.x[op.rm]);
  cpu.x[op.rd] = m == 0 ? 0 : n / m;
}
template <class T>
void sdiv(Cpu& cpu, const Operation& op) {
  using Signed = std::make_signed_t<T>;
  const T n = static_cast<T>(cpu.x[op.rn]), m = static_cast<T>(cpu.x[op.rm]);
  if (m == 0)
    cpu.x[op.rd] = 0;
  else if (m == static_cast<T>(-1))  // the most negative number does not change
    cpu.x[op.rd] = static_cast<T>(0 - n);
  else
    cpu.x[op.rd] = static_cast<T>(static_cast<Signed>(n) / static_cast<Signed>(m));
}
template <class T, Shift shift>
void shift_by_register(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] =
      shifted<T, shift>(static_cast<T>(cpu.x[op.rn]), static_cast<unsigned>(cpu.x[op.rm] % bits_of<T>));
}

template <auto x, auto w>
bool decode_two_sources(Decoding& d) {
  decode_rd_rn_rm(d);
  return by_width<x, w>(d);
}

constexpr std::uint32_t crc32 = 0xedb8'8320, crc32c = 0x82f6'3b78;  // polynomials, bit 0 the highest power
constexpr std::array<std::uint32_t, 256> crc_table(std::uint32_t polynomial) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? polynomial : 0);
    table[i] = rest;
  }
  return table;
}
template <std::uint32_t polynomial, unsigned size>
void add_to_crc(Cpu& cpu, const Operation& op) {
  static constexpr std::array<std::uint32_t, 256> table = crc_table(polynomial);
  auto crc = static_cast<std::uint32_t>(cpu.x[op.rn]);
  const std::uint64_t data = cpu.x[op.rm];
  for (unsigned byte = 0; byte < size; ++byte) crc = crc >> 8 ^ table[(crc ^ data >> (8 * byte)) & 0xff];
  cpu.x[op.rd] = crc;
}

bool decode_crc(Decoding& d) {
  static constexpr auto handlers = table_of<8>(
      []<std::size_t i> { return Handler{step<add_to_crc<i / 4 == 0 ? crc32 : crc32c, 1 << i % 4>>}; });
  if (d.bit(31) != (d.bits(11, 10) == 3)) return false;  // eight bytes of an X register
  decode_rd_rn_rm(d);
  d.op.run = handlers[d.bits(12, 10)];
  return true;
}

// ---- three sources ----

template <class T>
void mul(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = static_cast<T>(cpu.x[op.rn] * cpu.x[op.rm]);
}
template <class T>
void msub(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = static_cast<T>(cpu.x[op.ra] - cpu.x[op.rn] * cpu.x[op.rm]);
}
// Part is 32 bits, signed or not.
template <class Part, bool subtracts>
void multiply_long(Cpu& cpu, const Operation& op) {
  const auto product =
      static_cast<X>(static_cast<Part>(cpu.x[op.rn])) * static_cast<X>(static_cast<Part>(cpu.x[op.rm]));
  cpu.x[op.rd] = subtracts ? cpu.x[op.ra] - product : cpu.x[op.ra] + product;
}
void umulh(Cpu& cpu, const Operation& op) {
  __extension__ using Wide = unsigned __int128;
  cpu.x[op.rd] = static_cast<X>(Wide{cpu.x[op.rn]} * cpu.x[op.rm] >> 64);
}
void smulh(Cpu& cpu, const Operation& op) {
  __extension__ using Wide = __int128;
  cpu.x[op.rd] = static_cast<X>(
      Wide{static_cast<std::int64_t>(cpu.x[op.rn])} * static_cast<std::int64_t>(cpu.x[op.rm]) >> 64);
}

bool decode_madd(Decoding& d) {
  decode_rd_rn_rm(d);
  d.op.ra = d.source(10);
  if (d.bit(15)) return by_width<msub<X>, msub<W>>(d);
  return d.op.ra == zero_register ? by_width<mul<X>, mul<W>>(d)
                                  : by_width<one<MultiplyAdd<X>>, one<MultiplyAdd<W>>>(d);
}
template <auto adds, auto subtracts>
bool decode_multiply_long(Decoding& d) {
  decode_rd_rn_rm(d);
  d.op.ra = d.source(10);
  d.op.run = d.bit(15) ? step<subtracts> : step<adds>;
  return true;
}
// Ra should be all ones; other values have no effect.
template <auto work>
bool decode_multiply_high(Decoding& d) {
  decode_rd_rn_rm(d);
  d.op.run = step<work>;
  return true;
}

constexpr Row rows[] = {
    // clang-format off
    {encoding("sf opc 01010 shift N Rm imm6 Rn Rd"),         "AND, BIC, ORR, ORN, EOR, EON, ANDS, BICS (shifted register)", decode_logical},
    {encoding("sf op S 01011 shift 0 Rm imm6 Rn Rd"),        "ADD, ADDS, SUB, SUBS (shifted register)",  decode_add_shifted},
    {encoding("sf op S 01011 00 1 Rm option imm3 Rn Rd"),    "ADD, ADDS, SUB, SUBS (extended register)", decode_add_extended},
    {encoding("sf op S 11010000 Rm 000000 Rn Rd"),           "ADC, ADCS, SBC, SBCS", decode_add_carry},
    {encoding("sf op 1 11010010 Rm cond 0 0 Rn 0 nzcv"),     "CCMN, CCMP (register)",  decode_compare_if},
    {encoding("sf op 1 11010010 imm5 cond 1 0 Rn 0 nzcv"),   "CCMN, CCMP (immediate)", decode_compare_if},
    {encoding("sf op 0 11010100 Rm cond 0 o2 Rn Rd"),        "CSEL, CSINC, CSINV, CSNEG", decode_select},

    {encoding("sf 1 0 11010110 00000 000000 Rn Rd"),         "RBIT",  decode_one_source<rbit<X>, rbit<W>>},
    {encoding("sf 1 0 11010110 00000 000001 Rn Rd"),         "REV16", decode_one_source<reverse_bytes<X, 2>, reverse_bytes<W, 2>>},
    {encoding("sf 1 0 11010110 00000 000010 Rn Rd"),         "REV32, REV (W)", decode_one_source<reverse_bytes<X, 4>, reverse_bytes<W, 4>>},
    {encoding("sf 1 0 11010110 00000 000011 Rn Rd"),         "REV (X)", decode_one_source_x<reverse_bytes<X, 8>>},
    {encoding("sf 1 0 11010110 00000 000100 Rn Rd"),         "CLZ",   decode_one_source<clz<X>, clz<W>>},
    {encoding("sf 1 0 11010110 00000 000101 Rn Rd"),         "CLS",   decode_one_source<cls<X>, cls<W>>},

    {encoding("sf 0 0 11010110 Rm 000010 Rn Rd"),            "UDIV",  decode_two_sources<udiv<X>, udiv<W>>},
    {encoding("sf 0 0 11010110 Rm 000011 Rn Rd"),            "SDIV",  decode_two_sources<sdiv<X>, sdiv<W>>},
    {encoding("sf 0 0 11010110 Rm 001000 Rn Rd"),            "LSLV",  decode_two_sources<shift_by_register<X, Shift::lsl>, shift_by_register<W, Shift::lsl>>},
    {encoding("sf 0 0 11010110 Rm 001001 Rn Rd"),            "LSRV",  decode_two_sources<shift_by_register<X, Shift::lsr>, shift_by_register<W, Shift::lsr>>},
    {encoding("sf 0 0 11010110 Rm 001010 Rn Rd"),            "ASRV",  decode_two_sources<shift_by_register<X, Shift::asr>, shift_by_register<W, Shift::asr>>},
    {encoding("sf 0 0 11010110 Rm 001011 Rn Rd"),            "RORV",  decode_two_sources<shift_by_register<X, Shift::ror>, shift_by_register<W, Shift::ror>>},
    {encoding("sf 0 0 11010110 Rm 010 C size Rn Rd"),        "CRC32, CRC32C", decode_crc, Row::Needs::crc32},

    {encoding("sf 00 11011 000 Rm o0 Ra Rn Rd"),             "MADD, MSUB", decode_madd},
    {encoding("1 00 11011 001 Rm o0 Ra Rn Rd"),              "SMADDL, SMSUBL", decode_multiply_long<multiply_long<std::int32_t, false>, multiply_long<std::int32_t, true>>},
    {encoding("1 00 11011 010 Rm 0 Ra Rn Rd"),               "SMULH", decode_multiply_high<smulh>},
    {encoding("1 00 11011 101 Rm o0 Ra Rn Rd"),              "UMADDL, UMSUBL", decode_multiply_long<multiply_long<std::uint32_t, false>, multiply_long<std::uint32_t, true>>},
    {encoding("1 00 11011 110 Rm 0 Ra Rn Rd"),               "UMULH", decode_multiply_high<umulh>},
    // clang-format on
};

}  // namespace
}  // namespace data_processing_register

std::span<const Row> data_processing_register_rows() { return data_processing_register::rows; }

}  // namespace asterism::a64
