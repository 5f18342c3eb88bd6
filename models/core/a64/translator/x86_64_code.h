// Code for x86-64.
//
//   rdi                     the Cpu, also when a handler is called, which leaves it there
//   r15                     the budget
//   rax, rcx, rdx, rsi      for anything
//   the rest, without rsp   registers of the guest
//   xmm0, xmm1              for anything
//   xmm2 to xmm15           SIMD and floating-point registers of the guest
#pragma once

#include <xbyak/xbyak.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/a64/fast_float.h"
#include "core/a64/translator/emitter.h"

namespace asterism::a64 {

// Conditions of x86, as in its encodings.
enum class X86Condition : std::uint8_t { o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g };
constexpr X86Condition opposite(X86Condition condition) {
  return static_cast<X86Condition>(static_cast<unsigned>(condition) ^ 1);
}

// The code of one region.
class X86Code : private Xbyak::CodeGenerator {
 public:
  static constexpr std::size_t first_vector = 2, most_vectors = 16 - first_vector;

  X86Code(const CpuLayout& layout, const HandlersOfEmitter& handlers, bool timed, Region& region,
          std::uint8_t* to, std::size_t most);

  void emit();

 private:
  using Label = Xbyak::Label;
  using Reg = Xbyak::Reg;
  using Reg64 = Xbyak::Reg64;
  using Xmm = Xbyak::Xmm;
  static constexpr std::int8_t no_register = -1;
  static constexpr unsigned always = 14;  // the first of the conditions that are always true

  // An instruction that a handler may have to execute, and what has set flags that are not in the state.
  struct Position {
    RegionBlock* block = nullptr;
    std::size_t at = 0;
    const PlainInstruction* flags = nullptr;

    const PlainInstruction& instruction() const { return block->instructions[at]; }
  };
  Position here() const { return {block_, at_, unwritten_}; }

  // What an access does if the check of its fast path fails, which goes to `miss`. The stub may go to `hit`,
  // where the fast path makes the access, or to `done` behind it.
  struct Stub {
    Position position;
    unsigned size = 0, element = 0;
    bool is_load = false;
    std::int32_t recent = 0;
    Label miss{}, hit{}, done{};
  };

  // ---- where things are ----

  struct WayToHandlers {
    const PlainInstruction* flags = nullptr;
    Label label{};
  };
  struct LabelsOfBlock {
    Label start{}, overdrawn{};
    bool is_entered = false;  // `overdrawn` is used
    bool has_float_arithmetic = false;
    Label checked{};          // where blocks without floating-point arithmetic enter this one, which has some
    bool is_checked = false;  // `checked` is used
    std::deque<WayToHandlers> ways_to_handlers{};
    // Of the code for all but the first iteration.
    Label again{}, overdrawn_again{};
    const PlainInstruction* flags_again = nullptr;
  };
  int index_of(const RegionBlock& block) const { return static_cast<int>(&block - region_.blocks.data()); }
  LabelsOfBlock& labels_of(const RegionBlock& block) {
    return labels_[static_cast<std::size_t>(index_of(block))];
  }
  Xbyak::Address state(std::int32_t at) const { return ptr[rdi + at]; }
  Xbyak::Address memory_of(unsigned guest) const { return state(layout_.x + 8 * static_cast<int>(guest)); }
  Xbyak::Address vector_memory(unsigned guest) const {
    return state(layout_.v + 16 * static_cast<int>(guest));
  }
  Xbyak::Address qword_of(unsigned guest) const {
    const std::int32_t at = layout_.x + 8 * static_cast<int>(guest);
    return qword[rdi + at];
  }
  bool is_held(unsigned guest) const { return host_[guest] != no_register; }
  bool is_held_vector(unsigned guest) const { return host_vectors_[guest] != no_register; }
  Xmm host_vector(unsigned guest) const { return Xmm(host_vectors_[guest]); }
  Reg64 host(unsigned guest) const { return Reg64(host_[guest]); }
  static Reg sized(const Reg64& reg, bool is_x) { return is_x ? Reg(reg) : Reg(reg.cvt32()); }

  // ---- registers of the guest ----

  // Changes no flags.
  void get(const Reg64& into, unsigned guest, bool is_x = true);
  // A register that has the value, and whose high half has no meaning unless is_x.
  Reg64 use(unsigned guest, const Reg64& otherwise, bool is_x = true);
  void put(unsigned guest, const Reg64& from);
  // A register to compute a result in, which put() then takes.
  Reg64 target(unsigned guest, const Reg64& otherwise = Xbyak::util::rax) const;
  void set_constant(const Reg64& reg, std::uint64_t value);
  void set_pointer(const Reg64& reg, const void* value);
  void set_pointer(const Reg64& reg, Handler value) {
    set_constant(reg, reinterpret_cast<std::uint64_t>(value));
  }

