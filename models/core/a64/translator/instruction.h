// An instruction as the translator reads it: what it computes, in terms that every host has. Instructions for
// which read_instruction() has no meaning are executed by their handler (core/a64/operation.h).
#pragma once

#include <cstdint>

#include "core/a64/arithmetic.h"
#include "core/a64/state.h"

namespace asterism::a64 {

enum class Meaning : std::uint8_t {
  by_handler,
  nothing,  // NOP, a prefetch
  // rd = the constant; the second operand; ra with 16 bits of the constant put at `amount`
  set,
  move,
  insert_half,
  // rd = rn and the second operand
  addition,
  subtraction,
  bit_and,
  bit_or,
  bit_xor,
  // rd = (rn << left) >> right, the second shift with the sign or not
  signed_field,
  unsigned_field,
  // rd = rd with the bits of the mask (the constant) from rn, rotated right by `right`
  insert_field,
  // rd = rm:rn >> right
  extract,
  // rd = rn shifted by rm
  shift_by_register,
  // rd = ra +- rn * rm
  multiply_add,
  multiply_subtract,
  multiply_add_signed_long,
  multiply_subtract_signed_long,
  multiply_add_unsigned_long,
  multiply_subtract_unsigned_long,
  multiply_high_signed,
  multiply_high_unsigned,
  divide_signed,
  divide_unsigned,
  count_leading_zeros,
  reverse_bytes,  // in parts of `size` bytes
  // rd = rn if the condition holds, otherwise rm, rm + 1, ~rm or -rm
  select,
  select_increment,
  select_invert,
  select_negate,
  // the flags of rn +- the second operand if the condition holds, otherwise those of the constant
  compare_if,
  compare_negative_if,
  // floating point of `size` bytes; rd, rn, rm and ra are SIMD and floating-point registers
  float_add,
  float_subtract,
  float_multiply,
  float_divide,
  float_multiply_add,  // ra + rn * rm
  float_move,
  float_absolute,
  float_negate,
  float_from_general,  // rd = the bits of a general register
  float_to_general,
  // of `size` bytes at rn and an index; rd and, of a pair, rm
  load,
  store,
  load_pair,
  store_pair,
  // to the address in rn
  branch_register,
  branch_and_link_register,
  // The constant is the distance in bytes.
  branch,
  branch_and_link,
  branch_if,
  branch_if_zero,
  branch_if_not_zero,
  branch_if_bit_clear,  // `amount` is the bit
  branch_if_bit_set,
};

struct PlainInstruction {
  Meaning meaning = Meaning::by_handler;
  bool is_x = true;  // 64 bits, otherwise 32
  bool sets_flags = false;

  // Indices in State::x; `discarded` and `zero_register` are distinct.
  std::uint8_t rd = discarded, rn = zero_register, rm = zero_register, ra = zero_register;

  // The second operand: the constant, or rm, extended and then shifted.
  enum class Second : std::uint8_t { constant, shifted, extended };
  Second second = Second::constant;
  bool is_inverted = false;  // bits of the second operand
  Shift shift = Shift::none;
  std::uint8_t amount = 0;
  std::uint8_t extend_bytes = 8;  // extended: the low bytes of rm
  bool extends_sign = false;

  std::uint8_t left = 0, right = 0;
  std::uint8_t condition = 0, otherwise = 0;  // otherwise: NZCV

  // Of a load or store: the address is rn, or rn and an index (the second operand), which is written back
  // before or after the access.
  std::uint8_t size = 0;
  bool loads_sign = false;  // to the width of is_x
  enum class Index : std::uint8_t { offset, before, after };
  Index index = Index::offset;
  bool is_literal = false;  // the constant is the address
  bool is_vector = false;   // rd and rm are SIMD and floating-point registers
  bool negates_product = false, negates_addend = false;

  std::uint64_t constant = 0;

  bool is_float() const { return meaning >= Meaning::float_add && meaning <= Meaning::float_to_general; }
  bool is_float_arithmetic() const {
    return meaning >= Meaning::float_add && meaning <= Meaning::float_multiply_add;
  }
  // A handler may execute it, and find the state in memory.
  bool may_need_handler() const {
    return meaning == Meaning::by_handler || is_access() || is_float_arithmetic();
  }
  bool is_access() const { return meaning >= Meaning::load && meaning <= Meaning::store_pair; }
  bool is_load() const { return meaning == Meaning::load || meaning == Meaning::load_pair; }
  bool is_pair() const { return meaning == Meaning::load_pair || meaning == Meaning::store_pair; }
  bool has_distance() const { return meaning >= Meaning::branch; }
  // The next instruction may be the one behind it.
  bool may_go_on() const {
    return meaning != Meaning::by_handler &&
           !(meaning >= Meaning::branch_register && meaning <= Meaning::branch_and_link);
  }
  bool reads_flags() const {
    return (meaning >= Meaning::select && meaning <= Meaning::compare_negative_if) ||
           meaning == Meaning::branch_if;
  }
};

// `pc` is the instruction's address. SIMD and floating point are enabled.
PlainInstruction read_instruction(std::uint32_t word, std::uint64_t pc);

// DecodeBitMasks() of the manual for `width` bits (32 or 64); false: reserved.
bool read_bit_mask(bool n, unsigned immr, unsigned imms, unsigned width, std::uint64_t& mask);

// Bit i: State::x[i]. Without zero_register and `discarded`.
std::uint64_t registers_read(const PlainInstruction& instruction);
std::uint64_t registers_written(const PlainInstruction& instruction);
// Bit i: State::v[i].
std::uint32_t vectors_read(const PlainInstruction& instruction);
std::uint32_t vectors_written(const PlainInstruction& instruction);

}  // namespace asterism::a64
