#include "core/a64/translator/instruction.h"

#include <bit>

#include "core/a64/decoder.h"

namespace asterism::a64 {
namespace {

using enum Meaning;
using Second = PlainInstruction::Second;
using Index = PlainInstruction::Index;

// The fields of a word.
class Word {
 public:
  explicit Word(std::uint32_t word) : word_(word) {}
  constexpr unsigned bits(unsigned high, unsigned low) const {
    return word_ >> low & static_cast<std::uint32_t>((std::uint64_t{2} << (high - low)) - 1);
  }
  constexpr bool bit(unsigned at) const { return word_ >> at & 1; }
  constexpr std::int64_t signed_bits(unsigned high, unsigned low) const {
    const unsigned unused = 63 - (high - low);
    return static_cast<std::int64_t>(std::uint64_t{bits(high, low)} << unused) >> unused;
  }
  std::uint8_t source(unsigned low) const { return static_cast<std::uint8_t>(bits(low + 4, low)); }
  std::uint8_t source_or_sp(unsigned low) const { return or_index(low, stack_pointer); }
  std::uint8_t target(unsigned low) const { return or_index(low, discarded); }

 private:
  std::uint8_t or_index(unsigned low, std::uint8_t index) const {
    const std::uint8_t number = source(low);
    return number == 31 ? index : number;
  }
  std::uint32_t word_;
};

constexpr unsigned reserved_shift = 3;

void set_constant(PlainInstruction& i, std::uint64_t value) {
  i.meaning = set;
  i.constant = value;
}

// ---- data processing with an immediate ----

bool read_address(Word w, std::uint64_t pc, PlainInstruction& i) {
  const std::uint64_t distance = static_cast<std::uint64_t>(w.signed_bits(23, 5)) << 2 | w.bits(30, 29);
  i.rd = w.target(0);
  set_constant(i, w.bit(31) ? (pc & ~std::uint64_t{0xfff}) + (distance << 12) : pc + distance);
  return true;
}

bool read_add_immediate(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = w.bit(30) ? subtraction : addition;
  i.sets_flags = w.bit(29);
  i.rd = i.sets_flags ? w.target(0) : w.source_or_sp(0);
  i.rn = w.source_or_sp(5);
  i.constant = std::uint64_t{w.bits(21, 10)} << (w.bit(22) ? 12 : 0);
  return true;
}

constexpr Meaning logic[] = {bit_and, bit_or, bit_xor, bit_and};

bool read_logical_immediate(Word w, std::uint64_t, PlainInstruction& i) {
  if (!read_bit_mask(w.bit(22), w.bits(21, 16), w.bits(15, 10), i.is_x ? 64 : 32, i.constant)) return false;
  i.meaning = logic[w.bits(30, 29)];
  i.sets_flags = w.bits(30, 29) == 3;
  i.rd = i.sets_flags ? w.target(0) : w.source_or_sp(0);
  i.rn = w.source(5);
  if (i.meaning == bit_or && i.rn == zero_register) i.meaning = set;
  return true;
}

bool read_move_wide(Word w, std::uint64_t, PlainInstruction& i) {
  constexpr unsigned movn = 0, reserved = 1, movk = 3;
  const unsigned opc = w.bits(30, 29), shift = 16 * w.bits(22, 21);
  if (opc == reserved || (!i.is_x && shift > 16)) return false;
  i.rd = w.target(0);
  const std::uint64_t half = w.bits(20, 5);
  if (opc == movk) {
    i.meaning = insert_half;
    i.ra = w.source(0);
    i.amount = static_cast<std::uint8_t>(shift);
    i.constant = half;
    return true;
  }
  const std::uint64_t value = half << shift;
  set_constant(i, (opc == movn ? ~value : value) & ones<std::uint64_t>(i.is_x ? 64 : 32));
  return true;
}

bool read_bitfield(Word w, std::uint64_t, PlainInstruction& i) {
  const unsigned opc = w.bits(30, 29), immr = w.bits(21, 16), imms = w.bits(15, 10), width = i.is_x ? 64 : 32;
  if (opc == 3 || w.bit(22) != i.is_x || immr >= width || imms >= width) return false;
  i.rd = w.target(0);
  i.rn = w.source(5);
  const bool extracts = imms >= immr;
  const unsigned bits = extracts ? imms - immr + 1 : imms + 1, low = extracts ? immr : width - immr;
  if (opc == 1) {
    i.meaning = insert_field;
    i.ra = w.source(0);
    i.right = static_cast<std::uint8_t>(immr);
    i.constant = ones<std::uint64_t>(bits) << (extracts ? 0 : low);
    return true;
  }
  i.meaning = opc == 0 ? signed_field : unsigned_field;
  i.left = static_cast<std::uint8_t>(width - (extracts ? low + bits : bits));
  i.right = static_cast<std::uint8_t>(width - bits - (extracts ? 0 : low));
  return true;
}

bool read_extract(Word w, std::uint64_t, PlainInstruction& i) {
  if (w.bit(22) != i.is_x || (!i.is_x && w.bit(15))) return false;
  i.meaning = extract;
  i.rd = w.target(0);
  i.rn = w.source(5);
  i.rm = w.source(16);
  i.right = static_cast<std::uint8_t>(w.bits(15, 10));
  return true;
}

// ---- data processing with registers ----

bool read_shifted(Word w, PlainInstruction& i) {
  i.rd = w.target(0);
  i.rn = w.source(5);
  i.rm = w.source(16);
  i.second = Second::shifted;
  i.amount = static_cast<std::uint8_t>(w.bits(15, 10));
  i.shift = i.amount == 0 ? Shift::none : static_cast<Shift>(w.bits(23, 22));
  return i.is_x || i.amount < 32;
}

bool read_logical_shifted(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = logic[w.bits(30, 29)];
  i.sets_flags = w.bits(30, 29) == 3;
  i.is_inverted = w.bit(21);
  if (!read_shifted(w, i)) return false;
  if (i.meaning == bit_or && i.rn == zero_register && i.shift == Shift::none && !i.is_inverted)
    i.meaning = move;
  return true;
}

bool read_add_shifted(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = w.bit(30) ? subtraction : addition;
  i.sets_flags = w.bit(29);
  return read_shifted(w, i) && w.bits(23, 22) != reserved_shift;
}

void read_extension(Word w, PlainInstruction& i) {
  i.second = Second::extended;
  i.rm = w.source(16);
  i.extend_bytes = static_cast<std::uint8_t>(1 << w.bits(14, 13));
  i.extends_sign = w.bit(15);
}

bool read_add_extended(Word w, std::uint64_t, PlainInstruction& i) {
  constexpr unsigned most = 4;
  if (w.bits(12, 10) > most) return false;
  i.meaning = w.bit(30) ? subtraction : addition;
  i.sets_flags = w.bit(29);
  i.rd = i.sets_flags ? w.target(0) : w.source_or_sp(0);
  i.rn = w.source_or_sp(5);
  read_extension(w, i);
  i.amount = static_cast<std::uint8_t>(w.bits(12, 10));
  return true;
}

bool read_compare_if(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = w.bit(30) ? compare_if : compare_negative_if;
  i.sets_flags = true;
  i.rn = w.source(5);
  i.condition = static_cast<std::uint8_t>(w.bits(15, 12));
  i.otherwise = static_cast<std::uint8_t>(w.bits(3, 0));
  if (w.bit(11)) {
    i.constant = w.bits(20, 16);
  } else {
    i.second = Second::shifted;
    i.rm = w.source(16);
  }
  return true;
}

bool read_select(Word w, std::uint64_t, PlainInstruction& i) {
  constexpr Meaning which[] = {select, select_increment, select_invert, select_negate};
  i.meaning = which[w.bits(30, 30) << 1 | w.bits(10, 10)];
  i.rd = w.target(0);
  i.rn = w.source(5);
  i.rm = w.source(16);
  i.condition = static_cast<std::uint8_t>(w.bits(15, 12));
  return true;
}

bool read_one_source(Word w, std::uint64_t, PlainInstruction& i) {
  constexpr unsigned clz = 4;
  const unsigned opcode = w.bits(15, 10);
  if (opcode == 3 && !i.is_x) return false;
  i.meaning = opcode == clz ? count_leading_zeros : reverse_bytes;
  i.size = static_cast<std::uint8_t>(1 << opcode);
  i.rd = w.target(0);
  i.rn = w.source(5);
  return true;
}

bool read_two_sources(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = w.bit(13) ? shift_by_register : w.bit(10) ? divide_signed : divide_unsigned;
  i.shift = static_cast<Shift>(w.bits(11, 10));
  i.rd = w.target(0);
  i.rn = w.source(5);
  i.rm = w.source(16);
  return true;
}

bool read_three_sources(Word w, std::uint64_t, PlainInstruction& i) {
  const bool subtracts = w.bit(15);
  i.rd = w.target(0);
  i.rn = w.source(5);
  i.rm = w.source(16);
  i.ra = w.source(10);
  switch (w.bits(23, 21)) {
    case 0b000:
      i.meaning = subtracts ? multiply_subtract : multiply_add;
      return true;
    case 0b001:
      i.meaning = subtracts ? multiply_subtract_signed_long : multiply_add_signed_long;
      return i.is_x;
    case 0b101:
      i.meaning = subtracts ? multiply_subtract_unsigned_long : multiply_add_unsigned_long;
      return i.is_x;
    case 0b010:
    case 0b110:
      i.meaning = w.bit(23) ? multiply_high_unsigned : multiply_high_signed;
      i.ra = zero_register;
      return i.is_x && !subtracts;
    default:
      return false;
  }
}

// ---- loads and stores ----

// The size, direction and extension of a general or vector register; false: by its handler.
bool read_data(Word w, PlainInstruction& i) {
  const unsigned size = w.bits(31, 30), opc = w.bits(23, 22);
  i.is_vector = w.bit(26);
  if (i.is_vector) {
    if (opc >= 2 && size != 0) return false;
    i.size = static_cast<std::uint8_t>(opc >= 2 ? 16 : 1 << size);
    i.meaning = opc & 1 ? load : store;
    i.rd = w.source(0);
    return true;
  }
  if (size == 3 && opc >= 2) {
    if (opc == 3) return false;
    i.meaning = nothing;  // a prefetch
    return true;
  }
  if (size == 2 && opc == 3) return false;
  i.size = static_cast<std::uint8_t>(1 << size);
  i.meaning = opc == 0 ? store : load;
  i.loads_sign = opc >= 2;
  i.is_x = opc == 2 || (opc == 1 && size == 3);
  i.rd = i.meaning == load ? w.target(0) : w.source(0);
  return true;
}

bool read_unsigned_offset(Word w, std::uint64_t, PlainInstruction& i) {
  if (!read_data(w, i)) return false;
  i.rn = w.source_or_sp(5);
  i.constant = std::uint64_t{w.bits(21, 10)} * i.size;
  return true;
}

bool read_signed_offset(Word w, std::uint64_t, PlainInstruction& i) {
  if (!read_data(w, i)) return false;
  const unsigned mode = w.bits(11, 10);
  i.index = mode == 0 ? Index::offset : mode == 1 ? Index::after : Index::before;
  if (i.meaning == nothing) return mode == 0;
  i.rn = w.source_or_sp(5);
  i.constant = static_cast<std::uint64_t>(w.signed_bits(20, 12));
  return true;
}

bool read_register_offset(Word w, std::uint64_t, PlainInstruction& i) {
  if (!w.bit(14) || !read_data(w, i)) return false;
  i.rn = w.source_or_sp(5);
  if (i.meaning == nothing) return true;
  read_extension(w, i);
  i.amount = static_cast<std::uint8_t>(w.bit(12) ? std::countr_zero(i.size) : 0);
  return true;
}

bool read_literal(Word w, std::uint64_t pc, PlainInstruction& i) {
  const unsigned opc = w.bits(31, 30);
  i.is_vector = w.bit(26);
  if (opc == 3) {
    i.meaning = nothing;
    return !i.is_vector;
  }
  i.meaning = load;
  i.is_literal = true;
  i.constant = pc + static_cast<std::uint64_t>(w.signed_bits(23, 5) * 4);
  i.size = static_cast<std::uint8_t>(i.is_vector ? 4 << opc : opc == 1 ? 8 : 4);
  i.loads_sign = !i.is_vector && opc == 2;
  i.is_x = opc != 0;
  i.rd = i.is_vector ? w.source(0) : w.target(0);
  return true;
}

bool read_pair(Word w, std::uint64_t, PlainInstruction& i) {
  const unsigned opc = w.bits(31, 30), mode = w.bits(24, 23);
  const bool loads = w.bit(22);
  i.is_vector = w.bit(26);
  if (opc == 3 || (!i.is_vector && opc == 1 && (!loads || mode == 0))) return false;
  i.meaning = loads ? load_pair : store_pair;
  i.size = static_cast<std::uint8_t>(i.is_vector ? 4 << opc : opc == 2 ? 8 : 4);
  i.loads_sign = !i.is_vector && opc == 1;
  i.is_x = opc != 0;
  const bool names_targets = loads && !i.is_vector;
  i.rd = names_targets ? w.target(0) : w.source(0);
  i.rm = names_targets ? w.target(10) : w.source(10);
  i.rn = w.source_or_sp(5);
  i.index = mode == 1 ? Index::after : mode == 3 ? Index::before : Index::offset;
  i.constant = static_cast<std::uint64_t>(w.signed_bits(21, 15) * i.size);
  return true;
}

// ---- floating point ----

// Half precision is left to handlers.
bool read_format(Word w, PlainInstruction& i) {
  constexpr unsigned doubles = 1;
  i.is_vector = true;
  i.size = w.bits(23, 22) == doubles ? 8 : 4;
  i.rd = w.source(0);
  i.rn = w.source(5);
  i.rm = w.source(16);
  i.ra = w.source(10);
  return w.bits(23, 22) <= doubles;
}

bool read_float_one_source(Word w, std::uint64_t, PlainInstruction& i) {
  constexpr Meaning which[] = {float_move, float_absolute, float_negate};
  if (w.bits(20, 15) > 2) return false;
  i.meaning = which[w.bits(20, 15)];
  return read_format(w, i);
}
bool read_float_two_sources(Word w, std::uint64_t, PlainInstruction& i) {
  constexpr Meaning which[] = {float_multiply, float_divide, float_add, float_subtract};
  if (w.bits(15, 12) > 3) return false;
  i.meaning = which[w.bits(15, 12)];
  return read_format(w, i);
}
bool read_float_three_sources(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = float_multiply_add;
  i.negates_addend = w.bit(21);
  i.negates_product = w.bit(21) != w.bit(15);
  return read_format(w, i);
}
bool read_float_general(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = w.bit(16) ? float_from_general : float_to_general;
  if (!read_format(w, i) || (i.size == 8) != w.bit(31)) return false;
  if (i.meaning == float_to_general) i.rd = w.target(0);
  return true;
}

// ---- branches ----

bool read_branch(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = w.bit(31) ? branch_and_link : branch;
  if (w.bit(31)) i.rd = 30;
  i.constant = static_cast<std::uint64_t>(w.signed_bits(25, 0) * 4);
  return true;
}
bool read_branch_if(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = branch_if;
  i.condition = static_cast<std::uint8_t>(w.bits(3, 0));
  i.constant = static_cast<std::uint64_t>(w.signed_bits(23, 5) * 4);
  return true;
}
bool read_compare_and_branch(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = w.bit(24) ? branch_if_not_zero : branch_if_zero;
  i.rn = w.source(0);
  i.constant = static_cast<std::uint64_t>(w.signed_bits(23, 5) * 4);
  return true;
}
bool read_test_and_branch(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = w.bit(24) ? branch_if_bit_set : branch_if_bit_clear;
  i.rn = w.source(0);
  i.amount = static_cast<std::uint8_t>(w.bits(31, 31) << 5 | w.bits(23, 19));
  i.constant = static_cast<std::uint64_t>(w.signed_bits(18, 5) * 4);
  return true;
}

bool read_branch_register(Word w, std::uint64_t, PlainInstruction& i) {
  i.meaning = w.bit(21) ? branch_and_link_register : branch_register;
  i.is_x = true;
  if (w.bit(21)) i.rd = 30;
  i.rn = w.source(5);
  return true;
}

bool read_nothing(Word, std::uint64_t, PlainInstruction& i) {
  i.meaning = nothing;
  return true;
}

struct Reader {
  Encoding encoding;
  bool (*read)(Word, std::uint64_t pc, PlainInstruction&);
};
constexpr Reader readers[] = {
    // clang-format off
    {encoding("op immlo 10000 immhi Rd"),                    read_address},
    {encoding("sf op S 100010 sh imm12 Rn Rd"),              read_add_immediate},
    {encoding("sf opc 100100 N immr imms Rn Rd"),            read_logical_immediate},
    {encoding("sf opc 100101 hw imm16 Rd"),                  read_move_wide},
    {encoding("sf opc 100110 N immr imms Rn Rd"),            read_bitfield},
    {encoding("sf 00 100111 N 0 Rm imms Rn Rd"),             read_extract},

    {encoding("sf opc 01010 shift N Rm imm6 Rn Rd"),         read_logical_shifted},
    {encoding("sf op S 01011 shift 0 Rm imm6 Rn Rd"),        read_add_shifted},
    {encoding("sf op S 01011 00 1 Rm option imm3 Rn Rd"),    read_add_extended},
    {encoding("sf op 1 11010010 Rm cond 0 0 Rn 0 nzcv"),     read_compare_if},
    {encoding("sf op 1 11010010 imm5 cond 1 0 Rn 0 nzcv"),   read_compare_if},
    {encoding("sf op 0 11010100 Rm cond 0 o2 Rn Rd"),        read_select},
    {encoding("sf 1 0 11010110 00000 000001 Rn Rd"),         read_one_source},
    {encoding("sf 1 0 11010110 00000 000010 Rn Rd"),         read_one_source},
    {encoding("sf 1 0 11010110 00000 000011 Rn Rd"),         read_one_source},
    {encoding("sf 1 0 11010110 00000 000100 Rn Rd"),         read_one_source},
    {encoding("sf 0 0 11010110 Rm 000010 Rn Rd"),            read_two_sources},
    {encoding("sf 0 0 11010110 Rm 000011 Rn Rd"),            read_two_sources},
    {encoding("sf 0 0 11010110 Rm 0010 x x Rn Rd"),          read_two_sources},
    {encoding("sf 00 11011 000 Rm o0 Ra Rn Rd"),             read_three_sources},
    {encoding("1 00 11011 001 Rm o0 Ra Rn Rd"),              read_three_sources},
    {encoding("1 00 11011 010 Rm 0 Ra Rn Rd"),               read_three_sources},
    {encoding("1 00 11011 101 Rm o0 Ra Rn Rd"),              read_three_sources},
    {encoding("1 00 11011 110 Rm 0 Ra Rn Rd"),               read_three_sources},

    {encoding("opc 011 V 00 imm19 Rt"),                      read_literal},
    {encoding("opc 101 V 000 L imm7 Rt2 Rn Rt"),             read_pair},
    {encoding("opc 101 V 001 L imm7 Rt2 Rn Rt"),             read_pair},
    {encoding("opc 101 V 010 L imm7 Rt2 Rn Rt"),             read_pair},
    {encoding("opc 101 V 011 L imm7 Rt2 Rn Rt"),             read_pair},
    {encoding("size 111 V 00 opc 0 imm9 00 Rn Rt"),          read_signed_offset},
    {encoding("size 111 V 00 opc 0 imm9 01 Rn Rt"),          read_signed_offset},
    {encoding("size 111 V 00 opc 0 imm9 11 Rn Rt"),          read_signed_offset},
    {encoding("size 111 V 00 opc 1 Rm option S 10 Rn Rt"),   read_register_offset},
    {encoding("size 111 V 01 opc imm12 Rn Rt"),              read_unsigned_offset},

    {encoding("00011110 ptype 1 0000 xx 10000 Rn Rd"),       read_float_one_source},
    {encoding("00011110 ptype 1 Rm 00 xx 10 Rn Rd"),         read_float_two_sources},
    {encoding("00011111 ptype x Rm x Ra Rn Rd"),             read_float_three_sources},
    {encoding("x 0011110 ptype 1 00 11x 000000 Rn Rd"),      read_float_general},

    {encoding("op 00101 imm26"),                             read_branch},
    {encoding("0101010 0 imm19 0 cond"),                     read_branch_if},
    {encoding("sf 011010 op imm19 Rt"),                      read_compare_and_branch},
    {encoding("b5 011011 op b40 imm14 Rt"),                  read_test_and_branch},
    {encoding("1101011 0000 11111 000000 Rn 00000"),         read_branch_register},
    {encoding("1101011 0001 11111 000000 Rn 00000"),         read_branch_register},
    {encoding("1101011 0010 11111 000000 Rn 00000"),         read_branch_register},
    {encoding("1101010100 0 00 011 0010 0000 000 11111"),    read_nothing},  // NOP
    // clang-format on
};

// A load into a base that is written back is unpredictable.
bool loads_base(const PlainInstruction& i) {
  return i.is_load() && i.index != Index::offset && !i.is_vector &&
         (i.rd == i.rn || (i.is_pair() && i.rm == i.rn));
}

std::uint64_t bit(unsigned index) {
  return index == zero_register || index == discarded ? 0 : std::uint64_t{1} << index;
}

}  // namespace

PlainInstruction read_instruction(std::uint32_t word, std::uint64_t pc) {
  for (const Reader& reader : readers) {
    if (!reader.encoding.matches(word)) continue;
    PlainInstruction instruction;
    instruction.is_x = word >> 31;
    if (reader.read(Word(word), pc, instruction) && !loads_base(instruction)) return instruction;
  }
  return {};
}

bool read_bit_mask(bool n, unsigned immr, unsigned imms, unsigned width, std::uint64_t& mask) {
  const unsigned sizes = unsigned{n} << 6 | (~imms & 0x3f);
  if (sizes < 2 || (n && width == 32)) return false;
  const unsigned size = std::bit_floor(sizes), ones_less_one = imms & (size - 1), by = immr & (size - 1);
  if (ones_less_one == size - 1) return false;
  std::uint64_t element = ones<std::uint64_t>(ones_less_one + 1);
  if (by != 0) element = (element >> by | element << (size - by)) & ones<std::uint64_t>(size);
  for (unsigned filled = size; filled < 64; filled *= 2) element |= element << filled;
  mask = element & ones<std::uint64_t>(width);
  return true;
}

std::uint64_t registers_read(const PlainInstruction& i) {
  if (i.is_float()) return i.meaning == float_from_general ? bit(i.rn) : 0;
  const std::uint64_t second = i.second == Second::constant ? 0 : bit(i.rm);
  switch (i.meaning) {
    case by_handler:
    case nothing:
    case set:
    case branch:
    case branch_and_link:
    case branch_if:
      return 0;
    case load:
    case load_pair:
      return i.is_literal ? 0 : bit(i.rn) | second;
    case store:
    case store_pair:
      return bit(i.rn) | second | (i.is_vector ? 0 : bit(i.rd) | (i.is_pair() ? bit(i.rm) : 0));
    case extract:
    case shift_by_register:
    case multiply_high_signed:
    case multiply_high_unsigned:
    case divide_signed:
    case divide_unsigned:
    case select:
    case select_increment:
    case select_invert:
    case select_negate:
      return bit(i.rn) | bit(i.rm);
    default:
      return bit(i.rn) | second | bit(i.ra) |
             (i.meaning >= multiply_add && i.meaning <= multiply_subtract_unsigned_long ? bit(i.rm) : 0);
  }
}

std::uint64_t registers_written(const PlainInstruction& i) {
  if (i.is_float()) return i.meaning == float_to_general ? bit(i.rd) : 0;
  std::uint64_t written = 0;
  if (i.meaning == load || i.meaning == load_pair) {
    if (!i.is_vector) written |= bit(i.rd) | (i.is_pair() ? bit(i.rm) : 0);
  } else if (i.meaning != store && i.meaning != store_pair) {
    written |= bit(i.rd);
  }
  if (i.is_access() && i.index != Index::offset) written |= bit(i.rn);
  return written;
}

std::uint32_t vectors_read(const PlainInstruction& i) {
  const auto bit = [](unsigned index) { return std::uint32_t{1} << index; };
  if (i.is_access()) return i.is_vector && !i.is_load() ? bit(i.rd) | (i.is_pair() ? bit(i.rm) : 0) : 0;
  if (!i.is_float() || i.meaning == float_from_general) return 0;
  if (!i.is_float_arithmetic()) return bit(i.rn);
  return bit(i.rn) | bit(i.rm) | (i.meaning == float_multiply_add ? bit(i.ra) : 0);
}

std::uint32_t vectors_written(const PlainInstruction& i) {
  const auto bit = [](unsigned index) { return std::uint32_t{1} << index; };
  if (i.is_access()) return i.is_vector && i.is_load() ? bit(i.rd) | (i.is_pair() ? bit(i.rm) : 0) : 0;
  return i.is_float() && i.meaning != float_to_general ? bit(i.rd) : 0;
}

}  // namespace asterism::a64
