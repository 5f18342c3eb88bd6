#include <utility>

#include "core/a64/translator/x86_64_code.h"

namespace asterism::a64 {

using enum Meaning;
using Second = PlainInstruction::Second;

namespace {

bool is_signed_32(std::uint64_t value) {
  return value == static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
}

}  // namespace

// ---- registers of the guest ----

void X86Code::get(const Reg64& into, unsigned guest, bool is_x) {
  if (guest == zero_register)
    mov(into.cvt32(), 0);
  else if (is_held(guest))
    mov(sized(into, is_x), sized(host(guest), is_x));
  else
    mov(sized(into, is_x), memory_of(guest));
}

X86Code::Reg64 X86Code::use(unsigned guest, const Reg64& otherwise, bool is_x) {
  if (is_held(guest)) return host(guest);
  get(otherwise, guest, is_x);
  return otherwise;
}

void X86Code::put(unsigned guest, const Reg64& from) {
  if (guest == discarded) return;
  if (!is_held(guest))
    mov(memory_of(guest), from);
  else if (host(guest) != from)
    mov(host(guest), from);
}

X86Code::Reg64 X86Code::target(unsigned guest, const Reg64& otherwise) const {
  return guest != discarded && is_held(guest) ? host(guest) : otherwise;
}

void X86Code::set_pointer(const Reg64& reg, const void* value) {
  set_constant(reg, reinterpret_cast<std::uint64_t>(value));
}

void X86Code::set_constant(const Reg64& reg, std::uint64_t value) {
  if (value >> 32 == 0)
    mov(reg.cvt32(), static_cast<std::uint32_t>(value));
  else
    mov(reg, value);
}

X86Code::Value X86Code::second(const PlainInstruction& i) {
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

void X86Code::shift_by(const Reg& reg, Shift shift, int amount) {
  if (amount == 0) return;
  if (shift == Shift::lsl) shl(reg, amount);
  if (shift == Shift::lsr) shr(reg, amount);
  if (shift == Shift::asr) sar(reg, amount);
  if (shift == Shift::ror) ror(reg, amount);
}

void X86Code::extend(const Reg64& into, unsigned guest, unsigned bytes, bool with_sign, bool is_x) {
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

bool X86Code::holds_result(const PlainInstruction& i) {
  return i.rd != discarded && (i.rd == i.rn || i.meaning == bit_and);
}

bool X86Code::can_be_unwritten(const PlainInstruction& i, bool loops) const {
  // What its flags are computed from.
  std::uint64_t from = std::uint64_t{1} << (holds_result(i) ? i.rd : i.rn);
  if (i.second != Second::constant && !(holds_result(i) && i.meaning == bit_and)) {
    if (i.rd == i.rm) return false;
    from |= std::uint64_t{1} << i.rm;
  }
  bool may_be = true, is_changed = false, is_over = false;
  const auto follow = [&](const PlainInstruction& next) {
    if (is_over) return;
    if (next.may_need_handler() || next.reads_flags()) may_be &= !is_changed;
    is_over = next.sets_flags || next.meaning == by_handler;
    is_changed |= (registers_written(next) & from) != 0;
  };
  const auto& instructions = block_->instructions;
  const auto at = static_cast<std::size_t>(&i - instructions.data());
  for (std::size_t behind = at + 1; behind < instructions.size(); ++behind) follow(instructions[behind]);
  if (!is_over) may_be &= !is_changed;
  for (std::size_t first = 0; first < instructions.size() && loops; ++first) follow(instructions[first]);
  return may_be;
}

void X86Code::compute_flags_again(const PlainInstruction& i) {
  const Reg r = sized(rax, i.is_x);
  if (holds_result(i) && i.meaning == bit_and) {
    get(rax, i.rd, i.is_x);
    test(r, r);
    host_flags_ = Kind::logic;
    return;
  }
  const Value b = second(i);
  const Reg m = sized(b.reg, i.is_x);
  const auto apply = [&](Meaning meaning) {
    if (meaning == addition) b.number ? add(r, *b.number) : add(r, m);
    if (meaning == subtraction) b.number ? sub(r, *b.number) : sub(r, m);
    if (meaning == bit_and) b.number ? and_(r, *b.number) : and_(r, m);
  };
  get(rax, i.rn, i.is_x);
  if (holds_result(i)) apply(i.meaning == addition ? subtraction : addition);
  apply(i.meaning);
  host_flags_ = kind_of(i);
}

void X86Code::write_unwritten() {
  if (!unwritten_) return;
  const PlainInstruction& i = *std::exchange(unwritten_, nullptr);
  if (host_flags_ == Kind::none || !holds_result(i))
    compute_flags_again(i);
  else
    get(rax, i.rd, i.is_x);
  write_flags(host_flags_, rax, i.is_x);
}

X86Code::Kind X86Code::kind_of(const PlainInstruction& i) {
  return i.meaning == addition ? Kind::sum : i.meaning == subtraction ? Kind::difference : Kind::logic;
}

void X86Code::write_flags(Kind kind, const Reg64& result, bool is_x) {
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

void X86Code::write_flags(unsigned nzcv) {
  mov(qword[rdi + layout_.negative], static_cast<std::int32_t>(nzcv & 8 ? 0x8000'0000 : 0));
  mov(qword[rdi + layout_.zero_if], nzcv & 4 ? 0 : 1);
  mov(word[rdi + layout_.c], static_cast<int>((nzcv >> 1 & 1) | (nzcv & 1) << 8));
}

std::optional<X86Condition> X86Code::by_host_flags(Kind flags, unsigned condition) {
  using enum X86Condition;
  constexpr X86Condition after_difference[] = {e, ne, ae, b, s, ns, o, no, a, be, ge, l, g, le};
  constexpr X86Condition after_sum[] = {e, ne, b, ae, s, ns, o, no, a, a, ge, l, g, le};
  if (condition >= always || flags == Kind::none) return std::nullopt;
  if (flags == Kind::difference) return after_difference[condition];
  if (condition == 8 || condition == 9) return std::nullopt;  // HI, LS
  return after_sum[condition];
}

X86Condition X86Code::condition_of(unsigned condition) {
  if (const auto direct = by_host_flags(host_flags_, condition)) return *direct;
  if (unwritten_ && by_host_flags(kind_of(*unwritten_), condition)) {
    compute_flags_again(*unwritten_);
    return *by_host_flags(host_flags_, condition);
  }
  write_unwritten();
  host_flags_ = Kind::none;
  using enum X86Condition;
  const auto negative_to_al = [this] {
    mov(rax, qword[rdi + layout_.negative]);
    shr(rax, 63);
  };
  X86Condition result = ne;
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

void X86Code::jump_if(X86Condition condition, const Label& label) {
  using enum X86Condition;
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

void X86Code::move_if(X86Condition condition, const Reg& into, const Reg& from) {
  using enum X86Condition;
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

// ---- instructions ----

void X86Code::emit_set(const PlainInstruction& i) {
  if (i.rd == discarded) return;
  if (!is_held(i.rd) && is_signed_32(i.constant)) {
    mov(qword_of(i.rd), static_cast<std::int32_t>(i.constant));
    return;
  }
  const Reg64 result = target(i.rd);
  set_constant(result, i.constant);
  put(i.rd, result);
}

void X86Code::emit_binary(const PlainInstruction& i) {
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
  const bool is_unwritten = i.sets_flags && is_needed() && can_be_unwritten(i, false);
  if (i.sets_flags) unwritten_ = is_unwritten ? &i : nullptr;
  const bool writes_flags = i.sets_flags && is_needed() && !is_unwritten;
  // A comparison needs no result, unless flags have to be written.
  const bool is_comparison = i.rd == discarded && i.sets_flags && !writes_flags;
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
    host_flags_ = kind_of(i);
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
    host_flags_ = kind_of(i);
    if (writes_flags) write_flags(host_flags_, result, i.is_x);
  }
  put(i.rd, result);
}

void X86Code::emit_select(const PlainInstruction& i) {
  const bool is_always = i.condition >= always;
  const X86Condition condition = is_always ? X86Condition::e : condition_of(i.condition);
  get(rcx, i.rm, i.is_x);
  const Reg other = sized(rcx, i.is_x);
  if (i.meaning == select_invert || i.meaning == select_negate) not_(other);
  if (i.meaning == select_increment || i.meaning == select_negate) lea(other, ptr[rcx + 1]);
  get(rax, i.rn, i.is_x);
  if (!is_always) move_if(opposite(condition), sized(rax, i.is_x), other);
  put(i.rd, rax);
}

void X86Code::emit_compare_if(const PlainInstruction& i) {
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
  unwritten_ = nullptr;
}

void X86Code::emit_unary_or_multiply(const PlainInstruction& i) {
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

void X86Code::emit_divide(const PlainInstruction& i) {
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

}  // namespace asterism::a64
