// The system registers of a core without EL2 and EL3, as a Cortex-A57 has them with AArch64 at EL0 and EL1
// only (Arm DDI 0487, D17; the Cortex-A57's manual, DDI 0488, for the values of identification registers).
#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "base/affinity.h"
#include "core/a64/debug_register_rows.h"
#include "core/a64/performance_monitor_rows.h"
#include "core/a64/soft_float.h"
#include "core/a64/system_register_rows.h"
#include "core/a64/system_register_table.h"
#include "core/a64/translation_table_walk.h"

namespace asterism::a64 {
namespace {

using namespace rows;  // NOLINT(google-build-using-namespace): a table of rows, one name each
using Register = SystemRegisterRow;
using S = SystemRegisters;

// ---- access at EL0 ----

template <std::uint64_t S::*control, std::uint64_t bits>
Permission when(const Cpu& cpu, bool) {
  return (cpu.system.*control & bits) != 0 ? Permission::allowed : Permission::trapped;
}
constexpr auto with_uma = when<&S::sctlr, sctlr::uma>;
constexpr auto with_uct = when<&S::sctlr, sctlr::uct>;
// CNTKCTL_EL1: EL0PCTEN, EL0VCTEN, EL0VTEN, EL0PTEN.
constexpr auto with_el0pcten = when<&S::cntkctl, 1 << 0>;
constexpr auto with_el0vcten = when<&S::cntkctl, 1 << 1>;
constexpr auto with_el0vten = when<&S::cntkctl, 1 << 8>;
constexpr auto with_el0pten = when<&S::cntkctl, 1 << 9>;
Permission with_a_counter(const Cpu& cpu, bool is_write) {
  return is_write ? Permission::undefined : when<&S::cntkctl, 3>(cpu, false);
}

// ---- computed registers ----

// Bit 31 is one.
std::uint64_t read_mpidr(const Cpu& cpu) { return 1u << 31 | affinity_of(cpu.core); }

// AArch64 at EL0 and EL1; FP and AdvSIMD; no EL2, no EL3; GIC system registers.
std::uint64_t read_pfr0(const Cpu& cpu) {
  const std::uint64_t half_precision = cpu.options.features.has(CoreFeature::fp16) ? 1u << 16 | 1u << 20 : 0;
  return 0x11 | half_precision | (cpu.options.gic ? 1u << 24 : 0);
}

std::uint64_t read_isar0(const Cpu& cpu) {
  const auto field = [&](CoreFeature feature, std::uint64_t value, unsigned low) {
    return cpu.options.features.has(feature) ? value << low : 0;
  };
  using enum CoreFeature;
  return std::max(field(aes, 1, 4), field(pmull, 2, 4)) | field(sha1, 1, 8) | field(sha2, 1, 12) |
         field(crc32, 1, 16) | field(lse, 2, 20) | field(rdm, 1, 28) | field(dotprod, 1, 44);
}
std::uint64_t read_isar1(const Cpu& cpu) {
  return cpu.options.features.has(CoreFeature::rcpc) ? 1u << 20 : 0;
}

// The size that DC ZVA zeroes: 16 words, as a logarithm. Bit 4: it must not be used.
std::uint64_t read_dczid(const Cpu& cpu) {
  const bool is_prohibited = cpu.level == 0 && !(cpu.system.sctlr & sctlr::dze);
  return 4 | std::uint64_t{is_prohibited} << 4;
}

// Level 1 has data and instructions apart, and is the point of unification; the others are unified. With data
// caches of the host, ICB says which level is the last one of inner cacheable memory. Without them, the
// levels are those of a Cortex-A57, and the caches hold nothing.
std::uint64_t read_clidr(const Cpu& cpu) {
  const auto& caches = cpu.options.data_caches;
  const bool has_caches = cpu.options.has_data_caches();
  const std::uint64_t levels =
      has_caches ? std::ranges::count_if(caches, [](const CacheGeometry& c) { return c.sets != 0; }) : 2;
  constexpr std::uint64_t separate = 3, unified = 4, unification = 1 << 27 | 1 << 21;
  std::uint64_t types = separate;
  for (std::uint64_t level = 1; level < levels; ++level) types |= unified << 3 * level;
  return unification | levels << 24 | types | (has_caches ? levels << 30 : 0);
}

// 32 KiB of data, 48 KiB of instructions, 2 MiB unified; for data, the geometry of the host's caches. The
// field has at most 32,768 sets.
std::uint64_t read_ccsidr(const Cpu& cpu) {
  constexpr std::array<std::uint64_t, 3> sizes{0x701f'e00a, 0x201f'e012, 0x70ff'e07a};
  constexpr std::uint64_t lines_of_64_bytes = 2, usual_policy = 7u << 28, max_sets = 0x7fff;
  const std::uint64_t which = cpu.system.csselr;
  const bool is_of_instructions = (which & 1) != 0;
  const auto& caches = cpu.options.data_caches;
  if (is_of_instructions || !cpu.options.has_data_caches()) return which < sizes.size() ? sizes[which] : 0;
  if (which / 2 >= caches.size() || caches[which / 2].sets == 0) return 0;
  const CacheGeometry& cache = caches[which / 2];
  return usual_policy | std::min<std::uint64_t>(cache.sets - 1, max_sets) << 13 |
         std::uint64_t{cache.ways - 1} << 3 | lines_of_64_bytes;
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

// ---- effects of writes ----

Written write_daif(Cpu& cpu, std::uint64_t value) {
  cpu.daif = static_cast<std::uint32_t>(value) & 0xf << 6;
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
  cpu.fpcr = static_cast<std::uint32_t>(value) & writable_fpcr(cpu);
  return Written::done;
}
Written write_fpsr(Cpu& cpu, std::uint64_t value) {
  cpu.fpsr = static_cast<std::uint32_t>(value) & fpsr_writable;
  return Written::done;
}
template <Register::State state, std::uint64_t mask>
Written write_masked(Cpu& cpu, std::uint64_t value) {
  cpu.system.*state = value & mask;
  return Written::done;
}
// CPACR_EL1 changes the meaning of later instructions.
Written write_cpacr(Cpu& cpu, std::uint64_t value) {
  constexpr std::uint64_t fpen = 3 << 20;
  cpu.system.cpacr = value & fpen;
  return Written::synchronise;
}
// A register of the translation. Without an invalidation, translations with other tables stay what they are.
template <Register::State state, std::uint64_t mask>
Written write_translation(Cpu& cpu, std::uint64_t value) {
  if (cpu.system.*state != (value & mask)) {
    cpu.system.*state = value & mask;
    if constexpr (state == &S::ttbr0 || state == &S::ttbr1) {
      cpu.select_address_space();
    } else {
      cpu.memory.flush();
      cpu.new_epoch();
    }
  }
  return Written::synchronise;
}

// ---- rows ----

constexpr std::uint64_t all = ~std::uint64_t{0};
// 44 bits of physical address, 16 of ASID; granules of 4, 16 and 64 KiB.
static_assert(physical_address_bits == 44);
// Armv8 debug, PMUv3.
constexpr std::uint64_t id_aa64dfr0 = 6 << 0 | 1 << 8 | (DebugRegisters::breakpoints - 1) << 12 |
                                      (DebugRegisters::watchpoints - 1) << 20 |
                                      (DebugRegisters::context_breakpoints - 1) << 28;
constexpr std::uint64_t id_aa64mmfr0 = 4 << 0 | 2 << 4 | 1 << 20;

constexpr Register usual_rows[] = {
    // clang-format off
    // Identification.
    constant({3, 0, 0, 0, 0},   "MIDR_EL1",         0x411f'd070),  // Cortex-A57 r1p0
    computed({3, 0, 0, 0, 5},    "MPIDR_EL1",        read_mpidr),
    constant({3, 0, 0, 0, 6},   "REVIDR_EL1",       0),
    computed({3, 0, 0, 4, 0},    "ID_AA64PFR0_EL1",  read_pfr0),
    constant({3, 0, 0, 5, 0},   "ID_AA64DFR0_EL1",  id_aa64dfr0),
    computed({3, 0, 0, 6, 0},    "ID_AA64ISAR0_EL1", read_isar0),
    computed({3, 0, 0, 6, 1},    "ID_AA64ISAR1_EL1", read_isar1),
    constant({3, 0, 0, 7, 0},   "ID_AA64MMFR0_EL1", id_aa64mmfr0),
    constant({3, 3, 0, 0, 1},   "CTR_EL0",          0x8444'c004, with_uct),  // lines of 64 bytes
    computed({3, 3, 0, 0, 7},    "DCZID_EL0",        read_dczid, nullptr, reader),
    computed({3, 1, 0, 0, 1},    "CLIDR_EL1",        read_clidr),
    constant({3, 1, 0, 0, 7},   "AIDR_EL1",         0),
    computed({3, 1, 0, 0, 0},    "CCSIDR_EL1",       read_ccsidr),
    stored({3, 2, 0, 0, 0},       "CSSELR_EL1",       &S::csselr, nullptr, write_masked<&S::csselr, 0xf>),

    // PSTATE and floating point.
    computed({3, 0, 4, 2, 2},    "CurrentEL",        read_current_el),
    computed({3, 0, 4, 2, 0},    "SPSel",            read_spsel, write_spsel),
    computed({3, 3, 4, 2, 0},    "NZCV",             read_nzcv, write_nzcv, anyone),
    computed({3, 3, 4, 2, 1},    "DAIF",             read_daif, write_daif, with_uma),
    computed({3, 3, 4, 4, 0},    "FPCR",             read_fpcr, write_fpcr, anyone),
    computed({3, 3, 4, 4, 1},    "FPSR",             read_fpsr, write_fpsr, anyone),

    // Control and translation.
    stored({3, 0, 1, 0, 0},       "SCTLR_EL1",        &S::sctlr, nullptr, write_translation<&S::sctlr, sctlr::writable>),
    ignored({3, 0, 1, 0, 1},    "ACTLR_EL1"),
    stored({3, 0, 1, 0, 2},       "CPACR_EL1",        &S::cpacr, nullptr, write_cpacr),
    stored({3, 0, 2, 0, 0},       "TTBR0_EL1",        &S::ttbr0, nullptr, write_translation<&S::ttbr0, all>),
    stored({3, 0, 2, 0, 1},       "TTBR1_EL1",        &S::ttbr1, nullptr, write_translation<&S::ttbr1, all>),
    stored({3, 0, 2, 0, 2},       "TCR_EL1",          &S::tcr, nullptr, write_translation<&S::tcr, all>),
    stored({3, 0, 10, 2, 0},      "MAIR_EL1",         &S::mair, nullptr, write_translation<&S::mair, all>),
    stored({3, 0, 10, 3, 0},      "AMAIR_EL1",        &S::amair),
    stored({3, 0, 13, 0, 1},      "CONTEXTIDR_EL1",   &S::contextidr, nullptr, write_masked<&S::contextidr, 0xffff'ffff>),
    stored({3, 0, 7, 4, 0},       "PAR_EL1",          &S::par),

    // Exceptions.
    stored({3, 0, 12, 0, 0},      "VBAR_EL1",         &S::vbar, nullptr, write_masked<&S::vbar, ~std::uint64_t{0x7ff}>),
    stored({3, 0, 4, 0, 1},       "ELR_EL1",          &S::elr),
    stored({3, 0, 4, 0, 0},       "SPSR_EL1",         &S::spsr, nullptr, write_masked<&S::spsr, 0xffff'ffff>),
    stored({3, 0, 4, 1, 0},       "SP_EL0",           &S::sp_el0),  // UNDEFINED while it is in use
    stored({3, 0, 5, 2, 0},       "ESR_EL1",          &S::esr, nullptr, write_masked<&S::esr, 0xffff'ffff>),
    stored({3, 0, 6, 0, 0},       "FAR_EL1",          &S::far),
    ignored({3, 0, 5, 1, 0},    "AFSR0_EL1"),
    ignored({3, 0, 5, 1, 1},    "AFSR1_EL1"),
    computed({3, 0, 12, 1, 0},   "ISR_EL1",          read_isr),
    constant({3, 0, 12, 0, 1},  "RVBAR_EL1",        0),

    // Thread pointers.
    stored({3, 3, 13, 0, 2},      "TPIDR_EL0",        &S::tpidr_el0, anyone),
    stored({3, 3, 13, 0, 3},      "TPIDRRO_EL0",      &S::tpidrro_el0, reader),
    stored({3, 0, 13, 0, 4},      "TPIDR_EL1",        &S::tpidr_el1),

    // The generic timer.
    owned_by_host({3, 3, 14, 0, 0}, "CNTFRQ_EL0",    with_a_counter),
    owned_by_host({3, 3, 14, 0, 1}, "CNTPCT_EL0",    with_el0pcten, false),
    owned_by_host({3, 3, 14, 0, 2}, "CNTVCT_EL0",    with_el0vcten, false),
    owned_by_host({3, 3, 14, 2, 0}, "CNTP_TVAL_EL0", with_el0pten),
    owned_by_host({3, 3, 14, 2, 1}, "CNTP_CTL_EL0",  with_el0pten),
    owned_by_host({3, 3, 14, 2, 2}, "CNTP_CVAL_EL0", with_el0pten),
    owned_by_host({3, 3, 14, 3, 0}, "CNTV_TVAL_EL0", with_el0vten),
    owned_by_host({3, 3, 14, 3, 1}, "CNTV_CTL_EL0",  with_el0vten),
    owned_by_host({3, 3, 14, 3, 2}, "CNTV_CVAL_EL0", with_el0vten),
    stored({3, 0, 14, 1, 0},      "CNTKCTL_EL1",      &S::cntkctl, nullptr, write_masked<&S::cntkctl, 0x3ff>),

    // The CPU interface of a GICv3.
    of_gic({3, 0, 4, 6, 0},     "ICC_PMR_EL1",      true, true),
    of_gic({3, 0, 12, 8, 0},    "ICC_IAR0_EL1",     true, false),
    of_gic({3, 0, 12, 8, 1},    "ICC_EOIR0_EL1",    false, true),
    of_gic({3, 0, 12, 8, 2},    "ICC_HPPIR0_EL1",   true, false),
    of_gic({3, 0, 12, 8, 3},    "ICC_BPR0_EL1",     true, true),
    of_gic({3, 0, 12, 8, 4},    "ICC_AP0R0_EL1",    true, true),
    of_gic({3, 0, 12, 9, 0},    "ICC_AP1R0_EL1",    true, true),
    of_gic({3, 0, 12, 11, 1},   "ICC_DIR_EL1",      false, true),
    of_gic({3, 0, 12, 11, 3},   "ICC_RPR_EL1",      true, false),
    of_gic({3, 0, 12, 11, 5},   "ICC_SGI1R_EL1",    false, true),
    of_gic({3, 0, 12, 11, 6},   "ICC_ASGI1R_EL1",   false, true),
    of_gic({3, 0, 12, 11, 7},   "ICC_SGI0R_EL1",    false, true),
    of_gic({3, 0, 12, 12, 0},   "ICC_IAR1_EL1",     true, false),
    of_gic({3, 0, 12, 12, 1},   "ICC_EOIR1_EL1",    false, true),
    of_gic({3, 0, 12, 12, 2},   "ICC_HPPIR1_EL1",   true, false),
    of_gic({3, 0, 12, 12, 3},   "ICC_BPR1_EL1",     true, true),
    of_gic({3, 0, 12, 12, 4},   "ICC_CTLR_EL1",     true, true),
    of_gic({3, 0, 12, 12, 5},   "ICC_SRE_EL1",      true, true),
    of_gic({3, 0, 12, 12, 6},   "ICC_IGRPEN0_EL1",  true, true),
    of_gic({3, 0, 12, 12, 7},   "ICC_IGRPEN1_EL1",  true, true),

    // Implementation-defined registers of the Cortex-A57.
    ignored({3, 1, 11, 0, 2},   "L2CTLR_EL1"),
    ignored({3, 1, 11, 0, 3},   "L2ECTLR_EL1"),
    ignored({3, 1, 15, 0, 0},   "L2ACTLR_EL1"),
    ignored({3, 1, 15, 2, 0},   "CPUACTLR_EL1"),
    ignored({3, 1, 15, 2, 1},   "CPUECTLR_EL1"),
    ignored({3, 1, 15, 2, 2},   "CPUMERRSR_EL1"),
    ignored({3, 1, 15, 2, 3},   "L2MERRSR_EL1"),
    constant({3, 1, 15, 3, 0},  "CBAR_EL1",         0),
    // clang-format on
};

// Rows for many registers each.
constexpr Register reserved_identification =
    constant({3, 0, 0, 7, 7}, "ID_*_EL1, for AArch32 or reserved", 0);
const Register* find_group(SystemRegister which) {
  const auto [op0, op1, crn, crm, op2] = which;
  if (op0 == 3 && op1 == 0 && crn == 0 && crm >= 1 && crm <= 7) return &reserved_identification;
  return nullptr;
}

// All rows by number.
constexpr std::array every_row = [] {
  std::array<const Register*,
             std::size(usual_rows) + std::size(debug_rows) + std::size(performance_monitor_rows) + 1>
      result{};
  auto at = result.begin();
  const auto add = [&](const auto& rows) {
    for (const Register& row : rows) *at++ = &row;
  };
  add(usual_rows);
  add(debug_rows);
  add(performance_monitor_rows);
  *at = &reserved_identification;
  return result;
}();

// Excludes registers that a debugger shows elsewhere (NZCV, DAIF, FPCR, FPSR), registers that read as zero
// and ignore writes, and the registers of a GIC, where reading has side effects.
bool is_reported(const Register& row) {
  const bool is_elsewhere =
      row.read == read_nzcv || row.read == read_daif || row.read == read_fpcr || row.read == read_fpsr;
  return row.which.op0 == 3 && row.readable && !row.of_gic && row.write != write_nothing && !is_elsewhere;
}

}  // namespace

std::span<const SystemRegisterRow* const> reported_system_registers() {
  static const std::vector<const Register*> reported = [] {
    std::vector<const Register*> result;
    for (const Register* row : every_row)
      if (is_reported(*row)) result.push_back(row);
    return result;
  }();
  return reported;
}

std::uint64_t inspect(Cpu& cpu, const SystemRegisterRow& row) {
  if (row.belongs_to_host) return cpu.host.peek_register(row.which).value_or(0);
  if (row.state == &S::sp_el0 && !cpu.uses_sp_el1) return cpu.x[stack_pointer];
  if (row.counts) cpu.count_events();
  if (row.read) return row.read(cpu);
  return row.state ? cpu.system.*row.state : row.constant;
}

bool alter(Cpu& cpu, const SystemRegisterRow& row, std::uint64_t value) {
  if (!row.writable || row.belongs_to_host) return false;
  if (row.counts) cpu.count_events();
  if (row.state == &S::sp_el0 && !cpu.uses_sp_el1)
    cpu.x[stack_pointer] = value;
  else if (row.write)
    row.write(cpu, value);
  else
    cpu.system.*row.state = value;
  return true;
}

const SystemRegisterRow* find_system_register(SystemRegister which) {
  const auto found = std::ranges::find(every_row, which, &Register::which);
  return found != every_row.end() && *found != &reserved_identification ? *found : find_group(which);
}

std::uint16_t number_of(const SystemRegisterRow* row) {
  if (!row) return 0;
  return static_cast<std::uint16_t>(std::ranges::find(every_row, row) - every_row.begin() + 1);
}

const SystemRegisterRow* system_register_row(std::uint16_t number) {
  return number == 0 ? nullptr : every_row[number - 1];
}

std::uint32_t writable_fpcr(const Cpu& cpu) {
  return fpcr_writable | (cpu.options.features.has(CoreFeature::fp16) ? fpcr_bit::fz16 : 0);
}

Permission permission(const Cpu& cpu, const SystemRegisterRow& row, bool is_write) {
  if (!(is_write ? row.writable : row.readable)) return Permission::undefined;
  if (row.state == &S::sp_el0 && !cpu.uses_sp_el1) return Permission::undefined;
  if (row.of_gic && !cpu.options.gic) return Permission::undefined;
  if (cpu.level != 0) return Permission::allowed;
  return row.at_el0 ? row.at_el0(cpu, is_write) : Permission::undefined;
}

bool is_open_to_el0(const SystemRegisterRow& row) { return row.at_el0 == anyone; }

std::uint64_t read(Cpu& cpu, const Operation& op, const SystemRegisterRow& row) {
  if (row.belongs_to_host) {
    InHost in(cpu, op);
    return cpu.host.read_register(row.which).value_or(0);
  }
  if (row.counts) {
    InHost in(cpu, op);
    cpu.count_events();
  }
  if (row.read) return row.read(cpu);
  return row.state ? cpu.system.*row.state : row.constant;
}

Written write(Cpu& cpu, const Operation& op, const SystemRegisterRow& row, std::uint64_t value) {
  if (row.belongs_to_host) {
    InHost in(cpu, op);
    cpu.host.write_register(row.which, value);
    return Written::done;
  }
  if (row.counts) {
    InHost in(cpu, op);
    cpu.count_events();
  }
  if (row.write) return row.write(cpu, value);
  cpu.system.*row.state = value;
  return Written::done;
}

}  // namespace asterism::a64
