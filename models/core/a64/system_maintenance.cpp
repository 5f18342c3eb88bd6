// System instructions: caches, address translation, TLBs (Arm DDI 0487, C5.3 to C5.5).
//
// Data caches are implemented by the host, which is notified (Options::data_caches). Without them,
// maintenance by address only translates the address, and may fault. The decoded blocks stand for the
// instruction cache.
#include <array>
#include <bit>
#include <cstring>

#include "core/a64/cpu.h"
#include "core/a64/decoder.h"
#include "core/a64/system_register_table.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t line = Memory::line;
constexpr AddressRange everything{Address(0), Bytes(Cpu::never)};

// ---- by address ----

// The fault of a cache maintenance instruction is reported as such (CM), and as a write.
const Operation* maintenance_abort(Cpu& cpu, const Operation& op, const Fault& fault) {
  constexpr std::uint32_t cm = 1 << 8;
  return cpu.data_abort(op, fault, true, cm);
}

Memory::Result translate(Cpu& cpu, const Operation& op, Access access) {
  InHost in(cpu, op);  // the tables may be in memory that the host has not mapped yet
  return cpu.memory.translate(cpu.x[op.rd], access, cpu.level);
}

using Kind = CacheMaintenance::Kind;

void notify_caches(Cpu& cpu, const Operation& op, const CacheMaintenance& what) {
  const InHost in(cpu, op);
  cpu.host.maintain_caches(what);
}

template <Access access, Kind kind>
[[gnu::noinline]] const Operation* maintain_data(Cpu& cpu, const Operation& op) {
  const bool has_caches = cpu.options.has_data_caches();
  if (has_caches && cpu.is_speculating) return cpu.end_speculation(op);
  const auto [translation, fault] = translate(cpu, op, access);
  if (fault) return maintenance_abort(cpu, op, *fault);
  if (has_caches) notify_caches(cpu, op, {.kind = kind, .address = Address(translation.physical)});
  return cpu.finish(op);
}

constexpr auto clean = maintain_data<Access::load, Kind::clean>;
constexpr auto clean_to_l2 = maintain_data<Access::load, Kind::clean_to_l2>;
constexpr auto clean_and_invalidate = maintain_data<Access::load, Kind::clean_and_invalidate>;