  // The second operand: a number, or a register, rcx unless it needs no change.
  struct Value {
    std::optional<std::int32_t> number;
    Reg64 reg;
  };
  Value second(const PlainInstruction& i);
  void shift_by(const Reg& reg, Shift shift, int amount);
  void extend(const Reg64& into, unsigned guest, unsigned bytes, bool with_sign, bool is_x);

  // ---- flags ----

  // What the host's flags are: those of the last instruction that set flags, if nothing has changed them.
  enum class Kind : std::uint8_t { none, sum, difference, logic };
  Kind host_flags_ = Kind::none;
  // Has set the guest's flags, which are not in the state: what leaves the region computes them again.
  const PlainInstruction* unwritten_ = nullptr;

  // Whether its flags can be computed again wherever they are needed, with `loops` also in the block's next
  // iteration, up to the next instruction that sets flags.
  bool can_be_unwritten(const PlainInstruction& i, bool loops) const;
  // Its result is still in its first register, or is all that its flags depend on.
  static bool holds_result(const PlainInstruction& i);
  static Kind kind_of(const PlainInstruction& i);
  // Sets the host's flags to those that the instruction has set. The result is in rax; rcx changes.
  void compute_flags_again(const PlainInstruction& i);
  // Of unwritten_, if there is one.
  void write_unwritten();

  // Writes the guest's flags, from the host's and a result. Keeps the host's.
  void write_flags(Kind kind, const Reg64& result, bool is_x);
  void write_flags(unsigned nzcv);

  // The condition of the host that is that of the guest, by the host's flags after an instruction of a kind;
  // nullopt: there is none.
  static std::optional<X86Condition> by_host_flags(Kind flags, unsigned condition);
  // The same for any flags; may first set the host's flags from the guest's. Changes rax, rcx and rdx. Not
  // for AL.
  X86Condition condition_of(unsigned condition);

  void jump_if(X86Condition condition, const Label& label);
  void move_if(X86Condition condition, const Reg& into, const Reg& from);

  // ---- blocks ----

  void emit_block();
  // What sets the flags that the next iteration begins with, if the block is a loop and may leave them
  // unwritten; otherwise nullptr.
  const PlainInstruction* flags_of_loop();
  void emit_instructions(const PlainInstruction* flags);
  // The block is a loop: its iterations but the first, which begin with flags that are not in the state.
  void emit_again();

  bool is_needed() const { return block_->flags_needed >> at_ & 1; }

  bool is_by_handler(const PlainInstruction& i) const;
  // By translated code, or by a handler that the translator continues.
  bool is_reached() const {
    return at_ == 0 || !is_by_handler(block_->instructions[at_]) ||
           !is_by_handler(block_->instructions[at_ - 1]);
  }
  // The next instruction is entered by a handler, too.
  void continue_behind();

  // True: it has left the block.
  bool emit_instruction(const PlainInstruction& i);

  std::uint64_t pc() const { return block_->block->pc + 4 * at_; }

  void emit_set(const PlainInstruction& i);

  void emit_binary(const PlainInstruction& i);

  void emit_select(const PlainInstruction& i);

  void emit_compare_if(const PlainInstruction& i);

  void emit_unary_or_multiply(const PlainInstruction& i);

  void emit_divide(const PlainInstruction& i);

  // ---- floating point ----

  struct FloatStub {
    Position position;
    Label unusual{}, stands{};
  };

  // Whose low part is used.
  void get_float(const Xmm& into, unsigned guest, bool is_double);
  void get_bits(const Reg64& into, unsigned guest, bool is_double);
  // A register to compute in, which put_vector() then takes. A result clears the rest of its register.
  Xmm vector_target(unsigned guest) const { return is_held_vector(guest) ? host_vector(guest) : Xmm(0); }
  void put_vector(unsigned guest, const Xmm& from);
  void put_bits(unsigned guest, const Reg64& from, bool is_double);
  void emit_float(const PlainInstruction& i);
  // To xmm0.
  void emit_float_arithmetic(const PlainInstruction& i);

  // A sum that is zero is exact; so is a product, and a sum with it, if a factor is zero.
  void emit_float_stub(FloatStub& stub);
  template <class T>
  static constexpr T first_ordinary = Float<T>::smallest_normal + 1;
  template <class T>
  static constexpr T ordinary = Float<T>::infinity - first_ordinary<T>;
  void watch_rounding();
  void write_rounding();
  void emit_write_rounding();
  void emit_float_constants();

