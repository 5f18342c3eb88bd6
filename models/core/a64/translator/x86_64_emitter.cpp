#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

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
    : CodeGenerator(most, to), layout_(layout), handlers_(handlers), timed_(timed), region_(region) {
  host_.fill(no_register);
  for (std::size_t i = 0; i < region.held.size(); ++i)
    host_[region.held[i]] = static_cast<std::int8_t>(host_register_indices[i]);
  host_vectors_.fill(no_register);
  for (std::size_t i = 0; i < region.held_vectors.size(); ++i)
    host_vectors_[region.held_vectors[i]] = static_cast<std::int8_t>(first_vector + i);
}

void X86Code::emit() {
  labels_.resize(region_.blocks.size());
  for (const RegionBlock& block : region_.blocks) {
    bool& has_some = labels_of(block).has_float_arithmetic;
    for (const PlainInstruction& i : block.instructions)
      has_some |= i.is_float_arithmetic() && !is_by_handler(i);
    has_float_arithmetic_ |= has_some;
  }
  for (RegionBlock& block : region_.blocks) {
    block_ = &block;
    emit_block();
  }
  for (RegionBlock& block : region_.blocks) {
    block_ = &block;
    if (labels_of(block).flags_again) emit_again();
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
  block_->continuations.assign(block_->instructions.size(), nullptr);
  LabelsOfBlock& labels = labels_of(*block_);
  labels.flags_again = flags_of_loop();
  L(labels.start);
  emit_instructions(nullptr);
}

const PlainInstruction* X86Code::flags_of_loop() {
  const auto& instructions = block_->instructions;
  if (block_->taken != index_of(*block_) || !is_in_region(true)) return nullptr;
  if (std::ranges::any_of(instructions, [this](const PlainInstruction& i) { return is_by_handler(i); }))
    return nullptr;
  for (at_ = instructions.size(); at_-- > 0;) {
    const PlainInstruction& i = instructions[at_];
    if (!i.sets_flags) continue;
    const bool is_binary = i.meaning >= addition && i.meaning <= bit_xor;
    if (!is_binary || !can_be_unwritten(i, true)) return nullptr;
    // Otherwise they are written in each iteration.
    const bool are_unwritten_at_end =
        std::all_of(&i, &instructions.back() + 1, [kind = kind_of(i)](const PlainInstruction& reader) {
          return !reader.reads_flags() || by_host_flags(kind, reader.condition);
        });
    return are_unwritten_at_end ? &i : nullptr;
  }
  return nullptr;
}

void X86Code::emit_again() {
  is_again_ = true;
  L(labels_of(*block_).again);
  emit_instructions(labels_of(*block_).flags_again);
  is_again_ = false;
}

void X86Code::emit_instructions(const PlainInstruction* flags) {
  host_flags_ = Kind::none;
  unwritten_ = flags;
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
  // Two handlers follow each other without the translator.
  if (!is_again_ && at_ + 1 < block_->instructions.size() && !is_by_handler(block_->instructions[at_ + 1]))
    L(continued_.emplace_back(block_, at_ + 1).body);
}

bool X86Code::emit_instruction(const PlainInstruction& i) {
  if (is_by_handler(i)) {
    leave_by(here());
    unwritten_ = nullptr;
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

void X86Code::leave_by(const Position& position) {
  std::deque<WayToHandlers>& ways = labels_of(*position.block).ways_to_handlers;
  auto way = std::ranges::find(ways, position.flags, &WayToHandlers::flags);
  if (way == ways.end()) way = ways.insert(way, {position.flags, {}});
  mov(esi, static_cast<std::uint32_t>(position.at));
  jmp(way->label, T_NEAR);
}

// With the number of the instruction in rsi.
void X86Code::emit_ways_to_handlers() {
  Label all;
  auto& ways = labels_of(*block_).ways_to_handlers;
  for (WayToHandlers& each : ways) {
    L(each.label);
    unwritten_ = each.flags;
    host_flags_ = Kind::none;
    write_unwritten();
    if (&each != &ways.back()) jmp(all, T_NEAR);
  }
  if (ways.empty()) return;
  L(all);
  write_back();
  write_budget();
  set_pointer(rcx, block_->block);
  mov(qword[rdi + layout_.block], rcx);
  set_pointer(rax, block_->handlers.data());
  mov(rax, qword[rax + rsi * sizeof(Handler)]);
  shl(esi, std::countr_zero(sizeof(Operation)));
  add(rsi, qword[rcx + layout_.storage]);
  jmp(rax);
}

void X86Code::write_back() {
  if (has_float_arithmetic_) write_rounding();
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
  if (has_float_arithmetic_) watch_rounding();
}

void X86Code::emit_check_of_fpcr() { test(dword[rdi + layout_.fpcr], fpcr_bit::fz | fpcr_bit::rmode); }

Handler X86Code::emit_entry(std::size_t at, const Label& body) {
  Label by_handlers;
  const auto entry = getCurr<Handler>();
  const bool checks_fpcr = labels_of(*block_).has_float_arithmetic;
  if (checks_fpcr) {
    emit_check_of_fpcr();
    jnz(by_handlers);
  }
  call(reload_);
  jmp(body, T_NEAR);
  if (checks_fpcr) {
    L(by_handlers);
    set_pointer(rax, block_->handlers[at]);
    jmp(rax);
  }
  return entry;
}

void X86Code::emit_entries() {
  LabelsOfBlock& labels = labels_of(*block_);
  block_->entry = emit_entry(0, labels.start);
  for (const Continued& each : continued_)
    if (each.block == block_) block_->continuations[each.at] = emit_entry(each.at, each.body);
  if (labels.is_checked) {
    L(labels.checked);
    emit_check_of_fpcr();
    jz(labels.start, T_NEAR);
    leave_by({block_, 0, nullptr});
  }
  emit_ways_to_handlers();
  if (labels.flags_again) {
    L(labels.overdrawn_again);
    unwritten_ = labels.flags_again;
    host_flags_ = Kind::none;
    write_unwritten();
  }
  if (labels.is_entered || labels.flags_again) {
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
  set_pointer(rsi, handlers_.overdrawn);
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

  if (!stubs_.empty() && !region_.has_line_filter) {
    emit_lookup();
    emit_permits_unaligned();
  }
  if (!has_float_arithmetic_) return;
  emit_write_rounding();
  emit_float_constants();
}

// ---- exits of blocks ----

void X86Code::emit_branch(const PlainInstruction& i) {
  X86Condition condition = X86Condition::e;
  if (i.meaning == branch_if) {
    if (i.condition >= always) return exit(true);
    condition = condition_of(i.condition);
  } else if (i.meaning == branch_if_zero || i.meaning == branch_if_not_zero) {
    const Reg r = sized(use(i.rn, rax, i.is_x), i.is_x);
    test(r, r);
    if (i.meaning == branch_if_not_zero) condition = X86Condition::ne;
    host_flags_ = Kind::none;
  } else {
    const bool is_low = i.amount < 31;
    if (is_low)
      test(use(i.rn, rax).cvt32(), 1u << i.amount);
    else
      bt(use(i.rn, rax), i.amount);
    condition = is_low ? X86Condition::e : X86Condition::ae;
    if (i.meaning == branch_if_bit_set) condition = opposite(condition);
    host_flags_ = Kind::none;
  }
  // The exit that stays in the region comes first.
  const bool first = is_in_region(true);
  Label other;
  jump_if(first ? opposite(condition) : condition, other);
  const auto flags = std::pair(host_flags_, unwritten_);
  exit(first);
  L(other);
  std::tie(host_flags_, unwritten_) = flags;
  exit(!first);
}

// Without a look at the block's line.
bool X86Code::is_in_region(bool taken) const {
  const int to = taken ? block_->taken : block_->next;
  return to != RegionBlock::none && !region_.blocks[static_cast<std::size_t>(to)].block->is_in_line;
}

void X86Code::exit(bool taken) {
  const int to = taken ? block_->taken : block_->next;
  if (is_in_region(taken)) return enter(to);
  write_unwritten();
  if (to != RegionBlock::none) {
    // Unless its line has to be fetched.
    Label held;
    set_pointer(rax, &region_.blocks[static_cast<std::size_t>(to)].block->held);
    cmp(qword[rax], 0);
    jne(held);
    enter(to);
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
  set_pointer(rax, taken ? handlers_.taken : handlers_.next);
  jmp(rax);
}

void X86Code::emit_branch_register(const PlainInstruction& i) {
  Label unknown;
  write_unwritten();
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
  leave_by(here());
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

void X86Code::enter(int to) {
  const auto index = static_cast<std::size_t>(to);
  LabelsOfBlock& labels = labels_[index];
  const bool again = unwritten_ && unwritten_ == labels.flags_again;
  if (!again) {
    write_unwritten();
    labels.is_entered = true;
  }
  const std::int64_t charge = region_.blocks[index].block->charge;
  if (timed_) {
    mov(rax, static_cast<std::uint64_t>(charge));
    add(r15, rax);
  } else {
    sub(r15d, static_cast<std::int32_t>(-(charge >> 32)));
  }
  const bool checks_fpcr = labels.has_float_arithmetic && !labels_of(*block_).has_float_arithmetic;
  labels.is_checked |= checks_fpcr;
  const Label& start = again ? labels.again : checks_fpcr ? labels.checked : labels.start;
  jump_if(timed_ ? X86Condition::ns : X86Condition::ge, start);
  jmp(again ? labels.overdrawn_again : labels.overdrawn, T_NEAR);
}

}  // namespace asterism::a64
