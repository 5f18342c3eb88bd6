// Code for x86-64.
//
//   rdi                     the Cpu, also when a handler is called, which leaves it there
//   r15                     the budget
//   rax, rcx, rdx, rsi      for anything
//   the rest, without rsp   registers of the guest
#include "core/a64/translator/emitter.h"

#if defined(__x86_64__)

#include <xbyak/xbyak.h>

#include <array>
#include <bit>
#include <deque>
#include <optional>

#include "core/a64/fast_float.h"
#include "core/a64/memory.h"

namespace asterism::a64 {
namespace {

using Xbyak::Label;
using Xbyak::Operand;
using Xbyak::Reg;
using Xbyak::Reg32;
using Xbyak::Reg64;
using Xbyak::Xmm;
using enum Meaning;
using Second = PlainInstruction::Second;
using Index = PlainInstruction::Index;

constexpr std::array host_register_indices = {Operand::RBX, Operand::RBP, Operand::R8,
                                              Operand::R9,  Operand::R10, Operand::R11,
                                              Operand::R12, Operand::R13, Operand::R14};

// Conditions of x86, as in its encodings.
enum class Condition : std::uint8_t { o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g };
Condition opposite(Condition condition) {
  return static_cast<Condition>(static_cast<unsigned>(condition) ^ 1);
}

bool is_signed_32(std::uint64_t value) {
  return value == static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
}

class Code : public Xbyak::CodeGenerator {
 public:
  Code(const CpuLayout& layout, const HandlersOfEmitter& handlers, bool timed, Region& region,
       std::uint8_t* to, std::size_t most)
      : CodeGenerator(most, to), layout_(layout), exits_(handlers), timed_(timed), region_(region) {
    host_.fill(no_register);
    for (std::size_t i = 0; i < region.held.size(); ++i)
      host_[region.held[i]] = static_cast<std::int8_t>(host_register_indices[i]);
  }

  void emit() {
    starts_.resize(region_.blocks.size());
    leave_.resize(region_.blocks.size());
    overdrawn_.resize(region_.blocks.size());
    for (RegionBlock& block : region_.blocks) {
      block_ = &block;
      emit_block();
    }
    for (RegionBlock& block : region_.blocks) {
      block_ = &block;
      emit_entries();
    }
    for (Stub& stub : stubs_) emit_stub(stub);
    for (FloatStub& stub : float_stubs_) emit_float_stub(stub);
    for (RegionBlock& block : region_.blocks) {
      block_ = &block;
      emit_leave();
    }
    L(reload_);
    emit_reload();
    jmp(rax);
    if (!region_.has_line_filter) emit_lookup();
    if (!float_stubs_.empty()) emit_float_constants();
    region_.bytes = getSize();
  }

 private:
  static constexpr std::int8_t no_register = -1;

  // An access that is not made by the fast path.
  struct Stub {
    RegionBlock* block;
    std::size_t at;
    unsigned size, element;
    bool is_load;
    std::int32_t recent = 0;
    Label miss{}, hit{};
  };

  // ---- where things are ----

  std::size_t number(const RegionBlock& block) const {
    return static_cast<std::size_t>(&block - region_.blocks.data());
  }
  Xbyak::Address state(std::int32_t at) const { return ptr[rdi + at]; }
  Xbyak::Address memory_of(unsigned guest) const { return state(layout_.x + 8 * static_cast<int>(guest)); }
  Xbyak::Address vector_memory(unsigned guest, int offset = 0) const {
    return state(layout_.v + 16 * static_cast<int>(guest) + offset);
  }
  bool is_held(unsigned guest) const { return host_[guest] != no_register; }
  Reg64 host(unsigned guest) const { return Reg64(host_[guest]); }
  static Reg sized(const Reg64& reg, bool is_x) { return is_x ? Reg(reg) : Reg(reg.cvt32()); }

  // ---- registers of the guest ----

  // Changes no flags.
  void get(const Reg64& into, unsigned guest, bool is_x = true) {
    if (guest == zero_register)
      mov(into.cvt32(), 0);
    else if (is_held(guest))
      mov(sized(into, is_x), sized(host(guest), is_x));
    else
      mov(sized(into, is_x), memory_of(guest));
  }
  // A register that has the value, and whose high half has no meaning unless is_x.
  Reg64 use(unsigned guest, const Reg64& otherwise, bool is_x = true) {
    if (is_held(guest)) return host(guest);
    get(otherwise, guest, is_x);
    return otherwise;
  }
  void put(unsigned guest, const Reg64& from) {
    if (guest == discarded) return;
    if (!is_held(guest))
      mov(memory_of(guest), from);
    else if (host(guest) != from)
      mov(host(guest), from);
  }
  // A register to compute a result in, which put() then takes.
  Reg64 target(unsigned guest, const Reg64& otherwise = Xbyak::util::rax) const {
    return guest != discarded && is_held(guest) ? host(guest) : otherwise;
  }
  void set_constant(const Reg64& reg, std::uint64_t value) {
    if (value >> 32 == 0)
      mov(reg.cvt32(), static_cast<std::uint32_t>(value));
    else
      mov(reg, value);
  }

  // The second operand: a number, or a register, rcx unless it needs no change.
  struct Value {
    std::optional<std::int32_t> number;
    Reg64 reg;
  };
  Value second(const PlainInstruction& i) {
    if (i.second == Second::constant) {
      const std::uint64_t value = i.is_inverted ? ~i.constant : i.constant;
      if (i.is_x ? is_signed_32(value) : true) return {static_cast<std::int32_t>(value), rcx};
      set_constant(rcx, value);
      return {{}, rcx};
    }
    if (i.second == Second::extended) {
      extend(rcx, i.rm, i.extend_bytes, i.extends_sign, i.is_x);
      if (i.amount != 0) shl(sized(rcx, i.is_x), i.amount);
      return {{}, rcx};
    }
    if (i.shift == Shift::none && !i.is_inverted) return {{}, use(i.rm, rcx, i.is_x)};
    get(rcx, i.rm, i.is_x);
    const Reg reg = sized(rcx, i.is_x);
    shift_by(reg, i.shift, i.amount);
    if (i.is_inverted) not_(reg);
    return {{}, rcx};
  }
  void shift_by(const Reg& reg, Shift shift, int amount) {
    if (amount == 0) return;
    if (shift == Shift::lsl) shl(reg, amount);
    if (shift == Shift::lsr) shr(reg, amount);
    if (shift == Shift::asr) sar(reg, amount);
    if (shift == Shift::ror) ror(reg, amount);
  }
  void extend(const Reg64& into, unsigned guest, unsigned bytes, bool with_sign, bool is_x) {
    const Reg64 from = use(guest, into);
    const Reg wide = sized(into, is_x);
    if (bytes == 8) {
      if (from != into) mov(wide, sized(from, is_x));
    } else if (bytes == 4) {
      if (with_sign && is_x)
        movsxd(into, from.cvt32());
      else
        mov(into.cvt32(), from.cvt32());
    } else {
      const Reg part = bytes == 1 ? Reg(from.cvt8()) : Reg(from.cvt16());
      if (with_sign)
        movsx(wide, part);
      else
        movzx(into.cvt32(), part);
    }
  }