// Xt has the level in bits 3 to 1, the way in the highest bits, and the set above the bits of the line.
template <Kind kind>
[[gnu::noinline]] const Operation* maintain_set(Cpu& cpu, const Operation& op) {
  const std::uint64_t value = cpu.x[op.rd], level = value >> 1 & 7;
  if (level >= cpu.options.data_caches.size() || cpu.options.data_caches[level].sets == 0)
    return cpu.finish(op);
  if (cpu.is_speculating) return cpu.end_speculation(op);
  const CacheGeometry& cache = cpu.options.data_caches[level];
  const auto way_bits = static_cast<unsigned>(std::bit_width(cache.ways - 1));
  const auto way = static_cast<unsigned>((value & 0xffff'ffff) >> (32 - way_bits));
  const auto set = static_cast<unsigned>((value & 0xffff'ffff) / line % cache.sets);
  if (way < cache.ways)
    notify_caches(
        cpu, op,
        {.kind = kind, .by_set = true, .level = static_cast<unsigned>(level), .set = set, .way = way});
  return cpu.finish(op);
}

void notify_instructions_changed(Cpu& cpu, const Operation& op, AddressRange range) {
  InHost in(cpu, op);
  if (cpu.is_speculating) throw SpeculationEnds{};
  cpu.drop_code(range);
  cpu.host.instructions_changed(range);
}

[[gnu::noinline]] const Operation* invalidate_instructions(Cpu& cpu, const Operation& op) {
  const auto [translation, fault] = translate(cpu, op, Access::load);
  if (fault) return maintenance_abort(cpu, op, *fault);
  notify_instructions_changed(cpu, op, {Address(translation.physical & ~(line - 1)), Bytes(line)});
  return cpu.synchronise(op);
}
[[gnu::noinline]] const Operation* invalidate_all_instructions(Cpu& cpu, const Operation& op) {
  notify_instructions_changed(cpu, op, everything);
  return cpu.synchronise(op);
}

// FAR gets the given address, not that of the line.
[[gnu::noinline]] const Operation* zero_line_slowly(Cpu& cpu, const Operation& op) {
  const auto [translation, fault] = translate(cpu, op, Access::store);
  if (fault) return cpu.data_abort(op, *fault, true);
  if (translation.is_device && !cpu.may_be_unaligned(op, cpu.x[op.rd], 0, true)) return cpu.left_by_fault();
  static constexpr std::array<std::uint8_t, line / 2> zeroes{};
  const std::uint64_t address = cpu.x[op.rd] & ~(line - 1);
  if (cpu.memory.is_watching()) {
    const InHost in(cpu, op);
    if (cpu.stop_at_watchpoint(op, {address, line, true})) return cpu.left_by_fault();
  }
  if (!cpu.store(op, address, zeroes.size(), zeroes.data()) ||
      !cpu.store(op, address + zeroes.size(), zeroes.size(), zeroes.data()))
    return cpu.left_by_fault();
  return cpu.finish(op);
}
const Operation* zero_line(Cpu& cpu, const Operation& op) {
  std::uint8_t* const bytes = cpu.memory.writable_unaligned<line>(cpu.x[op.rd] & ~(line - 1));
  if (bytes) [[likely]] {
    std::memset(bytes, 0, line);
    return &op + 1;
  }
  return later<zero_line_slowly>(cpu, op);
}

// ---- address translation ----

template <Access access, unsigned exception_level>
[[gnu::noinline]] const Operation* translate_address(Cpu& cpu, const Operation& op) {
  if (cpu.is_speculating) return cpu.end_speculation(op);
  InHost in(cpu, op);
  cpu.system.par = cpu.memory.probe(cpu.x[op.rd], access, exception_level);
  return cpu.finish(op);
}

// ---- TLBs ----

// The TLB has no ASIDs: an invalidation by ASID drops everything.
void invalidate_translations(Cpu& cpu, const Operation&) {
  cpu.memory.flush();
  cpu.memory.flush_timed_tlb();
  cpu.new_epoch();
}
// Xt has bits 55 to 12 of the address; higher bits are copies of bit 55.
void invalidate_translation(Cpu& cpu, const Operation& op) {
  const auto address = static_cast<std::uint64_t>(static_cast<std::int64_t>(cpu.x[op.rd] << 20) >> 20) << 12;
  cpu.memory.flush_page(address);
  cpu.memory.flush_timed_tlb();
  if (cpu.memory.may_execute(address)) cpu.new_epoch();
}

template <auto work>
[[gnu::noinline]] const Operation* on_this_core(Cpu& cpu, const Operation& op) {
  if (cpu.is_speculating) return cpu.end_speculation(op);
  work(cpu, op);
  return cpu.finish(op);
}
// For the inner shareable domain: on all cores.
template <auto work>
[[gnu::noinline]] const Operation* on_all_cores(Cpu& cpu, const Operation& op) {
  if (cpu.is_speculating) return cpu.end_speculation(op);
  InHost in(cpu, op);
  work(cpu, op);
  cpu.host.translations_changed();
  return cpu.finish(op);
}

// ---- rows ----

struct Instruction {
  std::uint8_t op1, crn, crm, op2;
  const char* name;
  Handler at_el1;
  Handler at_el0 = nullptr;  // nullptr: UNDEFINED there
};

constexpr Instruction instructions[] = {
    // clang-format off
    {0, 7, 1, 0,  "IC IALLUIS",     step<invalidate_all_instructions>},
    {0, 7, 5, 0,  "IC IALLU",       step<invalidate_all_instructions>},
    {3, 7, 5, 1,  "IC IVAU",        step<invalidate_instructions>,
                                    step<if_allowed<sctlr::uci, invalidate_instructions>>},

    {0, 7, 6, 1,  "DC IVAC",        step<maintain_data<Access::store, Kind::clean_and_invalidate>>},
    {0, 7, 6, 2,  "DC ISW",         step<maintain_set<Kind::clean_and_invalidate>>},
    {0, 7, 10, 2, "DC CSW",         step<maintain_set<Kind::clean>>},
    {0, 7, 14, 2, "DC CISW",        step<maintain_set<Kind::clean_and_invalidate>>},
    {3, 7, 4, 1,  "DC ZVA",         step<zero_line>,
                                    step<if_allowed<sctlr::dze, zero_line>>},
    {3, 7, 10, 1, "DC CVAC",        step<clean>,
                                    step<if_allowed<sctlr::uci, clean>>},
    {3, 7, 11, 1, "DC CVAU",        step<clean_to_l2>,
                                    step<if_allowed<sctlr::uci, clean_to_l2>>},
    {3, 7, 14, 1, "DC CIVAC",       step<clean_and_invalidate>,
                                    step<if_allowed<sctlr::uci, clean_and_invalidate>>},

    {0, 7, 8, 0,  "AT S1E1R",       step<translate_address<Access::load, 1>>},
    {0, 7, 8, 1,  "AT S1E1W",       step<translate_address<Access::store, 1>>},
    {0, 7, 8, 2,  "AT S1E0R",       step<translate_address<Access::load, 0>>},
    {0, 7, 8, 3,  "AT S1E0W",       step<translate_address<Access::store, 0>>},

    {0, 8, 3, 0,  "TLBI VMALLE1IS", step<on_all_cores<invalidate_translations>>},
    {0, 8, 3, 1,  "TLBI VAE1IS",    step<on_all_cores<invalidate_translation>>},
    {0, 8, 3, 2,  "TLBI ASIDE1IS",  step<on_all_cores<invalidate_translations>>},
    {0, 8, 3, 3,  "TLBI VAAE1IS",   step<on_all_cores<invalidate_translation>>},
    {0, 8, 3, 5,  "TLBI VALE1IS",   step<on_all_cores<invalidate_translation>>},
    {0, 8, 3, 7,  "TLBI VAALE1IS",  step<on_all_cores<invalidate_translation>>},
    {0, 8, 7, 0,  "TLBI VMALLE1",   step<on_this_core<invalidate_translations>>},
    {0, 8, 7, 1,  "TLBI VAE1",      step<on_this_core<invalidate_translation>>},
    {0, 8, 7, 2,  "TLBI ASIDE1",    step<on_this_core<invalidate_translations>>},
    {0, 8, 7, 3,  "TLBI VAAE1",     step<on_this_core<invalidate_translation>>},
    {0, 8, 7, 5,  "TLBI VALE1",     step<on_this_core<invalidate_translation>>},
    {0, 8, 7, 7,  "TLBI VAALE1",    step<on_this_core<invalidate_translation>>},
    // clang-format on
};

}  // namespace

bool decode_system_instruction(Decoding& d) {
  const SystemRegister which = system_register_of(d.word);
  for (const Instruction& each : instructions) {
    if (which != SystemRegister{1, each.op1, each.crn, each.crm, each.op2}) continue;
    d.op.run = d.context.el0 ? each.at_el0 : each.at_el1;
    d.op.rd = d.source(0);
    d.op.imm = d.word;
    d.ends_block = d.op.run == step<invalidate_instructions> ||
                   d.op.run == step<invalidate_all_instructions> || d.context.el0;
    return d.op.run != nullptr;
  }
  return false;
}

}  // namespace asterism::a64
