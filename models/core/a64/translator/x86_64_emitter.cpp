#include <bit>

#include "core/a64/cpu.h"
#include "core/a64/translator/x86_64_code.h"

namespace asterism::a64 {

using enum Meaning;

namespace {

constexpr std::array host_register_indices = {Xbyak::Operand::RBX, Xbyak::Operand::RBP, Xbyak::Operand::R8,
                                              Xbyak::Operand::R9,  Xbyak::Operand::R10, Xbyak::Operand::R11,
                                              Xbyak::Operand::R12, Xbyak::Operand::R13, Xbyak::Operand::R14};

class X86Emitter final : public Emitter {
 public:
  X86Emitter(const CpuLayout& layout, const HandlersOfEmitter& handlers, bool timed)
      : layout_(layout), handlers_(handlers), timed_(timed) {}
  HostRegisters host_registers() const override {
    return {host_register_indices.size(), X86Code::most_vectors};
  }
  bool emit(Region& region, std::uint8_t* to, std::size_t most) override {
    try {
      X86Code(layout_, handlers_, timed_, region, to, most).emit();
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

std::unique_ptr<Emitter> make_host_emitter(const CpuLayout& layout, const HandlersOfEmitter& handlers,
                                           bool timed) {
  return std::make_unique<X86Emitter>(layout, handlers, timed);
}

X86Code::X86Code(const CpuLayout& layout, const HandlersOfEmitter& handlers, bool timed, Region& region,
                 std::uint8_t* to, std::size_t most)
    : CodeGenerator(most, to), layout_(layout), exits_(handlers), timed_(timed), region_(region) {
  host_.fill(no_register);
  for (std::size_t i = 0; i < region.held.size(); ++i)
    host_[region.held[i]] = static_cast<std::int8_t>(host_register_indices[i]);
  host_vectors_.fill(no_register);
  for (std::size_t i = 0; i < region.held_vectors.size(); ++i)
    host_vectors_[region.held_vectors[i]] = static_cast<std::int8_t>(first_vector + i);
}

void X86Code::emit() {
  labels_.resize(region_.blocks.size());
  for (RegionBlock& block : region_.blocks) {
    block_ = &block;
    emit_block();
  }
  for (Stub& stub : stubs_) emit_stub(stub);
  for (FloatStub& stub : float_stubs_) emit_float_stub(stub);
  for (RegionBlock& block : region_.blocks) {
    block_ = &block;
    emit_entries();
  }
  emit_shared();
  region_.bytes = getSize();
}

void X86Code::emit_block() {
  host_flags_ = Kind::none;
  is_float_checked_ = false;
  block_->continuations.assign(block_->instructions.size(), nullptr);
  L(labels_of(*block_).start);
  for (at_ = 0; at_ < block_->instructions.size(); ++at_) {
    const PlainInstruction& i = block_->instructions[at_];
    if (is_reached() && emit_instruction(i)) return;
  }
  exit(false);
}

bool X86Code::is_by_handler(const PlainInstruction& i) const {
  return i.meaning == by_handler || (i.meaning == float_multiply_add && !has_fma_);
}

void X86Code::continue_behind() {
  host_flags_ = Kind::none;
  is_float_checked_ = false;
  // Two handlers follow each other without the translator.
  if (at_ + 1 < block_->instructions.size() && !is_by_handler(block_->instructions[at_ + 1]))
    L(continued_.emplace_back(block_, at_ + 1).body);
}

bool X86Code::emit_instruction(const PlainInstruction& i) {
  if (is_by_handler(i)) {
    by_handler_at(*block_, at_);
    continue_behind();
    return at_ + 1 == block_->instructions.size();
  }
  switch (i.meaning) {
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

// ---- between the translator and handlers ----

void X86Code::by_handler_at(const RegionBlock& block, std::size_t at) {
  labels_of(block).is_left = true;
  set_pointer(rsi, block.block->operations() + at);
  set_pointer(rax, block.handlers[at]);
  jmp(labels_of(block).leave, T_NEAR);
}

void X86Code::write_back() {
  for (const std::uint8_t guest : region_.held)
    if (region_.written >> guest & 1) mov(memory_of(guest), host(guest));
  for (const std::uint8_t guest : region_.held_vectors)
    if (region_.written_vectors >> guest & 1) movaps(vector_memory(guest), host_vector(guest));
}

void X86Code::write_budget() {
  timed_ ? mov(qword[rdi + layout_.budget], r15) : mov(dword[rdi + layout_.budget + 4], r15d);
}

void X86Code::reload() {
  for (const std::uint8_t guest : region_.held) mov(host(guest), memory_of(guest));
  for (const std::uint8_t guest : region_.held_vectors) movaps(host_vector(guest), vector_memory(guest));
  timed_ ? mov(r15, qword[rdi + layout_.budget]) : mov(r15d, dword[rdi + layout_.budget + 4]);
}

void X86Code::emit_entries() {
  LabelsOfBlock& labels = labels_of(*block_);
  block_->entry = getCurr<Handler>();
  call(reload_);
  jmp(labels.start, T_NEAR);
  for (Continued& each : continued_) {
    if (each.block != block_) continue;
    block_->continuations[each.at] = getCurr<Handler>();
    call(reload_);
    jmp(each.body, T_NEAR);
  }
  if (labels.is_left) {
    // With the operation in rsi and the handler in rax.
    L(labels.leave);
    write_back();
    write_budget();
    set_pointer(rcx, block_->block);
    mov(qword[rdi + layout_.block], rcx);
    jmp(rax);
  }
  if (labels.is_entered) {
    L(labels.overdrawn);
    set_pointer(rcx, block_->block);
    jmp(overdrawn_, T_NEAR);
  }
}

// What the blocks of the region have in common.
void X86Code::emit_shared() {
  // The block in rcx is charged, and the budget does not suffice.
  L(overdrawn_);
  call(write_back_);
  mov(qword[rdi + layout_.block], rcx);
  L(overdrawn_with_state_);
  set_pointer(rsi, exits_.overdrawn);
  continue_with_operation();

  L(reload_);
  reload();
  ret();
  L(write_back_);
  write_back();
  write_budget();
  ret();

  emit_stale(true);
  emit_stale(false);

  if (!stubs_.empty() && !region_.has_line_filter) emit_lookup();
  if (!float_stubs_.empty()) emit_float_constants();
}

// ---- exits of blocks ----

void X86Code::emit_branch(const PlainInstruction& i) {
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

void X86Code::exit(bool taken) {
  const int to = taken ? block_->taken : block_->next;
  if (to != RegionBlock::none) {
    const Block& block = *region_.blocks[static_cast<std::size_t>(to)].block;
    if (!block.is_in_line) return enter(static_cast<std::size_t>(to));
    // Unless its line has to be fetched.
    Label held;
    set_pointer(rax, &block.held);
    cmp(qword[rax], 0);
    jne(held);
    enter(static_cast<std::size_t>(to));
    L(held);
  }
  // The way out is not shared with other exits, so that the host can predict where each leads.
  set_pointer(rcx, taken ? &block_->block->taken : &block_->block->next);
  write_back();
  mov(rax, qword[rdi + layout_.epoch]);
  cmp(rax, qword[rcx + layout_.link_epoch]);
  jne(stale_[taken], T_NEAR);
  mov(rcx, qword[rcx + layout_.link_block]);
  enter_found_block();
}

// The link in rcx is not valid. Its block finds the next one.
void X86Code::emit_stale(bool taken) {
  L(stale_[taken]);
  write_budget();
  sub(rcx, taken ? layout_.taken : layout_.next);
  mov(qword[rdi + layout_.block], rcx);
  mov(esi, dword[rcx + layout_.count]);
  if (taken) dec(esi);
  shl(esi, std::countr_zero(sizeof(Operation)));
  add(rsi, qword[rcx + layout_.storage]);
  set_pointer(rax, taken ? exits_.taken : exits_.next);
  jmp(rax);
}

void X86Code::emit_branch_register(const PlainInstruction& i) {
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

void X86Code::enter_found_block() {
  mov(qword[rdi + layout_.block], rcx);
  if (timed_) {
    add(r15, qword[rcx + layout_.charge]);
    mov(qword[rdi + layout_.budget], r15);
  } else {
    add(r15d, dword[rcx + layout_.charge + 4]);
    mov(dword[rdi + layout_.budget + 4], r15d);
  }
  js(overdrawn_with_state_, T_NEAR);
  mov(rsi, qword[rcx + layout_.storage]);
  continue_with_operation();
}

void X86Code::continue_with_operation() {
  if constexpr (threaded) {
    jmp(qword[rsi + offsetof(Operation, run)]);
  } else {
    mov(rax, rsi);
    ret();
  }
}

void X86Code::enter(std::size_t to) {
  labels_[to].is_entered = true;
  const std::int64_t charge = region_.blocks[to].block->charge;
  if (timed_) {
    mov(rax, static_cast<std::uint64_t>(charge));
    add(r15, rax);
    js(labels_[to].overdrawn, T_NEAR);
  } else {
    sub(r15d, static_cast<std::int32_t>(-(charge >> 32)));
    jl(labels_[to].overdrawn, T_NEAR);
  }
  jmp(labels_[to].start, T_NEAR);
}

}  // namespace asterism::a64
