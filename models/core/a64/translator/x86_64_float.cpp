#include "core/a64/translator/x86_64_code.h"

namespace asterism::a64 {

using enum Meaning;

void X86Code::get_float(const Xmm& into, unsigned guest, bool is_double) {
  if (is_held_vector(guest)) return movaps(into, host_vector(guest));
  is_double ? movsd(into, vector_memory(guest)) : movss(into, vector_memory(guest));
}

void X86Code::get_bits(const Reg64& into, unsigned guest, bool is_double) {
  if (!is_held_vector(guest)) return mov(sized(into, is_double), vector_memory(guest));
  is_double ? movq(into, host_vector(guest)) : movd(into.cvt32(), host_vector(guest));
}

void X86Code::put_vector(unsigned guest, const Xmm& from) {
  if (!is_held_vector(guest))
    movaps(vector_memory(guest), from);
  else if (host_vector(guest).getIdx() != from.getIdx())
    movaps(host_vector(guest), from);
}

void X86Code::put_bits(unsigned guest, const Reg64& from, bool is_double) {
  const Xmm result = vector_target(guest);
  is_double ? movq(result, from) : movd(result, from.cvt32());
  put_vector(guest, result);
}

void X86Code::emit_float(const PlainInstruction& i) {
  const bool is_double = i.size == 8;
  switch (i.meaning) {
    case float_to_general: {
      const Reg64 result = target(i.rd);
      get_bits(result, i.rn, is_double);
      return put(i.rd, result);
    }
    case float_from_general:
      return put_bits(i.rd, use(i.rn, rax), is_double);
    case float_move:
      get_bits(rax, i.rn, is_double);
      return put_bits(i.rd, rax, is_double);
    case float_absolute:
    case float_negate:
      get_bits(rax, i.rn, is_double);
      if (i.meaning == float_absolute)
        btr(sized(rax, is_double), 8 * i.size - 1);
      else
        btc(sized(rax, is_double), 8 * i.size - 1);
      return put_bits(i.rd, rax, is_double);
    default:
      break;
  }
  FloatStub& stub = float_stubs_.emplace_back();
  stub.position = here();
  emit_float_arithmetic(i);
  // Twice the result, without the sign: fast_float::is_ordinary().
  if (is_double) {
    movq(rax, xmm0);
    add(rax, rax);
    sub(rax, ptr[rip + first_ordinary_]);
    cmp(rax, ptr[rip + ordinary_]);
  } else {
    movd(eax, xmm0);
    movd(xmm0, eax);
    add(eax, eax);
    sub(eax, static_cast<std::uint32_t>(2 * first_ordinary<Single>));
    cmp(eax, static_cast<std::uint32_t>(2 * ordinary<Single>));
  }
  jae(stub.unusual, T_NEAR);
  L(stub.stands);
  // Clears the upper half, which still is the addend's.
  if (is_double) movq(vector_target(i.rd), xmm0);
  put_vector(i.rd, is_double ? vector_target(i.rd) : Xmm(xmm0));
}

void X86Code::emit_float_arithmetic(const PlainInstruction& i) {
  const bool is_double = i.size == 8;
  const Xbyak::Address in_memory = vector_memory(i.rm);
  const Xmm in_register = is_held_vector(i.rm) ? host_vector(i.rm) : xmm0;
  const Xbyak::Operand& m =
      is_held_vector(i.rm) ? static_cast<const Xbyak::Operand&>(in_register) : in_memory;
  if (i.meaning != float_multiply_add) get_float(xmm0, i.rn, is_double);
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
  get_float(xmm0, i.ra, is_double);
  const Xmm n = is_held_vector(i.rn) ? host_vector(i.rn) : xmm1;
  if (!is_held_vector(i.rn)) get_float(n, i.rn, is_double);
  if (i.negates_product && i.negates_addend)
    is_double ? vfnmsub231sd(xmm0, n, m) : vfnmsub231ss(xmm0, n, m);
  else if (i.negates_product)
    is_double ? vfnmadd231sd(xmm0, n, m) : vfnmadd231ss(xmm0, n, m);
  else if (i.negates_addend)
    is_double ? vfmsub231sd(xmm0, n, m) : vfmsub231ss(xmm0, n, m);
  else
    is_double ? vfmadd231sd(xmm0, n, m) : vfmadd231ss(xmm0, n, m);
}

void X86Code::emit_float_stub(FloatStub& stub) {
  const PlainInstruction& i = stub.position.instruction();
  const bool is_double = i.size == 8;
  const Reg value = sized(rax, is_double);
  Label by_handler;
  L(stub.unusual);
  is_double ? movq(rax, xmm0) : movd(eax, xmm0);
  add(value, value);
  if (i.meaning == float_add || i.meaning == float_subtract) jz(stub.stands, T_NEAR);
  if (i.meaning == float_multiply || i.meaning == float_multiply_add) {
    jnz(by_handler);
    get_bits(rax, i.rn, is_double);
    add(value, value);
    jz(stub.stands, T_NEAR);
    get_bits(rax, i.rm, is_double);
    add(value, value);
    jz(stub.stands, T_NEAR);
  }
  L(by_handler);
  leave_by(stub.position);
}

// While FPSR.IXC is clear, MXCSR collects whether any result was rounded. A result that is not used raises
// the same flag in its handler.
void X86Code::watch_rounding() {
  Label is_known;
  test(byte[rdi + layout_.fpsr], fpsr_bit::ixc);
  jnz(is_known);
  ldmxcsr(ptr[rip + mxcsr_]);
  L(is_known);
}

void X86Code::write_rounding() {
  Label is_known;
  test(byte[rdi + layout_.fpsr], fpsr_bit::ixc);
  jnz(is_known);
  call(write_rounding_);
  L(is_known);
}

// Keeps all registers.
void X86Code::emit_write_rounding() {
  constexpr int rounded = 1 << 5;  // MXCSR.PE
  Label end;
  L(write_rounding_);
  stmxcsr(dword[rsp - 8]);
  test(byte[rsp - 8], rounded);
  jz(end);
  or_(dword[rdi + layout_.fpsr], fpsr_bit::ixc);
  L(end);
  ret();
}

void X86Code::emit_float_constants() {
  align(8);
  L(first_ordinary_);
  dq(2 * first_ordinary<Double>);
  L(ordinary_);
  dq(2 * ordinary<Double>);
  L(mxcsr_);
  dd(0x1f80);  // rounds to nearest, without exceptions
}

}  // namespace asterism::a64
