// The system registers of a core without EL2 and EL3, as a Cortex-A57 has them with AArch64 at EL0 and EL1 only
// (Arm DDI 0487, D17; the Cortex-A57 TRM, DDI 0488, for the values of identification registers).
#include <algorithm>
#include <span>
#include <vector>

#include "core/a64/system_register_table.h"

namespace asterism::a64 {
namespace {

using Register = SystemRegisterRow;
using Written = Cpu::Written;

// ---- who may, at EL0 ----

Permission nobody(const Cpu&, bool) { return Permission::undefined; }
Permission anyone(const Cpu&, bool) { return Permission::allowed; }
Permission reader(const Cpu&, bool is_write) {
  return is_write ? Permission::undefined : Permission::allowed;
}
template <std::uint64_t SystemRegisters::*control, std::uint64_t bits>
Permission when(const Cpu& cpu, bool) {
  return (cpu.system.*control & bits) != 0 ? Permission::allowed : Permission::trapped;
}
constexpr auto with_uma = when<&SystemRegisters::sctlr, sctlr::uma>;
constexpr auto with_uct = when<&SystemRegisters::sctlr, sctlr::uct>;
// CNTKCTL_EL1: EL0PCTEN, EL0VCTEN, EL0VTEN, EL0PTEN.
constexpr auto with_el0pcten = when<&SystemRegisters::cntkctl, 1 << 0>;
constexpr auto with_el0vcten = when<&SystemRegisters::cntkctl, 1 << 1>;
constexpr auto with_el0vten = when<&SystemRegisters::cntkctl, 1 << 8>;
constexpr auto with_el0pten = when<&SystemRegisters::cntkctl, 1 << 9>;
Permission with_a_counter(const Cpu& cpu, bool is_write) {
  return is_write ? Permission::undefined : when<&SystemRegisters::cntkctl, 3>(cpu, false);
}

// ---- what is read ----

// MPIDR_EL1.Aff0; bit 31 is one.
std::uint64_t read_mpidr(const Cpu& cpu) { return 1u << 31 | cpu.core; }

std::uint64_t read_isar0(const Cpu& cpu) {
  return (cpu.options.crc32 ? 1u << 16 : 0) | (cpu.options.lse ? 2u << 20 : 0);
}

// The size of a DC ZVA, 64 bytes, as the logarithm of words; bit 4 says that it must not be used here.
std::uint64_t read_dczid(const Cpu& cpu) {
  const bool prohibited = cpu.level == 0 && !(cpu.system.sctlr & sctlr::dze);
  return 4 | std::uint64_t{prohibited} << 4;
}

// Caches that this engine does not model: 32 KiB of data, 48 KiB of instructions, 2 MiB of both.
std::uint64_t read_ccsidr(const Cpu& cpu) {
  switch (cpu.system.csselr) {
    case 0:
      return 0x701f'e00a;
    case 1:
      return 0x201f'e012;
    case 2:
      return 0x70ff'e07a;
    default:
      return 0;
  }
}

std::uint64_t read_current_el(const Cpu& cpu) { return std::uint64_t{cpu.level} << 2; }
std::uint64_t read_daif(const Cpu& cpu) { return cpu.daif; }
std::uint64_t read_nzcv(const Cpu& cpu) { return std::uint64_t{cpu.flags.nzcv()} << 28; }
std::uint64_t read_spsel(const Cpu& cpu) { return cpu.uses_sp_el1; }
std::uint64_t read_fpcr(const Cpu& cpu) { return cpu.fpcr; }
std::uint64_t read_fpsr(const Cpu& cpu) { return cpu.fpsr; }
std::uint64_t read_isr(const Cpu& cpu) {
  return std::uint64_t{cpu.irq} << 7 | std::uint64_t{cpu.serror.has_value()} << 8;
}

// ---- what a write does ----

constexpr std::uint32_t daif_bits = 0xf << 6;
constexpr std::uint32_t fpcr_bits = 0x07c0'0000;  // AHP, DN, FZ, RMode
constexpr std::uint32_t fpsr_bits = 0x0800'009f;  // QC, IDC, IXC to IOC

Written write_daif(Cpu& cpu, std::uint64_t value) {
  cpu.daif = static_cast<std::uint32_t>(value) & daif_bits;
  return Written::synchronise;
}
Written write_nzcv(Cpu& cpu, std::uint64_t value) {
  cpu.flags.set(static_cast<unsigned>(value >> 28 & 0xf));
  return Written::done;
}
Written write_spsel(Cpu& cpu, std::uint64_t value) {
  cpu.set_level(cpu.level, value & 1);
  return Written::done;
}
Written write_fpcr(Cpu& cpu, std::uint64_t value) {
  cpu.fpcr = static_cast<std::uint32_t>(value) & fpcr_bits;
  return Written::done;
}
Written write_fpsr(Cpu& cpu, std::uint64_t value) {
  cpu.fpsr = static_cast<std::uint32_t>(value) & fpsr_bits;
  return Written::done;
}
Written write_nothing(Cpu&, std::uint64_t) { return Written::done; }

// A register that is no more than state.
template <Register::State state, std::uint64_t mask>
Written write_state(Cpu& cpu, std::uint64_t value) {
  cpu.system.*state = value & mask;
  return Written::done;
}
// One that says what later instructions mean.
template <Register::State state, std::uint64_t mask>
Written write_context(Cpu& cpu, std::uint64_t value) {
  cpu.system.*state = value & mask;
  return Written::synchronise;
}
// One that says where addresses lead.
template <Register::State state, std::uint64_t mask>
Written write_translation(Cpu& cpu, std::uint64_t value) {
  if (cpu.system.*state == (value & mask)) return Written::done;
  cpu.system.*state = value & mask;
  cpu.memory.flush();
  cpu.new_epoch();
  return Written::synchronise;
}
Written write_oslar(Cpu& cpu, std::uint64_t value) {
  constexpr std::uint64_t locked = 1 << 1;
  cpu.system.oslsr = (cpu.system.oslsr & ~locked) | (value & 1 ? locked : 0);
  return Written::done;
}

// ---- rows ----

using Owner = Register::Owner;
using El0 = Permission (*)(const Cpu&, bool);

constexpr std::uint64_t all = ~std::uint64_t{0};

// Reads as a constant.
consteval Register constant(SystemRegister which, const char* name, std::uint64_t value,
                            El0 at_el0 = nobody) {
  return {which, name, true, false, at_el0, nullptr, value, nullptr, nullptr, Owner::core};
}
// Reads as zero, writes are ignored.
consteval Register ignored(SystemRegister which, const char* name, El0 at_el0 = nobody) {
  return {which, name, true, true, at_el0, nullptr, 0, nullptr, write_nothing, Owner::core};
}
// Made up on the spot.
consteval Register computed(SystemRegister which, const char* name, Register::Read read,
                            Register::Write write = nullptr, El0 at_el0 = nobody) {
  return {which, name, true, write != nullptr, at_el0, nullptr, 0, read, write, Owner::core};
}
template <Register::State state, std::uint64_t mask = all>
consteval Register plain(SystemRegister which, const char* name, El0 at_el0 = nobody) {
  return {which, name, true, true, at_el0, state, mask, nullptr, write_state<state, mask>, Owner::core};
}
template <Register::State state, std::uint64_t mask = all>
consteval Register context(SystemRegister which, const char* name) {
  return {which, name, true, true, nobody, state, mask, nullptr, write_context<state, mask>, Owner::core};
}
template <Register::State state, std::uint64_t mask = all>
consteval Register translation(SystemRegister which, const char* name) {
  return {which, name, true, true, nobody, state, mask, nullptr, write_translation<state, mask>, Owner::core};
}
consteval Register timer(SystemRegister which, const char* name, El0 at_el0, bool writable = true) {
  return {which, name, true, writable, at_el0, nullptr, 0, nullptr, nullptr, Owner::host};
}
consteval Register only_written(SystemRegister which, const char* name, Register::Write write) {
  return {which, name, false, true, nobody, nullptr, 0, nullptr, write, Owner::core};
}

using S = SystemRegisters;

constexpr Register rows[] = {
    // clang-format off
    // Identification.
    constant({3, 0, 0, 0, 0}, "MIDR_EL1", 0x411f'd070),  // Cortex-A57 r1p0
    computed({3, 0, 0, 0, 5}, "MPIDR_EL1", read_mpidr),
    constant({3, 0, 0, 0, 6}, "REVIDR_EL1", 0),
    constant({3, 0, 0, 4, 0}, "ID_AA64PFR0_EL1", 0x0011),  // AArch64 at EL0 and EL1; FP and AdvSIMD
    constant({3, 0, 0, 4, 1}, "ID_AA64PFR1_EL1", 0),
    constant({3, 0, 0, 5, 0}, "ID_AA64DFR0_EL1", 0x1030'5006),  // debug v8, no performance monitors
    constant({3, 0, 0, 5, 1}, "ID_AA64DFR1_EL1", 0),
    constant({3, 0, 0, 5, 4}, "ID_AA64AFR0_EL1", 0),
    constant({3, 0, 0, 5, 5}, "ID_AA64AFR1_EL1", 0),
    computed({3, 0, 0, 6, 0}, "ID_AA64ISAR0_EL1", read_isar0),
    constant({3, 0, 0, 6, 1}, "ID_AA64ISAR1_EL1", 0),
    constant({3, 0, 0, 7, 0}, "ID_AA64MMFR0_EL1", 0x0010'0024),  // 44 bits of address, 16 of ASID; all granules
    constant({3, 0, 0, 7, 1}, "ID_AA64MMFR1_EL1", 0),
    constant({3, 3, 0, 0, 1}, "CTR_EL0", 0x8444'c004, with_uct),
    computed({3, 3, 0, 0, 7}, "DCZID_EL0", read_dczid, nullptr, reader),
    constant({3, 1, 0, 0, 1}, "CLIDR_EL1", 0x0a20'0023),
    constant({3, 1, 0, 0, 7}, "AIDR_EL1", 0),
    computed({3, 1, 0, 0, 0}, "CCSIDR_EL1", read_ccsidr),
    plain<&S::csselr, 0xf>({3, 2, 0, 0, 0}, "CSSELR_EL1"),

    // PSTATE and floating point.
    computed({3, 0, 4, 2, 2}, "CurrentEL", read_current_el),
    computed({3, 0, 4, 2, 0}, "SPSel", read_spsel, write_spsel),
    computed({3, 3, 4, 2, 0}, "NZCV", read_nzcv, write_nzcv, anyone),
    computed({3, 3, 4, 2, 1}, "DAIF", read_daif, write_daif, with_uma),
    computed({3, 3, 4, 4, 0}, "FPCR", read_fpcr, write_fpcr, anyone),
    computed({3, 3, 4, 4, 1}, "FPSR", read_fpsr, write_fpsr, anyone),

    // Control and translation.
    translation<&S::sctlr, sctlr::writable>({3, 0, 1, 0, 0}, "SCTLR_EL1"),
    ignored({3, 0, 1, 0, 1}, "ACTLR_EL1"),
    context<&S::cpacr, 3 << 20>({3, 0, 1, 0, 2}, "CPACR_EL1"),
    translation<&S::ttbr0>({3, 0, 2, 0, 0}, "TTBR0_EL1"),
    translation<&S::ttbr1>({3, 0, 2, 0, 1}, "TTBR1_EL1"),
    translation<&S::tcr>({3, 0, 2, 0, 2}, "TCR_EL1"),
    translation<&S::mair>({3, 0, 10, 2, 0}, "MAIR_EL1"),
    plain<&S::amair>({3, 0, 10, 3, 0}, "AMAIR_EL1"),
    plain<&S::contextidr, 0xffff'ffff>({3, 0, 13, 0, 1}, "CONTEXTIDR_EL1"),
    plain<&S::par>({3, 0, 7, 4, 0}, "PAR_EL1"),

    // Exceptions.
    plain<&S::vbar, ~std::uint64_t{0x7ff}>({3, 0, 12, 0, 0}, "VBAR_EL1"),
    plain<&S::elr>({3, 0, 4, 0, 1}, "ELR_EL1"),
    plain<&S::spsr, 0xffff'ffff>({3, 0, 4, 0, 0}, "SPSR_EL1"),
    plain<&S::sp_el0>({3, 0, 4, 1, 0}, "SP_EL0"),
    plain<&S::esr, 0xffff'ffff>({3, 0, 5, 2, 0}, "ESR_EL1"),
    plain<&S::far>({3, 0, 6, 0, 0}, "FAR_EL1"),
    ignored({3, 0, 5, 1, 0}, "AFSR0_EL1"),
    ignored({3, 0, 5, 1, 1}, "AFSR1_EL1"),
    computed({3, 0, 12, 1, 0}, "ISR_EL1", read_isr),
    constant({3, 0, 12, 0, 1}, "RVBAR_EL1", 0),

    // For software.
    plain<&S::tpidr_el0>({3, 3, 13, 0, 2}, "TPIDR_EL0", anyone),
    plain<&S::tpidrro_el0>({3, 3, 13, 0, 3}, "TPIDRRO_EL0", reader),
    plain<&S::tpidr_el1>({3, 0, 13, 0, 4}, "TPIDR_EL1"),

    // Timers, which the host has.
    timer({3, 3, 14, 0, 0}, "CNTFRQ_EL0", with_a_counter),
    timer({3, 3, 14, 0, 1}, "CNTPCT_EL0", with_el0pcten, false),
    timer({3, 3, 14, 0, 2}, "CNTVCT_EL0", with_el0vcten, false),
    timer({3, 3, 14, 2, 0}, "CNTP_TVAL_EL0", with_el0pten),
    timer({3, 3, 14, 2, 1}, "CNTP_CTL_EL0", with_el0pten),
    timer({3, 3, 14, 2, 2}, "CNTP_CVAL_EL0", with_el0pten),
    timer({3, 3, 14, 3, 0}, "CNTV_TVAL_EL0", with_el0vten),
    timer({3, 3, 14, 3, 1}, "CNTV_CTL_EL0", with_el0vten),
    timer({3, 3, 14, 3, 2}, "CNTV_CVAL_EL0", with_el0vten),
    plain<&S::cntkctl, 0x3ff>({3, 0, 14, 1, 0}, "CNTKCTL_EL1"),

    // Debug: no debugger is attached to the inside, nothing ever halts.
    plain<&S::mdscr, 0xffff'ffff>({2, 0, 0, 2, 2}, "MDSCR_EL1"),
    only_written({2, 0, 1, 0, 4}, "OSLAR_EL1", write_oslar),
    {{2, 0, 1, 1, 4}, "OSLSR_EL1", true, false, nobody, &S::oslsr, 0, nullptr, nullptr, Owner::core},
    ignored({2, 0, 1, 3, 4}, "OSDLR_EL1"),
    // clang-format on
};

}  // namespace

const SystemRegisterRow* find_system_register(SystemRegister which) {
  static const std::vector<const Register*> by_code = [] {
    std::vector<const Register*> all_rows;
    for (const Register& row : rows) all_rows.push_back(&row);
    std::ranges::sort(all_rows, {}, [](const Register* row) { return row->which.code(); });
    return all_rows;
  }();
  const auto found = std::ranges::lower_bound(by_code, which.code(), {},
                                              [](const Register* row) { return row->which.code(); });
  return found != by_code.end() && (*found)->which == which ? *found : nullptr;
}

Permission permission(const Cpu& cpu, const SystemRegisterRow& row, bool is_write) {
  if (!(is_write ? row.writable : row.readable)) return Permission::undefined;
  if (row.state == &SystemRegisters::sp_el0 && !cpu.uses_sp_el1) return Permission::undefined;
  return cpu.level == 0 ? row.at_el0(cpu, is_write) : Permission::allowed;
}

bool Cpu::read_system_register(const Operation& op, SystemRegister which, std::uint64_t& value) {
  const Register* row = find_system_register(which);
  if (!row || permission(*this, *row, false) != Permission::allowed) return false;
  if (row->owner == Register::Owner::host) {
    InHost in(*this, op);
    value = host.read_register(which).value_or(0);
  } else if (row->read) {
    value = row->read(*this);
  } else {
    value = row->state ? system.*row->state : row->mask;
  }
  return true;
}

Cpu::Written Cpu::write_system_register(const Operation& op, SystemRegister which, std::uint64_t value) {
  const Register* row = find_system_register(which);
  if (!row || permission(*this, *row, true) != Permission::allowed) return Written::undefined;
  if (row->owner == Register::Owner::host) {
    InHost in(*this, op);
    host.write_register(which, value);
    return Written::done;
  }
  return row->write(*this, value);
}

}  // namespace asterism::a64
