// Exception generation, hints, barriers, PSTATE and system registers (Arm DDI 0487, C4.1.66), ERET. Cache,
// TLB and address translation instructions are in system_maintenance.cpp.
#include <cstring>

#include "core/a64/cpu.h"
#include "core/a64/decoder.h"
#include "core/a64/system_register_table.h"

namespace asterism::a64 {
namespace system {
namespace {

constexpr unsigned ec_wfx = 0x01;
constexpr std::uint32_t pstate_d = 1 << 9, pstate_a = 1 << 8, pstate_i = 1 << 7, pstate_f = 1 << 6;

// ---- exception generation ----

// op.imm is the instruction's immediate.
const Operation* supervisor_call(Cpu& cpu, const Operation& op) {
  return cpu.raise_behind(op, esr::ec_svc, op.imm);
}
const Operation* hypervisor_call(Cpu& cpu, const Operation& op) {
  return cpu.stop(op, Iss::Stop::hypervisor_call);
}
const Operation* breakpoint(Cpu& cpu, const Operation& op) { return cpu.raise(op, esr::ec_brk, op.imm); }
const Operation* semihosting_call(Cpu& cpu, const Operation& op) {
  return cpu.stop(op, Iss::Stop::semihosting_call);
}

// IllegalExceptionReturn() of the manual, for a core with EL0 and EL1 in AArch64.
bool is_illegal_target(std::uint64_t spsr) {
  constexpr std::uint64_t aarch32 = 1 << 4, el2_or_el3 = 1 << 3, reserved = 1 << 1, mode = 0x1f, el0h = 1;
  return (spsr & (aarch32 | el2_or_el3 | reserved)) != 0 || (spsr & mode) == el0h;
}

const Operation* exception_return(Cpu& cpu, const Operation& op) {
  const std::uint64_t spsr = cpu.system.spsr;
  const std::uint64_t target = cpu.system.elr;
  if ((cpu.counts || cpu.taken_fault) && cpu.is_speculating) return cpu.end_speculation(op);
  cpu.synchronise(op);
  cpu.taken_fault.reset();
  if (cpu.counts) {
    cpu.count_events();
    cpu.look_at_overflows();
  }
  const bool is_illegal = is_illegal_target(spsr);
  const bool steps = cpu.steps_after_return(spsr, is_illegal ? cpu.level : spsr >> 2 & 3);
  if (is_illegal) {
    constexpr std::uint64_t level_and_sp = 0xd;
    cpu.set_pstate((spsr & ~std::uint64_t{0x1f}) | (cpu.pstate() & level_and_sp));
    cpu.illegal = true;
  } else {
    cpu.set_pstate(spsr);
  }
  cpu.single_step = steps;
  cpu.monitor.armed = false;
  cpu.pc = cpu.without_tag(target);
  return cpu.left_by_fault();
}

template <auto work>
bool decode_exception(Decoding& d) {
  d.op.run = step<work>;
  d.op.imm = d.bits(20, 5);
  d.ends_block = true;
  return true;
}
bool decode_hypervisor_call(Decoding& d) { return !d.context.el0 && decode_exception<hypervisor_call>(d); }
bool decode_halt(Decoding& d) {
  constexpr std::uint32_t semihosting = 0xf000;
  return d.bits(20, 5) == semihosting && decode_exception<semihosting_call>(d);
}
bool decode_exception_return(Decoding& d) { return !d.context.el0 && decode_exception<exception_return>(d); }

// ---- hints and barriers ----

void nothing(Cpu&, const Operation&) {}

const Operation* event(Cpu& cpu, const Operation& op) { return cpu.wait_for_event(op); }
const Operation* interrupt(Cpu& cpu, const Operation& op) {
  return cpu.stop(op, Iss::Stop::wait_for_interrupt);
}
// op.imm is 0 for WFI, 1 for WFE.
const Operation* trap_wait(Cpu& cpu, const Operation& op) {
  constexpr std::uint32_t always = 0x1e0'0000;  // CV, COND: as for an A64 instruction
  return cpu.raise(op, ec_wfx, always | op.imm);
}

const Operation* synchronise(Cpu& cpu, const Operation& op) { return cpu.synchronise(op); }

bool decode_hint(Decoding& d) {
  constexpr unsigned yield = 1, wfe = 2, wfi = 3;
  d.ends_block = true;
  switch (d.bits(11, 5)) {
    case yield:
      d.op.run = step<event>;
      return true;
    case wfe:
      d.op.imm = 1;
      d.op.run = d.context.el0 ? step<if_allowed<sctlr::ntwe, event, trap_wait>> : step<event>;
      return true;
    case wfi:
      d.op.run = d.context.el0 ? step<if_allowed<sctlr::ntwi, interrupt, trap_wait>> : step<interrupt>;
      return true;
    default:
      d.op.run = step<nothing>;
      d.ends_block = false;
      return true;
  }
}

bool decode_isb(Decoding& d) {
  d.op.run = step<synchronise>;
  d.ends_block = true;
  return true;
}

// A flag set by a plain store follows its barrier at once, so that the barrier waits instead of the store.
const Operation* barrier_among_others(Cpu& cpu, const Operation& op) {
  return cpu.may_execute(op) ? cpu.finish(op) : cpu.left_by_fault();
}
const Operation* barrier(Cpu& cpu, const Operation& op) {
  if (!cpu.is_alone) [[unlikely]]
    return later<barrier_among_others>(cpu, op);
  return &op + 1;
}
constexpr unsigned barrier_types = 3, of_loads = 1, of_stores = 2;  // of CRm: the accesses to wait for
bool decode_barrier(Decoding& d) {
  d.op.run = (d.bits(11, 8) & barrier_types) == of_loads ? step<nothing> : step<barrier>;
  return true;
}

// A DSB for loads and stores also waits for maintenance of the host's data caches.
[[gnu::noinline]] const Operation* wait_for_maintenance(Cpu& cpu, const Operation& op) {
  if (!cpu.may_execute(op)) return cpu.left_by_fault();
  const InHost in(cpu, op);
  cpu.host.maintain_caches({.kind = CacheMaintenance::Kind::wait});
  return cpu.finish(op);
}
bool decode_synchronization_barrier(Decoding& d) {
  const unsigned types = d.bits(11, 8) & barrier_types;
  if (!d.options.has_data_caches() || types == of_loads || types == of_stores) return decode_barrier(d);
  d.op.run = step<wait_for_maintenance>;
  return true;
}

void clear_exclusive(Cpu& cpu, const Operation&) { cpu.monitor.armed = false; }
bool decode_clear_exclusive(Decoding& d) {
  d.op.run = step<clear_exclusive>;
  return true;
}

// ---- PSTATE ----

// op.imm is the bits. Clearing a mask may make a pending interrupt due.
void mask_exceptions(Cpu& cpu, const Operation& op) { cpu.daif |= op.imm; }
const Operation* unmask_exceptions(Cpu& cpu, const Operation& op) {
  cpu.daif &= ~op.imm;
  if (cpu.irq || cpu.serror) return cpu.synchronise(op);
  return &op + 1;
}
// With PSTATE.D, a debug exception may be due, too.
const Operation* unmask_debug(Cpu& cpu, const Operation& op) {
  cpu.daif &= ~op.imm;
  return cpu.debugs_itself() ? cpu.synchronise(op) : unmask_exceptions(cpu, op);
}
template <unsigned sp>
void select_sp(Cpu& cpu, const Operation&) {
  cpu.set_level(cpu.level, sp);
}

// op.imm is the word.
template <bool is_set>
const Operation* change_mask_at_el0(Cpu& cpu, const Operation& op) {
  const std::uint32_t bits = (op.imm >> 8 & 0xf) << 6;
  cpu.daif = is_set ? cpu.daif | bits : cpu.daif & ~bits;
  return cpu.synchronise(op);
}

template <bool is_set>
bool decode_mask(Decoding& d) {
  static_assert((pstate_d | pstate_a | pstate_i | pstate_f) == 0xf << 6);
  if (d.context.el0) {
    d.op.imm = d.word;
    d.op.run = step<if_allowed<sctlr::uma, change_mask_at_el0<is_set>>>;
    d.ends_block = true;
    return true;
  }
  d.op.imm = d.bits(11, 8) << 6;
  d.op.run = is_set                ? step<mask_exceptions>
             : d.op.imm & pstate_d ? step<unmask_debug>
                                   : step<unmask_exceptions>;
  return true;
}
bool decode_select_sp(Decoding& d) {
  if (d.context.el0) return false;
  d.op.run = d.bit(8) ? step<select_sp<1>> : step<select_sp<0>>;
  return true;
}

// ---- system registers ----

// op.imm is the word; rn and rm hold the number of the register's row.
const SystemRegisterRow* row_of(const Operation& op) {
  return system_register_row(static_cast<std::uint16_t>(op.rn | op.rm << 8));
}
Permission permission(const Cpu& cpu, const SystemRegisterRow* row, bool is_write) {
  return row ? permission(cpu, *row, is_write) : Permission::undefined;
}

[[gnu::noinline]] const Operation* read_register(Cpu& cpu, const Operation& op) {
  const SystemRegisterRow* row = row_of(op);
  if (cpu.is_speculating && row && (row->belongs_to_host || row->counts)) return cpu.end_speculation(op);
  const Permission allowed = permission(cpu, row, false);
  if (allowed != Permission::allowed) return refuse(cpu, op, allowed);
  if (row->belongs_to_host && !cpu.may_execute(op, row->which)) return cpu.left_by_fault();
  cpu.x[op.rd] = read(cpu, op, *row);
  return cpu.finish(op);
}
[[gnu::noinline]] const Operation* write_register(Cpu& cpu, const Operation& op) {
  if (cpu.is_speculating) return cpu.end_speculation(op);
  const SystemRegisterRow* row = row_of(op);
  const Permission allowed = permission(cpu, row, true);
  if (allowed != Permission::allowed) return refuse(cpu, op, allowed);
  const Written written = write(cpu, op, *row, cpu.x[op.rd]);
  return written == Written::done ? cpu.finish(op) : cpu.synchronise(op);
}

// Registers that are plain state: op.imm is the offset in it.
void read_state(Cpu& cpu, const Operation& op) {
  std::memcpy(&cpu.x[op.rd], reinterpret_cast<const char*>(&cpu.system) + op.imm, sizeof(std::uint64_t));
}
void write_state(Cpu& cpu, const Operation& op) {
  std::memcpy(reinterpret_cast<char*>(&cpu.system) + op.imm, &cpu.x[op.rd], sizeof(std::uint64_t));
}
bool is_plain(const SystemRegisterRow& row, bool is_write, bool el0) {
  return row.state && row.state != &SystemRegisters::sp_el0 &&
         (is_write ? row.writable && !row.write : true) && (!el0 || is_open_to_el0(row));
}
std::uint32_t place_of(SystemRegisterRow::State state) {
  static constexpr SystemRegisters any;
  return static_cast<std::uint32_t>(reinterpret_cast<const char*>(&(any.*state)) -
                                    reinterpret_cast<const char*>(&any));
}

template <bool is_write>
bool decode_register(Decoding& d) {
  constexpr SystemRegister fpcr{3, 3, 4, 4, 0}, fpsr{3, 3, 4, 4, 1};
  const SystemRegister which = system_register_of(d.word);
  const SystemRegisterRow* row = find_system_register(which);
  d.op.imm = d.word;
  d.op.rd = is_write ? d.source(0) : d.target(0);
  const unsigned number = number_of(row);
  d.op.rn = number & 0xff, d.op.rm = static_cast<std::uint8_t>(number >> 8);
  d.op.run = is_write ? step<write_register> : step<read_register>;
  d.ends_block = is_write || !row;
  if ((which == fpcr || which == fpsr) && !d.context.fp_enabled) {
    d.op.run = step<Cpu::raise_fp_trap>;
    d.ends_block = true;
  } else if (row && is_plain(*row, is_write, d.context.el0)) {
    d.op.imm = place_of(row->state);
    d.op.run = is_write ? step<write_state> : step<read_state>;
    d.ends_block = false;
  }
  return true;
}

constexpr Row rows[] = {
    // clang-format off
    {encoding("11010100 000 imm16 00001"),                  "SVC",            decode_exception<supervisor_call>},
    {encoding("11010100 000 imm16 00010"),                  "HVC",            decode_hypervisor_call},
    {encoding("11010100 001 imm16 00000"),                  "BRK",            decode_exception<breakpoint>},
    {encoding("11010100 010 imm16 00000"),                  "HLT",            decode_halt},
    {encoding("1101011 0100 11111 000000 11111 00000"),     "ERET",           decode_exception_return},

    {encoding("1101010100 0 00 011 0010 CRm op2 11111"),    "HINT",           decode_hint},
    {encoding("1101010100 0 00 011 0011 CRm 010 11111"),    "CLREX",          decode_clear_exclusive},
    {encoding("1101010100 0 00 011 0011 CRm 100 11111"),    "DSB",            decode_synchronization_barrier},
    {encoding("1101010100 0 00 011 0011 CRm 101 11111"),    "DMB",            decode_barrier},
    {encoding("1101010100 0 00 011 0011 CRm 110 11111"),    "ISB",            decode_isb},

    {encoding("1101010100 0 00 011 0100 CRm 110 11111"),    "MSR DAIFSet",    decode_mask<true>},
    {encoding("1101010100 0 00 011 0100 CRm 111 11111"),    "MSR DAIFClr",    decode_mask<false>},
    {encoding("1101010100 0 00 000 0100 CRm 101 11111"),    "MSR SPSel",      decode_select_sp},

    {encoding("1101010100 0 01 op1 CRn CRm op2 Rt"),        "SYS",            decode_system_instruction},
    {encoding("1101010100 0 1 o0 op1 CRn CRm op2 Rt"),      "MSR (register)", decode_register<true>},
    {encoding("1101010100 1 1 o0 op1 CRn CRm op2 Rt"),      "MRS",            decode_register<false>},
    // clang-format on
};

}  // namespace
}  // namespace system

const Operation* trap(Cpu& cpu, const Operation& op) {
  return cpu.raise(op, esr::ec_system_register, trapped_iss(op.imm));
}

const Operation* refuse(Cpu& cpu, const Operation& op, Permission permission) {
  if (permission == Permission::trapped) return trap(cpu, op);
  cpu.note_undefined(op.imm, op);
  return cpu.undefined(op);
}

std::span<const Row> system_rows() { return system::rows; }

}  // namespace asterism::a64
