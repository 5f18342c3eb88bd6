// Data processing with an immediate (Arm DDI 0487, C4.1.65).
#include <bit>
#include <optional>

#include "core/a64/arithmetic.h"
#include "core/a64/cpu.h"
#include "core/a64/decoder.h"
#include "core/a64/handler_table.h"
#include "core/a64/integer_operations.h"

namespace asterism::a64 {
namespace data_processing_immediate {
namespace {

using namespace integer;

// The location of an operation's constant: in imm, sign-extended, or behind the block.
enum class Constant : std::uint8_t { narrow, wide };
template <class T, Constant where>
T constant_of(const Operation& op) {
  if constexpr (where == Constant::wide) return static_cast<T>(op.wide());
  return static_cast<T>(op.signed_imm());
}
bool is_narrow(std::uint64_t value) {
  return value == static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
}
// Gives an operation its constant, and the handler for the constant's location.
bool with_constant(Decoding& d, std::uint64_t value, Handler narrow, Handler wide) {
  if (is_narrow(value))
    d.op.imm = static_cast<std::uint32_t>(value), d.op.run = narrow;
  else
    d.wide(value), d.op.run = wide;
  return true;
}

// ---- PC-relative addresses ----

// The constant is the distance; ADRP: from the instruction's page.
template <bool of_page, Constant where>
void address(Cpu& cpu, const Operation& op) {
  const std::uint64_t pc = cpu.pc_of(op);
  cpu.x[op.rd] = (of_page ? pc & ~std::uint64_t{0xfff} : pc) + constant_of<X, where>(op);
}

bool decode_address(Decoding& d) {
  d.op.rd = d.target(0);
  const std::uint64_t distance = static_cast<std::uint64_t>(d.signed_bits(23, 5)) << 2 | d.bits(30, 29);
  if (!d.bit(31))
    return with_constant(d, distance, step<address<false, Constant::narrow>>,
                         step<address<false, Constant::wide>>);
  return with_constant(d, distance << 12, step<address<true, Constant::narrow>>,
                       step<address<true, Constant::wide>>);
}

// ---- ADD, SUB ----

template <class T>
void move(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = static_cast<T>(cpu.x[op.rn]);
}

// SP is lowered by a constant.
const Operation* lower_out_of_stack(Cpu& cpu, const Operation& op) {
  const std::uint64_t sp = cpu.x[stack_pointer] + static_cast<std::uint64_t>(op.signed_imm());
  if (!cpu.leave_stack(op, sp)) return cpu.left_by_fault();
  cpu.x[stack_pointer] = sp;
  return cpu.finish(op);
}
const Operation* lower_stack(Cpu& cpu, const Operation& op) {
  const std::uint64_t sp = cpu.x[stack_pointer] + static_cast<std::uint64_t>(op.signed_imm());
  if (sp < cpu.stack.low) [[unlikely]]
    return later<lower_out_of_stack>(cpu, op);
  cpu.x[stack_pointer] = sp;
  return &op + 1;
}

bool decode_add(Decoding& d) {
  const bool subtracts = d.bit(30), sets_flags = d.bit(29);
  const std::uint32_t value = d.bits(21, 10) << (d.bit(22) ? 12 : 0);
  d.op.rd = sets_flags ? d.target(0) : d.target_or_sp(0);
  d.op.rn = d.source_or_sp(5);
  d.op.imm = subtracts && !sets_flags ? 0 - value : value;
  if (sets_flags)
    return subtracts ? by_width<one<SubsConstant<X>>, one<SubsConstant<W>>>(d)
                     : by_width<one<AddsConstant<X>>, one<AddsConstant<W>>>(d);
  if (d.op.rd == stack_pointer && d.bit(31) && (subtracts || d.op.rn != stack_pointer)) {
    d.op.run = d.op.rn == stack_pointer && value != 0 ? step<lower_stack>
               : value == 0                           ? step<to_stack<move<X>>>
                                                      : step<to_stack<one<AddConstant<X>>>>;
    return true;
  }
  return value == 0 ? by_width<move<X>, move<W>>(d) : by_width<one<AddConstant<X>>, one<AddConstant<W>>>(d);
}

// ---- AND, ORR, EOR ----

// DecodeBitMasks(): a run of imms + 1 ones, rotated by immr, in elements of 2 to 64 bits that fill the
// register.
std::optional<std::uint64_t> bit_mask(bool n, unsigned immr, unsigned imms, bool is_x) {
  const unsigned sizes = unsigned{n} << 6 | (~imms & 0x3f);
  if (sizes < 2 || (n && !is_x)) return std::nullopt;
  const unsigned size = std::bit_floor(sizes), ones_less_one = imms & (size - 1), by = immr & (size - 1);
  if (ones_less_one == size - 1) return std::nullopt;
  std::uint64_t element = ones<std::uint64_t>(ones_less_one + 1);
  if (by != 0) element = (element >> by | element << (size - by)) & ones<std::uint64_t>(size);
  for (unsigned filled = size; filled < 64; filled *= 2) element |= element << filled;
  return is_x ? element : element & ones<std::uint64_t>(32);
}

constexpr unsigned orr = 1, ands = 3;  // opc
template <unsigned opc>
void logical_wide(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = logic<X, opc>(cpu.flags, cpu.x[op.rn], op.wide());
}
template <Constant where>
void set(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = constant_of<X, where>(op);
}

bool decode_set(Decoding& d, std::uint64_t value) {
  if (value >> 32 != 0)
    return with_constant(d, value, step<set<Constant::narrow>>, step<set<Constant::wide>>);
  d.op.imm = static_cast<std::uint32_t>(value);
  d.op.run = step<one<SetConstant>>;  // the constant is in imm
  return true;
}

bool decode_logical(Decoding& d) {
  const unsigned opc = d.bits(30, 29);
  const auto mask = bit_mask(d.bit(22), d.bits(21, 16), d.bits(15, 10), d.bit(31));
  if (!mask) return false;
  d.op.rd = opc == ands ? d.target(0) : d.target_or_sp(0);
  d.op.rn = d.source(5);
  if (opc == orr && d.op.rn == zero_register) return decode_set(d, *mask);
  if (d.op.rd == stack_pointer && opc == 0 && d.bit(31))
    return with_constant(d, *mask, step<to_stack<one<LogicConstant<X, 0>>>>, step<to_stack<logical_wide<0>>>);
  if (!d.bit(31)) {
    static constexpr auto handlers =
        table_of<4>([]<std::size_t i> { return Handler{step<one<LogicConstant<W, i>>>}; });
    d.op.imm = static_cast<std::uint32_t>(*mask);
    d.op.run = handlers[opc];
    return true;
  }
  static constexpr auto narrow =
      table_of<4>([]<std::size_t i> { return Handler{step<one<LogicConstant<X, i>>>}; });
  static constexpr auto wide = table_of<4>([]<std::size_t i> { return Handler{step<logical_wide<i>>}; });
  return with_constant(d, *mask, narrow[opc], wide[opc]);
}

// ---- MOVN, MOVZ, MOVK ----

// The constant is 16 bits wide.
template <class T, unsigned shift>
void keep_and_move(Cpu& cpu, const Operation& op) {
  constexpr T gap = static_cast<T>(~(std::uint64_t{0xffff} << shift));
  cpu.x[op.rd] = (static_cast<T>(cpu.x[op.rd]) & gap) | static_cast<T>(std::uint64_t{op.imm} << shift);
}

bool decode_move_wide(Decoding& d) {
  static constexpr Handler keep_x[] = {step<keep_and_move<X, 0>>, step<keep_and_move<X, 16>>,
                                       step<keep_and_move<X, 32>>, step<keep_and_move<X, 48>>};
  static constexpr Handler keep_w[] = {step<keep_and_move<W, 0>>, step<keep_and_move<W, 16>>};
  constexpr unsigned movn = 0, reserved = 1, movk = 3;
  const unsigned opc = d.bits(30, 29), half = d.bits(22, 21);
  const bool is_x = d.bit(31);
  if (opc == reserved || (!is_x && half > 1)) return false;
  d.op.rd = d.target(0);
  d.op.imm = d.bits(20, 5);
  if (opc == movk) {
    d.op.run = is_x ? keep_x[half] : keep_w[half];
    return true;
  }
  const std::uint64_t value = std::uint64_t{d.op.imm} << (16 * half);
  return decode_set(d, (opc == movn ? ~value : value) & ones<std::uint64_t>(is_x ? 64 : 32));
}

// ---- SBFM, BFM, UBFM ----

// Every SBFM is a left shift by ra and an arithmetic right shift by rm. UBFM is similar.
template <class T>
void signed_field(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = shifted<T, Shift::asr>(static_cast<T>(cpu.x[op.rn]) << op.ra, op.rm);
}
template <class T>
void unsigned_field(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = static_cast<T>(static_cast<T>(cpu.x[op.rn]) << op.ra) >> op.rm;
}
// If the field has at most 32 bits, imm is its mask: UBFX, LSR and UBFIZ are one shift by rm.
template <class T>
void extracted_field(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = static_cast<T>(cpu.x[op.rn]) >> op.rm & op.imm;
}
template <class T>
void placed_field(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = static_cast<T>((cpu.x[op.rn] & op.imm) << op.rm);
}
template <class T, class Part>
void extend(Cpu& cpu, const Operation& op) {
  // A Part is signed where the instruction extends the sign (SXTB).
  // NOLINTNEXTLINE(bugprone-signed-char-misuse)
  cpu.x[op.rd] = static_cast<T>(static_cast<Part>(cpu.x[op.rn]));
}
// Replaces the bits of the target that are set in the constant by those of the source, rotated right by rm.
template <class T>
void inserted_field(Cpu& cpu, const Operation& op) {
  const T mask = static_cast<T>(op.wide());
  cpu.x[op.rd] = (static_cast<T>(cpu.x[op.rd]) & ~mask) |
                 (shifted<T, Shift::ror>(static_cast<T>(cpu.x[op.rn]), op.rm) & mask);
}

// The fields of a bitfield instruction: `width` bits of the source from bit `low` go to bit 0 (extracted), or
// the lowest `width` bits go to bit `low`.
struct Field {
  bool is_extracted;
  unsigned low, width;
};

bool decode_signed_field(Decoding& d, const Field& field, unsigned bits) {
  const unsigned top = field.is_extracted ? field.low + field.width : field.width;
  d.op.ra = static_cast<std::uint8_t>(bits - top);
  d.op.rm = static_cast<std::uint8_t>(bits - field.width - (field.is_extracted ? 0 : field.low));
  if (d.op.ra == 0) return by_width<one<ShiftConstant<X, Shift::asr>>, one<ShiftConstant<W, Shift::asr>>>(d);
  if (d.op.ra == d.op.rm) {
    if (field.width == 8) return by_width<extend<X, std::int8_t>, extend<W, std::int8_t>>(d);
    if (field.width == 16) return by_width<extend<X, std::int16_t>, extend<W, std::int16_t>>(d);
    if (field.width == 32) return by_width<extend<X, std::int32_t>, extend<W, std::int32_t>>(d);
  }
  return by_width<signed_field<X>, signed_field<W>>(d);
}

bool decode_unsigned_field(Decoding& d, const Field& field, unsigned bits) {
  d.op.rm = static_cast<std::uint8_t>(field.low);
  if (field.low + field.width == bits)
    return field.is_extracted
               ? by_width<one<ShiftConstant<X, Shift::lsr>>, one<ShiftConstant<W, Shift::lsr>>>(d)
               : by_width<one<ShiftConstant<X, Shift::lsl>>, one<ShiftConstant<W, Shift::lsl>>>(d);
  if (field.low == 0 && field.width == 8)
    return by_width<extend<X, std::uint8_t>, extend<W, std::uint8_t>>(d);
  if (field.low == 0 && field.width == 16)
    return by_width<extend<X, std::uint16_t>, extend<W, std::uint16_t>>(d);
  if (field.width <= 32) {
    d.op.imm = ones<std::uint32_t>(field.width);
    return field.is_extracted ? by_width<extracted_field<X>, extracted_field<W>>(d)
                              : by_width<placed_field<X>, placed_field<W>>(d);
  }
  const unsigned top = field.is_extracted ? field.low + field.width : field.width;
  d.op.ra = static_cast<std::uint8_t>(bits - top);
  d.op.rm = static_cast<std::uint8_t>(bits - field.width - (field.is_extracted ? 0 : field.low));
  return by_width<unsigned_field<X>, unsigned_field<W>>(d);
}

bool decode_bitfield(Decoding& d) {
  const unsigned opc = d.bits(30, 29), immr = d.bits(21, 16), imms = d.bits(15, 10);
  const unsigned bits = d.bit(31) ? 64 : 32;
  if (opc == 3 || d.bit(22) != d.bit(31) || immr >= bits || imms >= bits) return false;
  d.op.rd = d.target(0);
  d.op.rn = d.source(5);
  const Field field = imms >= immr ? Field{true, immr, imms - immr + 1} : Field{false, bits - immr, imms + 1};
  if (opc == 0) return decode_signed_field(d, field, bits);
  if (opc == 2) return decode_unsigned_field(d, field, bits);
  d.op.rm = static_cast<std::uint8_t>(immr);
  d.wide(ones<std::uint64_t>(field.width) << (field.is_extracted ? 0 : field.low));
  return by_width<inserted_field<X>, inserted_field<W>>(d);
}

// ---- EXTR ----

// imm is 1 or more.
template <class T>
void extract(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = static_cast<T>(cpu.x[op.rm]) >> op.imm | static_cast<T>(cpu.x[op.rn])
                                                              << (bits_of<T> - op.imm);
}

bool decode_extract(Decoding& d) {
  const bool is_x = d.bit(31);
  if (d.bit(22) != is_x || (!is_x && d.bit(15))) return false;
  d.op.rd = d.target(0);
  d.op.rn = d.source(5);
  d.op.rm = d.source(16);
  d.op.imm = d.bits(15, 10);
  if (d.op.imm != 0) return by_width<extract<X>, extract<W>>(d);
  d.op.rn = d.op.rm;
  return by_width<move<X>, move<W>>(d);
}

constexpr Row rows[] = {
    // clang-format off
    {encoding("op immlo 10000 immhi Rd"),           "ADR, ADRP",                         decode_address},
    {encoding("sf op S 100010 sh imm12 Rn Rd"),     "ADD, ADDS, SUB, SUBS (immediate)",  decode_add},
    {encoding("sf opc 100100 N immr imms Rn Rd"),   "AND, ANDS, EOR, ORR (immediate)",   decode_logical},
    {encoding("sf opc 100101 hw imm16 Rd"),         "MOVK, MOVN, MOVZ",                  decode_move_wide},
    {encoding("sf opc 100110 N immr imms Rn Rd"),   "BFM, SBFM, UBFM",                   decode_bitfield},
    {encoding("sf 00 100111 N 0 Rm imms Rn Rd"),    "EXTR",                              decode_extract},
    // clang-format on
};

}  // namespace
}  // namespace data_processing_immediate

std::span<const Row> data_processing_immediate_rows() { return data_processing_immediate::rows; }

}  // namespace asterism::a64
