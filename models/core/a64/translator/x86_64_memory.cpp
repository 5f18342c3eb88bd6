#include "core/a64/memory.h"
#include "core/a64/translator/x86_64_code.h"

namespace asterism::a64 {

using Second = PlainInstruction::Second;
using Index = PlainInstruction::Index;

void X86Code::emit_address(const PlainInstruction& i, const Reg64& into) {
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

void X86Code::emit_access(const PlainInstruction& i) {
  const auto recent = static_cast<std::int32_t>(pc() / 4 % Memory::recent_entries * sizeof(std::uintptr_t));
  Stub& stub = stubs_.emplace_back();
  stub.position = here();
  stub.size = i.is_pair() ? 2u * i.size : i.size;
  stub.element = i.size;
  stub.is_load = i.is_load();
  stub.recent = layout_.recent + recent;
  emit_address(i, rdx);
  if (region_.has_line_filter) {
    emit_line_access(i, stub);
  } else {
    mov(rcx, qword[rdi + stub.recent]);
    emit_check(stub, is_checked_whole(stub) ? stub.size : stub.element, stub.miss);
    jne(stub.miss, T_NEAR);
    L(stub.hit);
    i.is_load() ? emit_load(i) : emit_store(i, !is_checked_whole(stub));
    L(stub.done);
  }
  if (i.index == Index::offset) return;
  const auto distance = static_cast<std::int32_t>(i.constant);
  is_held(i.rn) ? add(host(i.rn), distance) : add(qword_of(i.rn), distance);
}

void X86Code::emit_load(const PlainInstruction& i) {
  mov(rcx, qword[rcx + offsetof(TlbEntry, to_host)]);
  if (i.is_pair()) emit_load_one(i, i.rm, rcx + rdx + i.size);
  emit_load_one(i, i.rd, rcx + rdx);
}

void X86Code::emit_load_one(const PlainInstruction& i, unsigned guest, const Xbyak::RegExp& from) {
  if (i.is_vector) {
    const Xmm result = vector_target(guest);
    if (i.size == 16) movups(result, ptr[from]);
    if (i.size == 8) movq(result, qword[from]);
    if (i.size == 4) movd(result, dword[from]);
    if (i.size < 4) {
      i.size == 2 ? movzx(esi, word[from]) : movzx(esi, byte[from]);
      movd(result, esi);
    }
    put_vector(guest, result);
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

void X86Code::emit_store(const PlainInstruction& i, bool may_be_in_two_lines) {
  mov(rsi, qword[rcx + offsetof(TlbEntry, to_dirty)]);
  mov(rcx, qword[rcx + offsetof(TlbEntry, to_host)]);
  emit_store_one(i, i.rd, rcx + rdx);
  if (i.is_pair()) emit_store_one(i, i.rm, rcx + rdx + i.size);
  constexpr int shift = std::countr_zero(Memory::line);
  if (may_be_in_two_lines) {
    const int last = (i.is_pair() ? 2 : 1) * i.size - 1;
    lea(rcx, ptr[rdx + last]);
    shr(rcx, shift);
    mov(byte[rsi + rcx], stored_to);
  }
  shr(rdx, shift);
  mov(byte[rsi + rdx], stored_to);
}

void X86Code::emit_store_one(const PlainInstruction& i, unsigned guest, const Xbyak::RegExp& to) {
  if (!i.is_vector && guest == zero_register) {
    if (i.size == 8) mov(qword[to], 0);
    if (i.size == 4) mov(dword[to], 0);
    if (i.size == 2) mov(word[to], 0);
    if (i.size == 1) mov(byte[to], 0);
    return;
  }
  if (i.is_vector && (is_held_vector(guest) || i.size == 16)) {
    const Xmm from = vector_target(guest);
    if (!is_held_vector(guest)) movaps(from, vector_memory(guest));
    if (i.size == 16) movups(ptr[to], from);
    if (i.size == 8) movq(qword[to], from);
    if (i.size == 4) movd(dword[to], from);
    if (i.size < 4) movd(eax, from);
    if (i.size == 2) mov(word[to], ax);
    if (i.size == 1) mov(byte[to], al);
    return;
  }
  if (i.is_vector || !is_held(guest)) mov(rax, i.is_vector ? vector_memory(guest) : memory_of(guest));
  const Reg64 from = i.is_vector || !is_held(guest) ? Reg64(rax) : host(guest);
  if (i.size == 8) mov(qword[to], from);
  if (i.size == 4) mov(dword[to], from.cvt32());
  if (i.size == 2) mov(word[to], from.cvt16());
  if (i.size == 1) mov(byte[to], from.cvt8());
}

// ---- with data caches ----

void X86Code::emit_line_access(const PlainInstruction& i, Stub& stub) {
  find_line(rax);
  emit_line_check(stub);
  jne(stub.miss, T_NEAR);
  inc(qword[rax + offsetof(LineFilter::Entry, hits)]);
  mov(byte[rax + offsetof(LineFilter::Entry, behind_is_last)], 0);
  L(stub.hit);
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

void X86Code::find_line(const Reg64& into) {
  mov(into.cvt32(), edx);
  and_(into.cvt32(), dword[rdi + layout_.line_offset_mask]);
  add(into, qword[rdi + layout_.lines]);
}

void X86Code::emit_line_check(const Stub& stub) {
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

void X86Code::emit_line_stub(Stub& stub) {
  Label by_handler;
  L(stub.miss);
  emit_address(stub.position.instruction(), rdx);
  find_line(rsi);
  mov(eax, dword[rdi + layout_.line_offset_mask]);
  lea(rax, ptr[rsi + rax + sizeof(LineFilter::Entry)]);  // LineFilter::behind_of()
  emit_line_check(stub);
  jne(by_handler);
  inc(qword[rax + offsetof(LineFilter::Entry, hits)]);
  mov(byte[rsi + offsetof(LineFilter::Entry, behind_is_last)], 1);
  jmp(stub.hit, T_NEAR);
  L(by_handler);
  leave_by(stub.position);
}

// ---- what the fast path does not do ----

void X86Code::emit_check(const Stub& stub, unsigned alignment, const Label& otherwise) {
  const auto mask = static_cast<std::int32_t>(~(Memory::page_size - alignment));
  const auto page = qword[rcx + page_of(stub)];
  if (alignment != stub.size) {
    lea(rsi, ptr[rdx + static_cast<int>(stub.size - alignment)]);
    and_(rsi, mask);
    cmp(rsi, page);
    jne(otherwise, T_NEAR);
  }
  mov(rsi, rdx);
  and_(rsi, mask);
  cmp(rsi, page);
}

void X86Code::emit_stub(Stub& stub) {
  if (region_.has_line_filter) return emit_line_stub(stub);
  const PlainInstruction& i = stub.position.instruction();
  Label in_page, in_other_page, unaligned;
  const bool may_be_in_two_lines = !i.is_load() && stub.size > 1;
  Label& hit = may_be_in_two_lines ? in_page : stub.hit;
  L(stub.miss);
  if (i.is_pair() && is_checked_whole(stub)) {
    emit_check(stub, stub.element, in_other_page);
    je(hit, T_NEAR);
  }
  L(in_other_page);
  call(lookup_);
  mov(qword[rdi + stub.recent], rcx);
  emit_check(stub, stub.element, unaligned);
  je(hit, T_NEAR);
  L(unaligned);
  if (stub.element > 1) {
    mov(rsi, qword[rcx + page_of(stub)]);
    mov(eax, stub.size - 1);
    call(permits_unaligned_);
    je(hit, T_NEAR);
  }
  leave_by(stub.position);
  if (!may_be_in_two_lines) return;
  L(in_page);
  emit_store(i, true);
  jmp(stub.done, T_NEAR);
}

void X86Code::emit_permits_unaligned() {
  Label outside;
  constexpr auto mask = static_cast<std::int32_t>(Memory::page_mask);
  L(permits_unaligned_);
  add(rax, rdx);
  and_(rax, mask);
  cmp(rax, rsi);
  jne(outside);
  mov(rsi, rcx);
  sub(rsi, qword[rdi + layout_.tlb]);
  add(rsi, qword[rdi + layout_.pages]);
  static_assert(sizeof(TlbPage) == sizeof(TlbEntry));
  cmp(byte[rsi + offsetof(TlbPage, asks_for_alignment)], 0);
  L(outside);
  ret();
}

void X86Code::emit_lookup() {
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

}  // namespace asterism::a64
