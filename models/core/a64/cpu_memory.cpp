// Loads and stores on the slow path.
//
// First the whole access is translated, so that a fault changes nothing. Then it is made in parts, each in
// one page. Accesses to a device or to monitored memory are divided further, into aligned pieces of at most 8
// bytes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

constexpr unsigned widest_transfer = 8;

// Whatever the memory is.
bool is_misaligned(const Cpu& cpu, std::uint64_t address, unsigned element, Ordering ordering) {
  if (address % element == 0) return false;
  return ordering == Ordering::aligned || cpu.system.sctlr & sctlr::a;
}

// Calls f(offset, size) for aligned pieces of at most `widest` bytes.
template <class F>
void for_transfers(std::uint64_t physical, unsigned size, unsigned widest, F f) {
  for (unsigned offset = 0; offset < size;) {
    const std::uint64_t at = physical + offset;
    unsigned piece = std::bit_floor(std::min(size - offset, widest));
    while (at % piece != 0) piece /= 2;
    f(offset, piece);
    offset += piece;
  }
}

// The bytes of an access that lie in one page.
struct Part {
  unsigned offset = 0, size = 0;
  Memory::Translation at;
  std::uint64_t address = 0;
};
struct Parts {
  std::array<Part, 2> parts;
  unsigned count = 0;
  const Part* begin() const { return parts.data(); }
  const Part* end() const { return parts.data() + count; }
};

std::optional<Fault> translate(Cpu& cpu, std::uint64_t address, unsigned size, Access access,
                               Ordering ordering, Parts& parts) {
  const unsigned level = ordering == Ordering::unprivileged ? 0 : cpu.level;
  std::uint64_t asked;
  do {  // while the host is asked for one page, it may collect the other one
    asked = cpu.memory.asked();
    parts.count = 0;
    for (unsigned offset = 0; offset < size;) {
      const std::uint64_t first = address + offset;
      const auto [translation, fault] = cpu.memory.translate(first, access, level);
      if (fault) return fault;
      const auto rest_of_page = static_cast<unsigned>(Memory::page_size - first % Memory::page_size);
      const unsigned length = std::min(size - offset, rest_of_page);
      parts.parts[parts.count++] = {offset, length, translation, address + offset};
      offset += length;
    }
  } while (asked != cpu.memory.asked());
  return std::nullopt;
}

// Whether rules let an access be made; false: the instruction was left.
bool keeps_alignment(Cpu& cpu, const Operation& op, std::uint64_t address, unsigned size, unsigned element,
                     bool is_store, const Parts& parts) {
  if (address % element == 0) return true;
  const bool is_device = std::ranges::any_of(parts, [](const Part& part) { return part.at.is_device; });
  return !is_device || cpu.may_be_unaligned(op, address, size, is_store);
}
bool keeps_read_only(Cpu& cpu, const Operation& op, std::uint64_t address, const Parts& parts) {
  for (const Part& part : parts)
    if (part.at.is_ruled_read_only && !cpu.may_store(op, address + part.offset, part.at.physical, part.size))
      return false;
  return true;
}

void refuse(Cpu& cpu) {
  if (!cpu.serror) cpu.serror = esr::serror_bus_error;
  cpu.set_attend_at();
}

void monitor(Cpu& cpu, const Part& part, unsigned widest, bool is_store) {
  const bool is_cached = part.at.is_cached || !cpu.options.has_data_caches();
  if (is_cached && cpu.memory.has_caches()) {
    cpu.memory.access_caches(part.address, part.at.physical, part.size, is_store);
    if (cpu.memory.has_monitored()) cpu.set_attend_at();
    return;
  }
  for_transfers(part.at.physical, part.size, widest, [&](unsigned offset, unsigned size) {
    cpu.memory.monitor({Address(part.at.physical + offset), size, is_store, is_cached});
  });
  cpu.set_attend_at();
}

// False: the load is aborted.
bool load_from_host(Cpu& cpu, const Part& part, unsigned widest, std::uint8_t* data) {
  if (cpu.is_speculating) throw SpeculationEnds{};
  cpu.memory.report_monitored();
  bool is_aborted = false;
  for_transfers(part.at.physical, part.size, widest, [&](unsigned offset, unsigned size) {
    std::uint64_t value = 0;
    if (is_aborted) return;
    if (!cpu.host.load(Address(part.at.physical + offset), size, value)) {
      if ((is_aborted = cpu.options.aborts_refused_loads)) return;
      value = ~std::uint64_t{0};
      refuse(cpu);
    }
    std::memcpy(data + offset, &value, size);
  });
  return !is_aborted;
}

void store_to_host(Cpu& cpu, const Part& part, unsigned widest, const std::uint8_t* data) {
  cpu.memory.report_monitored();
  for_transfers(part.at.physical, part.size, widest, [&](unsigned offset, unsigned size) {
    std::uint64_t value = 0;
    std::memcpy(&value, data + offset, size);
    if (!cpu.host.store(Address(part.at.physical + offset), size, value)) refuse(cpu);
  });
}

bool load_part(Cpu& cpu, const Part& part, unsigned widest, std::uint8_t* data) {
  // The host may have unmapped the memory during the access of an earlier part.
  const auto direct = part.at.is_direct ? cpu.memory.direct(part.at.physical) : std::nullopt;
  if (!direct) return load_from_host(cpu, part, widest, data);
  if (!cpu.memory.claim(*direct->info, part.at.physical, part.size, Access::load, direct->is_monitored))
    throw SpeculationEnds{};
  std::memcpy(data, direct->host, part.size);
  if (direct->is_monitored) monitor(cpu, part, widest, false);
  return true;
}