  // ---- flags ----

  // What the host's flags are: those of the last instruction that set flags, if nothing has changed them.
  enum class Kind : std::uint8_t { none, sum, difference, logic };
  Kind host_flags_ = Kind::none;

  // Writes the guest's flags, from the host's and a result. Keeps the host's.
  void write_flags(Kind kind, const Reg64& result, bool is_x) {
    if (kind == Kind::logic) {
      mov(word[rdi + layout_.c], 0);  // C and V
    } else {
      if (kind == Kind::sum) setc(byte[rdi + layout_.c]);
      if (kind == Kind::difference) setae(byte[rdi + layout_.c]);
      seto(byte[rdi + layout_.overflow]);
    }
    mov(qword[rdi + layout_.zero_if], result);
    if (is_x) {
      mov(qword[rdi + layout_.negative], result);
    } else {
      movsxd(rdx, result.cvt32());
      mov(qword[rdi + layout_.negative], rdx);
    }
  }
  void write_flags(unsigned nzcv) {
    mov(qword[rdi + layout_.negative], static_cast<std::int32_t>(nzcv & 8 ? 0x8000'0000 : 0));
    mov(qword[rdi + layout_.zero_if], nzcv & 4 ? 0 : 1);
    mov(word[rdi + layout_.c], static_cast<int>((nzcv >> 1 & 1) | (nzcv & 1) << 8));
  }

  // The condition of the host that is that of the guest, by the host's flags; nullopt: by none.
  std::optional<Condition> by_host_flags(unsigned condition) const {
    using enum Condition;
    constexpr Condition after_difference[] = {e, ne, ae, b, s, ns, o, no, a, be, ge, l, g, le};
    constexpr Condition after_sum[] = {e, ne, b, ae, s, ns, o, no, a, a, ge, l, g, le};
    if (condition >= 14 || host_flags_ == Kind::none) return std::nullopt;
    if (host_flags_ == Kind::difference) return after_difference[condition];
    if (condition == 8 || condition == 9) return std::nullopt;  // HI, LS
    return after_sum[condition];
  }
  // The same for any flags; may first set the host's flags from the guest's. Changes rax and rdx. Not for AL.
  Condition condition_of(unsigned condition) {
    if (const auto direct = by_host_flags(condition)) return *direct;
    host_flags_ = Kind::none;
    using enum Condition;
    const auto negative_to_al = [this] {
      mov(rax, qword[rdi + layout_.negative]);
      shr(rax, 63);
    };
    Condition result = ne;
    switch (condition >> 1) {
      case 0:
        cmp(qword[rdi + layout_.zero_if], 0);
        result = e;
        break;
      case 1:
        cmp(byte[rdi + layout_.c], 0);
        break;
      case 2:
        cmp(qword[rdi + layout_.negative], 0);
        result = l;
        break;
      case 3:
        cmp(byte[rdi + layout_.overflow], 0);
        break;
      case 4:
        cmp(qword[rdi + layout_.zero_if], 0);
        setne(al);
        and_(al, byte[rdi + layout_.c]);
        break;
      case 5:
        negative_to_al();
        cmp(al, byte[rdi + layout_.overflow]);
        result = e;
        break;
      default:
        negative_to_al();
        xor_(al, byte[rdi + layout_.overflow]);
        cmp(qword[rdi + layout_.zero_if], 0);
        sete(dl);
        or_(al, dl);
        result = e;
    }
    return condition % 2 == 1 ? opposite(result) : result;
  }

  void jump_if(Condition condition, const Label& label) {
    using enum Condition;
    switch (condition) {
      case o:
        return jo(label, T_NEAR);
      case no:
        return jno(label, T_NEAR);
      case b:
        return jb(label, T_NEAR);
      case ae:
        return jae(label, T_NEAR);
      case e:
        return je(label, T_NEAR);
      case ne:
        return jne(label, T_NEAR);
      case be:
        return jbe(label, T_NEAR);
      case a:
        return ja(label, T_NEAR);
      case s:
        return js(label, T_NEAR);
      case ns:
        return jns(label, T_NEAR);
      case p:
        return jp(label, T_NEAR);
      case np:
        return jnp(label, T_NEAR);
      case l:
        return jl(label, T_NEAR);
      case ge:
        return jge(label, T_NEAR);
      case le:
        return jle(label, T_NEAR);
      case g:
        return jg(label, T_NEAR);
    }
  }
  void move_if(Condition condition, const Reg& into, const Reg& from) {
    using enum Condition;
    switch (condition) {
      case o:
        return cmovo(into, from);
      case no:
        return cmovno(into, from);
      case b:
        return cmovb(into, from);
      case ae:
        return cmovae(into, from);
      case e:
        return cmove(into, from);
      case ne:
        return cmovne(into, from);
      case be:
        return cmovbe(into, from);
      case a:
        return cmova(into, from);
      case s:
        return cmovs(into, from);
      case ns:
        return cmovns(into, from);
      case p:
        return cmovp(into, from);
      case np:
        return cmovnp(into, from);
      case l:
        return cmovl(into, from);
      case ge:
        return cmovge(into, from);
      case le:
        return cmovle(into, from);
      case g:
        return cmovg(into, from);
    }
  }

  // ---- blocks ----

  void emit_block() {
    host_flags_ = Kind::none;
    is_float_checked_ = false;
    block_->continuations.assign(block_->instructions.size(), nullptr);
    L(starts_[number(*block_)]);
    for (at_ = 0; at_ < block_->instructions.size(); ++at_) {
      const PlainInstruction& i = block_->instructions[at_];
      if (emit_instruction(i)) return;
    }
    exit(false);
  }

  bool is_needed() const { return block_->flags_needed >> at_ & 1; }

  // The next instruction is entered by a handler, too.
  void continue_behind() {
    host_flags_ = Kind::none;
    is_float_checked_ = false;
    if (at_ + 1 < block_->instructions.size())
      continued_.push_back({block_, at_ + 1, reinterpret_cast<std::uint64_t>(getCurr())});
  }

  // True: it has left the block.
  bool emit_instruction(const PlainInstruction& i) {
    switch (i.meaning) {
      case by_handler:
        by_handler_at(*block_, at_);
        continue_behind();
        return at_ + 1 == block_->instructions.size();
      case nothing:
        return false;
      case set:
        return emit_set(i), false;
      case move: {
        const Reg64 result = target(i.rd);
        get(result, i.rm, i.is_x);
        return put(i.rd, result), false;
      }
      case select:
      case select_increment:
      case select_invert:
      case select_negate:
        return emit_select(i), false;
      case branch:
        return exit(true), true;
      case branch_and_link:
        set_constant(target(i.rd), pc() + 4);
        put(i.rd, target(i.rd));
        return exit(true), true;
      case branch_register:
      case branch_and_link_register:
        return emit_branch_register(i), true;
      case branch_if:
      case branch_if_zero:
      case branch_if_not_zero:
      case branch_if_bit_clear:
      case branch_if_bit_set:
        return emit_branch(i), true;
      case addition:
      case subtraction:
      case bit_and:
      case bit_or:
      case bit_xor:
        return emit_binary(i), false;
      case float_multiply_add:
        if (!has_fma_) {
          by_handler_at(*block_, at_);
          continue_behind();
          return at_ + 1 == block_->instructions.size();
        }
        [[fallthrough]];
      case float_add:
      case float_subtract:
      case float_multiply:
      case float_divide:
      case float_move:
      case float_absolute:
      case float_negate:
      case float_from_general:
      case float_to_general:
        emit_float(i);
        break;
      case load:
      case store:
      case load_pair:
      case store_pair:
        emit_access(i);
        continue_behind();
        return false;
      case compare_if:
      case compare_negative_if:
        emit_compare_if(i);
        break;
      default:
        emit_unary_or_multiply(i);
    }
    host_flags_ = Kind::none;
    return false;
  }

  std::uint64_t pc() const { return block_->block->pc + 4 * at_; }

  void emit_set(const PlainInstruction& i) {
    if (i.rd == discarded) return;
    if (!is_held(i.rd) && is_signed_32(i.constant)) {
      mov(qword[rdi + layout_.x + 8 * i.rd], static_cast<std::int32_t>(i.constant));
      return;
    }
    const Reg64 result = target(i.rd);
    set_constant(result, i.constant);
    put(i.rd, result);
  }

  void emit_binary(const PlainInstruction& i) {
    const Value b = second(i);
    const bool has_number = b.number.has_value();
    if (i.meaning == addition && !i.sets_flags && is_held(i.rd) && is_held(i.rn)) {
      const Reg result = sized(host(i.rd), i.is_x);
      if (has_number && host(i.rd) == host(i.rn)) {
        add(result, *b.number);
        host_flags_ = Kind::none;
      } else if (has_number) {
        lea(result, ptr[host(i.rn) + *b.number]);
      } else {
        lea(result, ptr[host(i.rn) + b.reg]);
        if (i.second == Second::shifted ? i.shift != Shift::none : i.amount != 0) host_flags_ = Kind::none;
      }
      return;
    }
    Reg64 result = target(i.rd);
    if (!has_number && result == b.reg) result = rax;
    // A comparison needs no result, unless flags have to be written.
    const bool is_comparison = i.rd == discarded && i.sets_flags && !is_needed();
    if (is_comparison && (i.meaning == subtraction || i.meaning == bit_and)) {
      const Reg n = sized(use(i.rn, rax, i.is_x), i.is_x);
      if (i.meaning == subtraction) {
        if (has_number)
          cmp(n, *b.number);
        else
          cmp(n, sized(b.reg, i.is_x));
      } else {
        if (has_number)
          test(n, *b.number);
        else
          test(n, sized(b.reg, i.is_x));
      }
      host_flags_ = i.meaning == subtraction ? Kind::difference : Kind::logic;
      return;
    }
    if (!(is_held(i.rn) && host(i.rn) == result)) get(result, i.rn, i.is_x);
    const Reg r = sized(result, i.is_x), m = sized(b.reg, i.is_x);
    switch (i.meaning) {
      case addition:
        has_number ? add(r, *b.number) : add(r, m);
        break;
      case subtraction:
        has_number ? sub(r, *b.number) : sub(r, m);
        break;
      case bit_and:
        has_number ? and_(r, *b.number) : and_(r, m);
        break;
      case bit_or:
        has_number ? or_(r, *b.number) : or_(r, m);
        break;
      default:
        has_number ? xor_(r, *b.number) : xor_(r, m);
    }
    host_flags_ = Kind::none;
    if (i.sets_flags) {
      host_flags_ = i.meaning == addition      ? Kind::sum
                    : i.meaning == subtraction ? Kind::difference
                                               : Kind::logic;
      if (is_needed()) write_flags(host_flags_, result, i.is_x);
    }
    put(i.rd, result);
  }

  void emit_select(const PlainInstruction& i) {
    constexpr unsigned always = 14;
    const bool is_always = i.condition >= always;
    const Condition condition = is_always ? Condition::e : condition_of(i.condition);
    get(rcx, i.rm, i.is_x);
    const Reg other = sized(rcx, i.is_x);
    if (i.meaning == select_invert || i.meaning == select_negate) not_(other);
    if (i.meaning == select_increment || i.meaning == select_negate) lea(other, ptr[rcx + 1]);
    get(rax, i.rn, i.is_x);
    if (!is_always) move_if(opposite(condition), sized(rax, i.is_x), other);
    put(i.rd, rax);
  }

  void emit_compare_if(const PlainInstruction& i) {
    constexpr unsigned always = 14;
    Label otherwise, end;
    if (i.condition < always) jump_if(opposite(condition_of(i.condition)), otherwise);
    const Value b = second(i);
    get(rax, i.rn, i.is_x);
    const Reg r = sized(rax, i.is_x), m = sized(b.reg, i.is_x);
    const bool subtracts = i.meaning == compare_if;
    if (b.number)
      subtracts ? sub(r, *b.number) : add(r, *b.number);
    else
      subtracts ? sub(r, m) : add(r, m);
    write_flags(subtracts ? Kind::difference : Kind::sum, rax, i.is_x);
    if (i.condition < always) {
      jmp(end);
      L(otherwise);
      write_flags(i.otherwise);
      L(end);
    }
  }

  void emit_unary_or_multiply(const PlainInstruction& i) {
    const auto is = [&i](Meaning meaning) { return i.meaning == meaning; };
    const Reg r = sized(rax, i.is_x), c = sized(rcx, i.is_x);
    switch (i.meaning) {
      case insert_half: {
        get(rax, i.ra, i.is_x);
        const std::uint64_t gap = ~(std::uint64_t{0xffff} << i.amount), value = i.constant << i.amount;
        if (i.is_x && !is_signed_32(gap)) {
          mov(rcx, gap);
          and_(rax, rcx);
        } else {
          and_(r, static_cast<std::uint32_t>(gap));
        }
        if (i.is_x && !is_signed_32(value)) {
          mov(rcx, value);
          or_(rax, rcx);
        } else if (value != 0) {
          or_(r, static_cast<std::uint32_t>(value));
        }
        break;
      }
      case signed_field:
      case unsigned_field:
        get(rax, i.rn, i.is_x);
        shift_by(r, Shift::lsl, i.left);
        shift_by(r, is(signed_field) ? Shift::asr : Shift::lsr, i.right);
        break;
      case insert_field:
        get(rcx, i.rn, i.is_x);
        shift_by(c, Shift::ror, i.right);
        get(rax, i.ra, i.is_x);
        mov(rdx, i.constant);
        and_(rcx, rdx);
        not_(rdx);
        and_(rax, rdx);
        or_(r, c);
        break;
      case extract:
        get(rax, i.rm, i.is_x);
        if (i.right != 0) {
          get(rcx, i.rn, i.is_x);
          i.is_x ? shrd(rax, rcx, i.right) : shrd(eax, ecx, i.right);
        }
        break;
      case shift_by_register:
        get(rcx, i.rm);
        get(rax, i.rn, i.is_x);
        if (i.shift == Shift::lsl) shl(r, cl);
        if (i.shift == Shift::lsr) shr(r, cl);
        if (i.shift == Shift::asr) sar(r, cl);
        if (i.shift == Shift::ror) ror(r, cl);
        break;
      case multiply_add:
      case multiply_subtract: {
        get(rax, i.rn, i.is_x);
        imul(r, sized(use(i.rm, rcx, i.is_x), i.is_x));
        if (i.ra == zero_register) {
          if (is(multiply_subtract)) neg(r);
        } else if (is(multiply_add)) {
          add(r, sized(use(i.ra, rcx, i.is_x), i.is_x));
        } else {
          get(rcx, i.ra, i.is_x);
          sub(c, r);
          mov(r, c);
        }
        break;
      }
      case multiply_add_signed_long:
      case multiply_subtract_signed_long:
      case multiply_add_unsigned_long:
      case multiply_subtract_unsigned_long: {
        const bool has_sign = is(multiply_add_signed_long) || is(multiply_subtract_signed_long);
        extend(rax, i.rn, 4, has_sign, true);
        extend(rcx, i.rm, 4, has_sign, true);
        imul(rax, rcx);
        const Reg64 a = use(i.ra, rcx);
        if (is(multiply_add_signed_long) || is(multiply_add_unsigned_long)) {
          add(rax, a);
        } else {
          neg(rax);
          add(rax, a);
        }
        break;
      }
      case multiply_high_signed:
      case multiply_high_unsigned: {
        get(rax, i.rn);
        const Reg64 m = use(i.rm, rcx);
        is(multiply_high_signed) ? imul(m) : mul(m);
        mov(rax, rdx);
        break;
      }
      case divide_signed:
      case divide_unsigned:
        emit_divide(i);
        break;
      case count_leading_zeros: {
        // BSR has no result for 0.
        Label end, zero;
        get(rcx, i.rn, i.is_x);
        mov(eax, i.is_x ? 127 : 63);
        bsr(sized(rdx, i.is_x), c);
        cmovne(eax, edx);
        xor_(eax, i.is_x ? 63 : 31);
        break;
      }
      case reverse_bytes:
        get(rax, i.rn, i.is_x);
        if (i.size == 8 || (i.size == 4 && !i.is_x)) {
          i.is_x ? bswap(rax) : bswap(eax);
        } else if (i.size == 4) {
          bswap(rax);
          rol(rax, 32);
        } else {
          mov(c, r);
          mov(rdx, 0x00ff'00ff'00ff'00ff);
          shr(r, 8);
          and_(rax, rdx);
          and_(rcx, rdx);
          shl(rcx, 8);
          or_(rax, rcx);
          if (!i.is_x) mov(eax, eax);
        }
        break;
      default:
        break;
    }
    put(i.rd, rax);
  }

  void emit_divide(const PlainInstruction& i) {
    Label zero, minus_one, end;
    const Reg r = sized(rax, i.is_x), c = sized(rcx, i.is_x);
    get(rcx, i.rm, i.is_x);
    get(rax, i.rn, i.is_x);
    test(c, c);
    je(zero);
    if (i.meaning == divide_unsigned) {
      xor_(edx, edx);
      div(c);
      jmp(end);
    } else {
      cmp(c, -1);
      je(minus_one);
      i.is_x ? cqo() : cdq();
      idiv(c);
      jmp(end);
      L(minus_one);
      neg(r);
      jmp(end);
    }
    L(zero);
    xor_(eax, eax);
    L(end);
  }

  // ---- floating point ----

  struct FloatStub {
    RegionBlock* block;
    std::size_t at;
    Label by_handler{}, may_round{}, computed{}, unusual{}, stands{};
  };

  // In memory, where a result clears the rest of its register.
  void emit_float(const PlainInstruction& i) {
    const bool is_double = i.size == 8;
    const Xbyak::Address n = vector_memory(i.rn);
    const auto load = [&](const Xmm& into, const Xbyak::Address& from) {
      is_double ? movsd(into, from) : movss(into, from);
    };
    switch (i.meaning) {
      case float_to_general: {
        const Reg64 result = target(i.rd);
        mov(sized(result, is_double), n);
        return put(i.rd, result);
      }
      case float_from_general: {
        const Reg64 from = use(i.rn, rax);
        is_double ? movq(xmm0, from) : movd(xmm0, from.cvt32());
        return movaps(vector_memory(i.rd), xmm0);
      }
      case float_move:
        load(xmm0, n);
        return movaps(vector_memory(i.rd), xmm0);
      case float_absolute:
      case float_negate:
        mov(sized(rax, is_double), n);
        if (i.meaning == float_absolute)
          btr(sized(rax, is_double), 8 * i.size - 1);
        else
          btc(sized(rax, is_double), 8 * i.size - 1);
        is_double ? movq(xmm0, rax) : movd(xmm0, eax);
        return movaps(vector_memory(i.rd), xmm0);
      default:
        break;
    }
    // The host rounds to nearest and keeps denormals. It says whether it has rounded, unless it did so before.
    float_stubs_.push_back({block_, at_});
    FloatStub& stub = float_stubs_.back();
    if (!std::exchange(is_float_checked_, true)) {
      test(dword[rdi + layout_.fpcr], fpcr_bit::fz | fpcr_bit::rmode);
      jnz(stub.by_handler, T_NEAR);
    }
    test(byte[rdi + layout_.fpsr], fpsr_bit::ixc);
    jz(stub.may_round, T_NEAR);
    emit_float_arithmetic(i);
    L(stub.computed);
    // Twice the result, without the sign: fast_float::is_ordinary().
    if (is_double) {
      movq(rax, xmm0);
      add(rax, rax);
      sub(rax, ptr[rip + first_ordinary_]);
      cmp(rax, ptr[rip + ordinary_]);
      movq(xmm0, xmm0);
    } else {
      movd(eax, xmm0);
      movd(xmm0, eax);
      add(eax, eax);
      sub(eax, static_cast<std::uint32_t>(2 * first_ordinary<Single>));
      cmp(eax, static_cast<std::uint32_t>(2 * ordinary<Single>));
    }
    jae(stub.unusual, T_NEAR);
    L(stub.stands);
    movaps(vector_memory(i.rd), xmm0);
  }
  // To xmm0.
  void emit_float_arithmetic(const PlainInstruction& i) {
    const bool is_double = i.size == 8;
    const Xbyak::Address n = vector_memory(i.rn), m = vector_memory(i.rm);
    const auto load = [&](const Xmm& into, const Xbyak::Address& from) {
      is_double ? movsd(into, from) : movss(into, from);
    };
    if (i.meaning != float_multiply_add) load(xmm0, n);
    switch (i.meaning) {
      case float_add:
        return is_double ? addsd(xmm0, m) : addss(xmm0, m);
      case float_subtract:
        return is_double ? subsd(xmm0, m) : subss(xmm0, m);
      case float_multiply:
        return is_double ? mulsd(xmm0, m) : mulss(xmm0, m);
      case float_divide:
        return is_double ? divsd(xmm0, m) : divss(xmm0, m);
      default:
        break;
    }
    load(xmm0, vector_memory(i.ra));
    load(xmm1, n);
    if (i.negates_product && i.negates_addend)
      is_double ? vfnmsub231sd(xmm0, xmm1, m) : vfnmsub231ss(xmm0, xmm1, m);
    else if (i.negates_product)
      is_double ? vfnmadd231sd(xmm0, xmm1, m) : vfnmadd231ss(xmm0, xmm1, m);
    else if (i.negates_addend)
      is_double ? vfmsub231sd(xmm0, xmm1, m) : vfmsub231ss(xmm0, xmm1, m);
    else
      is_double ? vfmadd231sd(xmm0, xmm1, m) : vfmadd231ss(xmm0, xmm1, m);
  }

  // A sum that is zero is exact; so is a product, and a sum with it, if a factor is zero.
  void emit_float_stub(FloatStub& stub) {
    const PlainInstruction& i = stub.block->instructions[stub.at];
    const bool is_double = i.size == 8;
    const Reg value = sized(rax, is_double);
    constexpr int rounded = 1 << 5;  // MXCSR.PE
    L(stub.may_round);
    ldmxcsr(ptr[rip + mxcsr_]);
    emit_float_arithmetic(i);
    stmxcsr(dword[rsp - 8]);
    test(byte[rsp - 8], rounded);
    jz(stub.computed, T_NEAR);
    or_(dword[rdi + layout_.fpsr], fpsr_bit::ixc);
    jmp(stub.computed, T_NEAR);
    L(stub.unusual);
    is_double ? movq(rax, xmm0) : movd(eax, xmm0);
    add(value, value);
    if (i.meaning == float_add || i.meaning == float_subtract) jz(stub.stands, T_NEAR);
    if (i.meaning == float_multiply || i.meaning == float_multiply_add) {
      jnz(stub.by_handler);
      mov(value, vector_memory(i.rn));
      add(value, value);
      jz(stub.stands, T_NEAR);
      mov(value, vector_memory(i.rm));
      add(value, value);
      jz(stub.stands, T_NEAR);
    }
    L(stub.by_handler);
    by_handler_at(*stub.block, stub.at);
  }
  template <class T>
  static constexpr T first_ordinary = Float<T>::smallest_normal + 1;
  template <class T>
  static constexpr T ordinary = Float<T>::infinity - first_ordinary<T>;
  void emit_float_constants() {
    align(8);
    L(first_ordinary_);
    dq(2 * first_ordinary<Double>);
    L(ordinary_);
    dq(2 * ordinary<Double>);
    L(mxcsr_);
    dd(0x1f80);  // rounds to nearest, without exceptions
  }

  // ---- loads and stores ----

  void emit_address(const PlainInstruction& i, const Reg64& into) {
    if (i.is_literal) return set_constant(into, i.constant);
    const auto offset = static_cast<std::int32_t>(i.index == Index::after ? 0 : i.constant);
    if (i.second != Second::constant) {
      extend(into, i.rm, i.extend_bytes, i.extends_sign, true);
      if (i.amount != 0) shl(into, i.amount);
      is_held(i.rn) ? add(into, host(i.rn)) : add(into, memory_of(i.rn));
    } else if (is_held(i.rn) && offset != 0) {
      lea(into, ptr[host(i.rn) + offset]);
    } else {
      get(into, i.rn);
      if (offset != 0) add(into, offset);
    }
  }

  void emit_access(const PlainInstruction& i) {
    const unsigned size = i.is_pair() ? 2u * i.size : i.size;
    const auto recent = static_cast<std::int32_t>(pc() / 4 % Memory::recent_entries * sizeof(TlbEntry*));
    Stub stub{.block = block_, .at = at_, .size = size, .element = i.size, .is_load = i.is_load()};
    stub.recent = layout_.recent + recent;
    emit_address(i, rdx);
    if (region_.has_line_filter) {
      emit_line_access(i, stub);
    } else {
      mov(rcx, qword[rdi + stub.recent]);
      emit_check(stub);
      jump_if(is_scaled(stub) ? Condition::a : Condition::ne, stub.miss);
      L(stub.hit);
      stubs_.push_back(stub);
      if (i.is_load())
        emit_load(i, is_scaled(stub));
      else
        emit_store(i, size, is_scaled(stub));
    }
    if (i.index == Index::offset) return;
    const auto distance = static_cast<std::int32_t>(i.constant);
    is_held(i.rn) ? add(host(i.rn), distance) : add(qword[rdi + layout_.x + 8 * i.rn], distance);
  }
  Xbyak::RegExp offset_of(const PlainInstruction& i, bool is_scaled) const {
    return is_scaled ? rdx * i.size : Xbyak::RegExp(rdx);
  }
  void emit_load(const PlainInstruction& i, bool is_scaled) {
    mov(rcx, qword[rcx + offsetof(TlbEntry, host)]);
    const Xbyak::RegExp from = rcx + offset_of(i, is_scaled);
    if (i.is_pair()) emit_load_one(i, i.rm, from + i.size);
    emit_load_one(i, i.rd, from);
  }
  void emit_load_one(const PlainInstruction& i, unsigned guest, const Xbyak::RegExp& from) {
    if (i.is_vector) {
      if (i.size == 16) movups(xmm0, ptr[from]);
      if (i.size == 8) movq(xmm0, qword[from]);
      if (i.size == 4) movd(xmm0, dword[from]);
      if (i.size < 4) {
        i.size == 2 ? movzx(esi, word[from]) : movzx(esi, byte[from]);
        movd(xmm0, esi);
      }
      movaps(vector_memory(guest), xmm0);
      return;
    }
    const Reg64 result = target(guest, rsi);
    const Reg wide = sized(result, i.is_x);
    if (i.size == 8) mov(result, qword[from]);
    if (i.size == 4) i.loads_sign ? movsxd(result, dword[from]) : mov(result.cvt32(), dword[from]);
    if (i.size == 2) i.loads_sign ? movsx(wide, word[from]) : movzx(result.cvt32(), word[from]);
    if (i.size == 1) i.loads_sign ? movsx(wide, byte[from]) : movzx(result.cvt32(), byte[from]);
    put(guest, result);
  }
  void emit_store(const PlainInstruction& i, unsigned size, bool is_scaled) {
    mov(rsi, qword[rcx + offsetof(TlbEntry, dirty)]);
    mov(rcx, qword[rcx + offsetof(TlbEntry, host)]);
    const Xbyak::RegExp to = rcx + offset_of(i, is_scaled);
    emit_store_one(i, i.rd, to);
    if (i.is_pair()) emit_store_one(i, i.rm, to + i.size);
    // The flags of the lines of the first and the last byte.
    const int shift = 6 - (is_scaled ? std::countr_zero(i.size) : 0);
    if (i.is_pair()) {
      lea(ecx, ptr[rdx + (is_scaled ? 1 : static_cast<int>(size) - 1)]);
      shr(ecx, shift);
      mov(byte[rsi + rcx], stored_to);
    }
    shr(edx, shift);
    mov(byte[rsi + rdx], stored_to);
  }
  void emit_store_one(const PlainInstruction& i, unsigned guest, const Xbyak::RegExp& to) {
    if (!i.is_vector && guest == zero_register) {
      if (i.size == 8) mov(qword[to], 0);
      if (i.size == 4) mov(dword[to], 0);
      if (i.size == 2) mov(word[to], 0);
      if (i.size == 1) mov(byte[to], 0);
      return;
    }
    if (i.size == 16) {
      movaps(xmm0, vector_memory(guest));
      movups(ptr[to], xmm0);
      return;
    }
    if (i.is_vector || !is_held(guest)) mov(rax, i.is_vector ? vector_memory(guest) : memory_of(guest));
    const Reg64 from = i.is_vector || !is_held(guest) ? Reg64(rax) : host(guest);
    if (i.size == 8) mov(qword[to], from);
    if (i.size == 4) mov(dword[to], from.cvt32());
    if (i.size == 2) mov(word[to], from.cvt16());
    if (i.size == 1) mov(byte[to], from.cvt8());
  }

  // ---- loads and stores with data caches ----

  // Memory::cached_readable() and cached_writable(). The entry of the line is in rax, the address in rdx.
  void emit_line_access(const PlainInstruction& i, Stub& stub) {
    find_line(rax);
    emit_line_check(stub);
    jne(stub.miss, T_NEAR);
    inc(qword[rax + offsetof(LineFilter::Entry, hits)]);
    mov(byte[rax + offsetof(LineFilter::Entry, behind_is_last)], 0);
    L(stub.hit);
    stubs_.push_back(stub);
    mov(rcx, qword[rax + offsetof(LineFilter::Entry, host)]);
    const Xbyak::RegExp at = rcx + rdx;
    if (i.is_load()) {
      if (i.is_pair()) emit_load_one(i, i.rm, at + i.size);
      emit_load_one(i, i.rd, at);
      return;
    }
    mov(rsi, qword[rax + offsetof(LineFilter::Entry, dirty)]);
    emit_store_one(i, i.rd, at);
    if (i.is_pair()) emit_store_one(i, i.rm, at + i.size);
    mov(byte[rsi], stored_to);
  }
  void find_line(const Reg64& into) {
    mov(into.cvt32(), edx);
    and_(into.cvt32(), dword[rdi + layout_.line_offset_mask]);
    add(into, qword[rdi + layout_.lines]);
  }
  // The line of the entry at rax permits the access at rdx, which becomes the offset in the line: the host's
  // condition is Z.
  void emit_line_check(const Stub& stub) {
    sub(rdx, qword[rax + (stub.is_load ? offsetof(LineFilter::Entry, load_line)
                                       : offsetof(LineFilter::Entry, store_line))]);
    const auto mask = static_cast<std::int32_t>(~(Memory::line - stub.element));
    if (stub.size == stub.element) {
      test(rdx, mask);
    } else {
      lea(rcx, ptr[rdx + static_cast<int>(stub.size - stub.element)]);
      test(rcx, mask);
    }
  }
  void emit_line_stub(Stub& stub) {
    Label by_handler;
    L(stub.miss);
    block_ = stub.block;
    emit_address(stub.block->instructions[stub.at], rdx);
    find_line(rsi);
    mov(eax, dword[rdi + layout_.line_offset_mask]);
    lea(rax, ptr[rsi + rax + sizeof(LineFilter::Entry)]);  // LineFilter::behind_of()
    emit_line_check(stub);
    jne(by_handler);
    inc(qword[rax + offsetof(LineFilter::Entry, hits)]);
    mov(byte[rsi + offsetof(LineFilter::Entry, behind_is_last)], 1);
    jmp(stub.hit, T_NEAR);
    L(by_handler);
    by_handler_at(*stub.block, stub.at);
  }

  // ---- what is rare, behind the blocks ----

  // Whether the offset is counted in elements, so that one comparison finds out whether both elements of a pair
  // are aligned and in the page.
  static bool is_scaled(const Stub& stub) { return stub.size != stub.element && stub.element <= 8; }

  // The entry at rcx permits the access at rdx, which becomes the offset in the page (Memory::readable(),
  // writable()): the host's condition is Z, or of a scaled one "below or equal".
  void emit_check(const Stub& stub) {
    sub(rdx, qword[rcx + (stub.is_load ? offsetof(TlbEntry, read_page) : offsetof(TlbEntry, write_page))]);
    const auto mask = static_cast<std::int32_t>(~(Memory::page_size - stub.element));
    if (is_scaled(stub)) {
      ror(rdx, std::countr_zero(stub.element));
      cmp(rdx, static_cast<int>((Memory::page_size - stub.size) / stub.element));
    } else if (stub.size == stub.element) {
      test(rdx, mask);
    } else {
      lea(rsi, ptr[rdx + static_cast<int>(stub.size - stub.element)]);
      or_(rsi, rdx);
      test(rsi, mask);
    }
  }

  // The access is in another page than last time, or not for the fast path at all.
  void emit_stub(Stub& stub) {
    if (region_.has_line_filter) return emit_line_stub(stub);
    L(stub.miss);
    block_ = stub.block;
    emit_address(stub.block->instructions[stub.at], rdx);
    call(lookup_);
    mov(qword[rdi + stub.recent], rcx);
    emit_check(stub);
    jump_if(is_scaled(stub) ? Condition::be : Condition::e, stub.hit);
    by_handler_at(*stub.block, stub.at);
  }
  // rcx: the entry of the address in rdx (Memory::slot_of()).
  void emit_lookup() {
    L(lookup_);
    mov(rax, rdx);
    shr(rax, 12);
    mov(rcx, rdx);
    shr(rcx, 21);
    lea(ecx, ptr[rcx + rcx * 4]);
    add(ecx, eax);
    and_(ecx, Memory::tlb_entries - 1);
    shl(ecx, std::countr_zero(sizeof(TlbEntry)));
    add(rcx, qword[rdi + layout_.tlb]);
    ret();
  }

  void by_handler_at(const RegionBlock& block, std::size_t at) {
    mov(rsi, reinterpret_cast<std::uint64_t>(block.block->operations() + at));
    mov(rax, reinterpret_cast<std::uint64_t>(block.handlers[at]));
    jmp(leave_[number(block)], T_NEAR);
  }
  // Continues with the handler in rax for the operation in rsi.
  void emit_leave() {
    L(leave_[number(*block_)]);
    write_back();
    mov(rcx, reinterpret_cast<std::uint64_t>(block_->block));
    mov(qword[rdi + layout_.block], rcx);
    jmp(rax);
  }
  void write_back() {
    for (const std::uint8_t guest : region_.held)
      if (region_.written >> guest & 1) mov(memory_of(guest), host(guest));
    timed_ ? mov(qword[rdi + layout_.budget], r15) : mov(dword[rdi + layout_.budget + 4], r15d);
  }
  void emit_reload() {
    for (const std::uint8_t guest : region_.held) mov(host(guest), memory_of(guest));
    timed_ ? mov(r15, qword[rdi + layout_.budget]) : mov(r15d, dword[rdi + layout_.budget + 4]);
  }
  Handler here() const { return reinterpret_cast<Handler>(reinterpret_cast<std::uintptr_t>(getCurr())); }

  void emit_entries() {
    block_->entry = here();
    emit_reload();
    jmp(starts_[number(*block_)], T_NEAR);
    for (const auto& [block, at, body] : continued_) {
      if (block != block_) continue;
      block->continuations[at] = here();
      mov(rax, body);
      jmp(reload_, T_NEAR);
    }
    L(overdrawn_[number(*block_)]);
    mov(rsi, reinterpret_cast<std::uint64_t>(exits_.overdrawn));
    mov(rax, reinterpret_cast<std::uint64_t>(exits_.overdrawn->run));
    jmp(leave_[number(*block_)], T_NEAR);
  }

  // ---- exits of blocks ----

  void emit_branch(const PlainInstruction& i) {
    Label taken;
    constexpr unsigned always = 14;
    switch (i.meaning) {
      case branch_if:
        if (i.condition >= always) return exit(true);
        jump_if(condition_of(i.condition), taken);
        break;
      case branch_if_zero:
      case branch_if_not_zero: {
        const Reg r = sized(use(i.rn, rax, i.is_x), i.is_x);
        test(r, r);
        i.meaning == branch_if_zero ? jz(taken, T_NEAR) : jnz(taken, T_NEAR);
        break;
      }
      default:
        if (i.amount < 31) {
          test(use(i.rn, rax).cvt32(), 1u << i.amount);
          i.meaning == branch_if_bit_clear ? jz(taken, T_NEAR) : jnz(taken, T_NEAR);
        } else {
          bt(use(i.rn, rax), i.amount);
          i.meaning == branch_if_bit_clear ? jnc(taken, T_NEAR) : jc(taken, T_NEAR);
        }
    }
    exit(false);
    L(taken);
    exit(true);
  }

  void exit(bool taken) {
    const int to = taken ? block_->taken : block_->next;
    if (to != RegionBlock::none) return enter(static_cast<std::size_t>(to));
    Label slow;
    const Link& link = taken ? block_->block->taken : block_->block->next;
    write_back();
    mov(rcx, reinterpret_cast<std::uint64_t>(&link));
    mov(rax, qword[rdi + layout_.epoch]);
    cmp(rax, qword[rcx + layout_.link_epoch]);
    jne(slow);
    mov(rcx, qword[rcx + layout_.link_block]);
    enter_found_block();
    L(slow);
    const std::size_t last = block_->instructions.size() - (taken ? 1 : 0);
    mov(rsi, reinterpret_cast<std::uint64_t>(block_->block->operations() + last));
    mov(rcx, reinterpret_cast<std::uint64_t>(block_->block));
    mov(qword[rdi + layout_.block], rcx);
    mov(rax, reinterpret_cast<std::uint64_t>(taken ? exits_.taken : exits_.next));
    jmp(rax);
  }

  // Cpu::jump().
  void emit_branch_register(const PlainInstruction& i) {
    Label unknown;
    get(rdx, i.rn);
    mov(rcx, qword[rdi + layout_.jumps]);
    mov(eax, edx);
    shr(eax, 2);
    and_(eax, Cpu::cached_jumps - 1);
    mov(rcx, qword[rcx + rax * 8]);
    cmp(qword[rcx + layout_.pc], rdx);
    jne(unknown, T_NEAR);
    cmp(byte[rcx + layout_.context], block_->block->context);
    jne(unknown, T_NEAR);
    if (i.meaning == branch_and_link_register) {
      set_constant(target(i.rd), pc() + 4);
      put(i.rd, target(i.rd));
    }
    write_back();
    enter_found_block();
    L(unknown);
    by_handler_at(*block_, at_);
  }

  // The one at rcx, with all registers in the state.
  void enter_found_block() {
    Label overdrawn;
    mov(qword[rdi + layout_.block], rcx);
    if (timed_) {
      add(r15, qword[rcx + layout_.charge]);
      mov(qword[rdi + layout_.budget], r15);
    } else {
      add(r15d, dword[rcx + layout_.charge + 4]);
      mov(dword[rdi + layout_.budget + 4], r15d);
    }
    js(overdrawn);
    mov(rsi, qword[rcx + layout_.storage]);
    continue_with_operation();
    L(overdrawn);
    mov(rsi, reinterpret_cast<std::uint64_t>(exits_.overdrawn));
    continue_with_operation();
  }
  // With the one in rsi.
  void continue_with_operation() {
    if constexpr (threaded) {
      jmp(qword[rsi + offsetof(Operation, run)]);
    } else {
      mov(rax, rsi);
      ret();
    }
  }

  // Enters a block of the region.
  void enter(std::size_t to) {
    const std::int64_t charge = region_.blocks[to].block->charge;
    if (timed_) {
      mov(rax, static_cast<std::uint64_t>(charge));
      add(r15, rax);
      js(overdrawn_[to], T_NEAR);
    } else {
      sub(r15d, static_cast<std::int32_t>(-(charge >> 32)));
      jl(overdrawn_[to], T_NEAR);
    }
    jmp(starts_[to], T_NEAR);
  }

  const CpuLayout& layout_;
  const HandlersOfEmitter& exits_;
  const bool timed_;
  const bool has_fma_ = fast_float::host_has_fma();
  Region& region_;
  std::array<std::int8_t, 64> host_{};
  std::vector<Label> starts_, leave_, overdrawn_;
  Label reload_, lookup_;
  std::vector<Stub> stubs_;
  std::deque<FloatStub> float_stubs_;
  Label first_ordinary_, ordinary_, mxcsr_;
  bool is_float_checked_ = false;  // since the block could be entered last
  struct Place {
    RegionBlock* block;
    std::size_t at;
    std::uint64_t body;  // address of its code
  };
  std::vector<Place> continued_;
  RegionBlock* block_ = nullptr;  // that is being translated
  std::size_t at_ = 0;            // its instruction
};

class X86Emitter final : public Emitter {
 public:
  X86Emitter(const CpuLayout& layout, const HandlersOfEmitter& handlers, bool timed)
      : layout_(layout), handlers_(handlers), timed_(timed) {}
  std::size_t host_registers() const override { return host_register_indices.size(); }
  bool emit(Region& region, std::uint8_t* to, std::size_t most) override {
    try {
      Code(layout_, handlers_, timed_, region, to, most).emit();
      return true;
    } catch (const Xbyak::Error& error) {
      if (int{error} == Xbyak::ERR_CODE_IS_TOO_BIG) return false;
      throw;
    }
  }

 private:
  const CpuLayout layout_;
  const HandlersOfEmitter handlers_;
  const bool timed_;
};

}  // namespace

std::unique_ptr<Emitter> make_emitter(const CpuLayout& layout, const HandlersOfEmitter& handlers,
                                      bool timed) {
  return std::make_unique<X86Emitter>(layout, handlers, timed);
}

}  // namespace asterism::a64

#else

namespace asterism::a64 {
std::unique_ptr<Emitter> make_emitter(const CpuLayout&, const HandlersOfEmitter&, bool) { return nullptr; }
}  // namespace asterism::a64

#endif