  // ---- loads and stores ----

  void emit_address(const PlainInstruction& i, const Reg64& into);

  void emit_access(const PlainInstruction& i);
  // The address is in rdx, the page's entry in rcx.
  void emit_load(const PlainInstruction& i);
  void emit_load_one(const PlainInstruction& i, unsigned guest, const Xbyak::RegExp& from);
  void emit_store(const PlainInstruction& i, bool may_be_in_two_lines);
  void emit_store_one(const PlainInstruction& i, unsigned guest, const Xbyak::RegExp& to);

  // ---- loads and stores with data caches ----

  // Memory::cached_readable() and cached_writable(). The entry of the line is in rax, the address in rdx.
  void emit_line_access(const PlainInstruction& i, Stub& stub);
  void find_line(const Reg64& into);
  // The line of the entry at rax permits the access at rdx, which becomes the offset in the line: the host's
  // condition is Z.
  void emit_line_check(const Stub& stub);
  void emit_line_stub(Stub& stub);

  // ---- what is rare, behind the blocks ----

  // A pair in the width of one register is expected to be aligned as a whole, so that it is in one line.
  static bool is_checked_whole(const Stub& stub) { return stub.size <= 16; }
  static std::size_t page_of(const Stub& stub) {
    return stub.is_load ? offsetof(TlbEntry, read_page) : offsetof(TlbEntry, write_page);
  }

  // Whether the entry at rcx permits the access at rdx, and its parts of `alignment` bytes are aligned
  // (Memory::readable(), writable()): the host's condition is Z, unless it has gone to `otherwise`. Changes
  // rsi.
  void emit_check(const Stub& stub, unsigned alignment, const Label& otherwise);

  // The access is in another page than last time, or not for the fast path at all.
  void emit_stub(Stub& stub);
  // rcx: the entry of the address in rdx (Memory::slot_of()).
  void emit_lookup();
  // Whether an access of rax + 1 bytes at rdx is in the page rsi, whose entry lookup_ has found, and need not
  // be aligned: the host's condition is Z. The end decides, as in Memory::is_in_page(). Changes rax and rsi.
  void emit_permits_unaligned();

  // ---- between the translator and handlers ----

  // Continues with the instruction's handler.
  void leave_by(const Position& position);
  // Registers of the guest that have registers of the host.
  void write_back();
  void write_budget();
  void reload();
  // Where code is entered with all registers in the state.
  Handler emit_entry(std::size_t at, const Label& body);
  void emit_ways_to_handlers();
  // The host's arithmetic rounds to nearest and keeps denormals. Whether FPCR asks for something else, so
  // that handlers have to execute a block with arithmetic: the host's condition is NZ.
  void emit_check_of_fpcr();
  // Where the block begins, also by continuations; and where it leaves the region.
  void emit_entries();
  void emit_shared();

  // ---- exits of blocks ----

  void emit_branch(const PlainInstruction& i);

  void exit(bool taken);
  void emit_stale(bool taken);

  // Cpu::jump().
  void emit_branch_register(const PlainInstruction& i);

  // The one at rcx, with all registers in the state.
  void enter_found_block();
  // With the one in rsi.
  void continue_with_operation();

  // Enters a block of the region.
  void enter(int to);
  bool is_in_region(bool taken) const;

  const CpuLayout layout_;
  const HandlersOfEmitter handlers_;
  const bool timed_;
  const bool has_fma_ = fast_float::host_has_fma();
  Region& region_;
  bool has_float_arithmetic_ = false;
  std::array<std::int8_t, 64> host_{};
  std::array<std::int8_t, 32> host_vectors_{};
  std::vector<LabelsOfBlock> labels_;
  std::array<Label, 2> stale_;  // [taken]
  Label overdrawn_, overdrawn_with_state_, reload_, write_back_, lookup_, permits_unaligned_, write_rounding_;
  std::deque<Stub> stubs_;
  std::deque<FloatStub> float_stubs_;
  Label first_ordinary_, ordinary_, mxcsr_;
  // An instruction that is entered by a handler, too.
  struct Continued {
    Continued(RegionBlock* block, std::size_t at) : block(block), at(at) {}
    RegionBlock* block;
    std::size_t at;
    Label body{};
  };
  std::deque<Continued> continued_;
  RegionBlock* block_ = nullptr;  // that is being translated
  std::size_t at_ = 0;            // its instruction
  bool is_again_ = false;         // emit_again()
};

}  // namespace asterism::a64