std::optional<Memory::Direct> claim_for_store(Cpu& cpu, const Part& part) {
  const auto direct = part.at.is_direct ? cpu.memory.direct_for_store(part.at.physical) : std::nullopt;
  if (!direct && cpu.is_speculating) throw SpeculationEnds{};
  if (direct &&
      !cpu.memory.claim(*direct->info, part.at.physical, part.size, Access::store, direct->is_monitored))
    throw SpeculationEnds{};
  return direct;
}

void store_part(Cpu& cpu, const Part& part, unsigned widest, const std::uint8_t* data) {
  const auto direct = claim_for_store(cpu, part);
  if (!direct) return store_to_host(cpu, part, widest, data);
  std::memcpy(direct->host, data, part.size);
  const bool was_code = cpu.memory.mark_written(*direct->info, part.at.physical, part.size);
  if (direct->info->code != 0) {
    if (was_code) cpu.drop_code({Address(part.at.physical), Bytes(part.size)});
    const std::uint64_t page = part.at.physical & Memory::page_mask;
    cpu.memory.set_code_lines(page, cpu.blocks.code_lines(page));
  }
  if (direct->is_monitored) monitor(cpu, part, widest, true);
}

}  // namespace

std::uint8_t* Cpu::access_line(const Operation& op, std::uint64_t address, unsigned size, unsigned element,
                               bool is_store) {
  if (!memory.may_access_lines() || address % element != 0 || address % Memory::line + size > Memory::line)
    return nullptr;
  const InHost in(*this, op);
  std::uint8_t* const at = memory.access_line(address, is_store);
  if (memory.has_monitored()) set_attend_at();
  return at;
}

bool Cpu::load(const Operation& op, std::uint64_t address, unsigned size, void* data, Ordering ordering,
               unsigned element) {
  if (element == 0) element = size;
  const InHost in(*this, op);
  if (is_misaligned(*this, address, element, ordering)) {
    data_abort(op, {address, fault_status::alignment}, false);
    return false;
  }
  Parts parts;
  if (const auto fault = translate(*this, address, size, Access::load, ordering, parts)) {
    data_abort(op, *fault, false);
    return false;
  }
  if (!keeps_alignment(*this, op, address, size, element, false, parts)) return false;
  if (memory.is_watching() &&
      stop_at_watchpoint(op, {address, size, false, ordering == Ordering::unprivileged}))
    return false;
  for (const Part& part : parts)
    if (!load_part(*this, part, std::min(element, widest_transfer),
                   static_cast<std::uint8_t*>(data) + part.offset)) {
      data_abort(op, {part.address, esr::synchronous_external_abort}, false);
      return false;
    }
  return true;
}

bool Cpu::store(const Operation& op, std::uint64_t address, unsigned size, const void* data,
                Ordering ordering, unsigned element) {
  if (element == 0) element = size;
  const InHost in(*this, op);
  if (is_misaligned(*this, address, element, ordering)) {
    data_abort(op, {address, fault_status::alignment}, true);
    return false;
  }
  Parts parts;
  if (const auto fault = translate(*this, address, size, Access::store, ordering, parts)) {
    data_abort(op, *fault, true);
    return false;
  }
  if (!keeps_alignment(*this, op, address, size, element, true, parts)) return false;
  if (memory.is_watching() &&
      stop_at_watchpoint(op, {address, size, true, ordering == Ordering::unprivileged}))
    return false;
  if (!keeps_read_only(*this, op, address, parts)) return false;
  // A speculation ends before the first part is stored.
  if (is_speculating)
    for (const Part& part : parts) claim_for_store(*this, part);
  for (const Part& part : parts)
    store_part(*this, part, std::min(element, widest_transfer),
               static_cast<const std::uint8_t*>(data) + part.offset);
  return true;
}

// ---- rules for the program ----

bool Cpu::report(const Operation& op, GuestFinding finding) {
  if (is_speculating) return end_speculation(op), false;
  finding.pc = Address(pc_of(op));
  const InHost in(*this, op);
  host.found(finding);
  return true;
}

bool Cpu::may_be_unaligned(const Operation& op, std::uint64_t address, unsigned size, bool is_store) {
  switch (options.rules.alignment) {
    case GuestRules::Alignment::ignored:
      return true;
    case GuestRules::Alignment::reported:
      return report(
          op,
          {.check = GuestCheck::alignment, .address = Address(address), .size = size, .is_store = is_store});
    case GuestRules::Alignment::faults:
      break;
  }
  data_abort(op, {address, fault_status::alignment}, is_store);
  return false;
}

bool Cpu::may_store(const Operation& op, std::uint64_t address, std::uint64_t physical, unsigned size) {
  const AddressRange* const range = memory.violated_by_store(physical, size);
  if (!range) return true;
  if (!report(op, {.check = GuestCheck::read_only,
                   .address = Address(address),
                   .size = size,
                   .is_store = true,
                   .within = *range}))
    return false;
  memory.store_reported(physical);
  return true;
}

void Cpu::find_stack() {
  const std::uint64_t sp = x[stack_pointer];
  stack = options.rules.stacks.empty() ? anywhere : StackInUse{};
  for (const AddressRange& each : options.rules.stacks)
    if (each.first.value() < sp && sp - each.first.value() <= each.size.count())
      stack = {each.first.value(), each.first.value() + each.size.count()};
}

bool Cpu::leave_stack(const Operation& op, std::uint64_t sp) {
  if (!report(op, {.check = GuestCheck::stack,
                   .address = Address(sp),
                   .size = 0,
                   .within = {Address(stack.low), Bytes(stack.high - stack.low)}}))
    return false;
  stack = {};
  return true;
}

}  // namespace asterism::a64
