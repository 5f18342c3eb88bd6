// Exclusives, loads that acquire (LDAPR of FEAT_LRCPC among them) and stores that release, and the atomics of
// FEAT_LSE (Arm DDI 0487, C4.1.67: "Load/store exclusive", "Load/store ordered", "Compare and swap", "Atomic
// memory operations").
//
// One core executes at a time, and all accesses are in order: acquire and release need nothing more of
// memory, and an atomic is a load and a store in one operation. All of them require alignment to their whole
// size. An instruction that may be a message to other cores (a store-release, a store exclusive, an atomic)
// may have to wait first (Cpu::may_execute): while other cores run, the slow form of its handler checks.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "core/a64/cpu.h"
#include "core/a64/decoder.h"
#include "core/a64/handler_table.h"

namespace asterism::a64 {
namespace exclusive {
namespace {

using Bytes16 = std::array<std::uint64_t, 2>;  // little-endian, as in ExclusiveMonitor::value

template <class T>
bool is_aligned(std::uint64_t address) {
  return address % sizeof(T) == 0;
}

// The registers of an access: one, or a pair in adjacent halves of memory.
template <class T>
struct One {
  static constexpr unsigned size = sizeof(T);
  static void load(Cpu& cpu, const Operation& op, const Bytes16& from) {
    cpu.x[op.rd] = static_cast<T>(from[0]);
  }
  static Bytes16 store(const Cpu& cpu, const Operation& op) { return {static_cast<T>(cpu.x[op.rd])}; }
};
template <class T>
struct Pair {
  static constexpr unsigned size = 2 * sizeof(T);
  static Bytes16 joined(std::uint64_t low, std::uint64_t high) {
    if constexpr (sizeof(T) == 8) return {low, high};
    return {static_cast<T>(low) | high << 32};
  }
  static std::uint64_t low(const Bytes16& from) { return static_cast<T>(from[0]); }
  static std::uint64_t high(const Bytes16& from) { return sizeof(T) == 8 ? from[1] : from[0] >> 32; }

  static void load(Cpu& cpu, const Operation& op, const Bytes16& from) {
    cpu.x[op.ra] = high(from);
    cpu.x[op.rd] = low(from);
  }
  static Bytes16 store(const Cpu& cpu, const Operation& op) { return joined(cpu.x[op.rd], cpu.x[op.ra]); }
};

Memory::Result translate(Cpu& cpu, const Operation& op, std::uint64_t address, Access access) {
  const InHost in(cpu, op);  // the host may be asked to map the memory
  return cpu.memory.translate(address, access, cpu.level);
}

// ---- exclusives: rd and ra are moved, rm takes the status ----

// The second of two load exclusives without a store exclusive between them spins on a lock that another core
// holds. It waits instead of the store exclusive: a core that looked only once per quantum might find the
// lock taken for ever. While it waits, another core's store may disarm the monitor, so that its state is kept
// separately.
template <class Data>
[[gnu::noinline]] const Operation* load_exclusive(Cpu& cpu, const Operation& op) {
  if (cpu.is_speculating) return cpu.end_speculation(op);
  cpu.monitor.repeats |= cpu.monitor.armed;
  const bool waits = cpu.monitor.repeats || cpu.monitor.waits_at_load;
  if (waits && !cpu.may_execute(op)) return cpu.left_by_fault();
  const std::uint64_t address = cpu.x[op.rn];
  Bytes16 value{};
  if (!cpu.load(op, address, Data::size, value.data(), Ordering::aligned)) return cpu.left_by_fault();
  const auto [at, fault] = translate(cpu, op, address, Access::load);
  const bool spins = cpu.monitor.repeats && cpu.monitor.physical == at.physical;
  cpu.monitor = {
      .armed = !fault, .waits_at_load = waits, .size = Data::size, .physical = at.physical, .value = value};
  if (cpu.monitors && at.is_direct) cpu.monitors->watch(cpu, at.physical);
  Data::load(cpu, op, value);
  if (spins && !cpu.is_alone) {
    const InHost in(cpu, op);
    cpu.host.spins();
  }
  return cpu.finish(op);
}

// Whether memory still has the value that the monitor loaded; nullopt: the check has raised an exception.
std::optional<bool> holds_still(Cpu& cpu, const Operation& op, const Memory::Translation& at) {
  const ExclusiveMonitor seen = cpu.monitor;
  if (seen.physical != at.physical) return false;
  if (cpu.monitors && at.is_direct && cpu.monitors->is_lost(cpu, at.physical)) return false;
  if (const auto direct = at.is_direct ? cpu.memory.direct(at.physical) : std::nullopt)
    return std::memcmp(direct->host, seen.value.data(), seen.size) == 0;
  Bytes16 now{};
  if (!cpu.load(op, cpu.x[op.rn], seen.size, now.data(), Ordering::aligned)) return std::nullopt;
  return now == seen.value;
}

// Other cores may run while it waits, and store to the line. The next attempt then waits before its load, so
// that no other core comes between; otherwise a core that always meets the same pattern would never succeed.
template <class Data>
[[gnu::noinline]] const Operation* store_exclusive(Cpu& cpu, const Operation& op) {
  if (cpu.is_speculating) return cpu.end_speculation(op);
  if (!cpu.monitor.waits_at_load && !cpu.may_execute(op)) return cpu.left_by_fault();
  const std::uint64_t address = cpu.x[op.rn];
  if (address % Data::size != 0) return cpu.data_abort(op, {address, fault_status::alignment}, true);
  bool passes = false;
  if (cpu.monitor.armed && cpu.monitor.size == Data::size) {
    const auto [at, fault] = translate(cpu, op, address, Access::store);
    if (fault) return cpu.data_abort(op, *fault, true);
    const auto holds = holds_still(cpu, op, at);
    if (!holds) return cpu.left_by_fault();
    passes = *holds;
  }
  const ExclusiveMonitor before = std::exchange(cpu.monitor, {.waits_at_load = !passes});
  const Bytes16 value = Data::store(cpu, op);
  if (passes && !cpu.store(op, address, Data::size, value.data(), Ordering::aligned)) {
    if (cpu.stop_reason) cpu.monitor = before;  // at a watchpoint: the instruction is executed again
    return cpu.left_by_fault();
  }
  cpu.x[op.rm] = !passes;
  return cpu.finish(op);
}

bool decode_exclusive(Decoding& d) {
  static constexpr Handler loads[] = {
      step<load_exclusive<One<std::uint8_t>>>, step<load_exclusive<One<std::uint16_t>>>,
      step<load_exclusive<One<std::uint32_t>>>, step<load_exclusive<One<std::uint64_t>>>};
  static constexpr Handler stores[] = {
      step<store_exclusive<One<std::uint8_t>>>, step<store_exclusive<One<std::uint16_t>>>,
      step<store_exclusive<One<std::uint32_t>>>, step<store_exclusive<One<std::uint64_t>>>};
  const bool is_load = d.bit(22);
  d.op.rd = is_load ? d.target(0) : d.source(0);
  d.op.rn = d.source_or_sp(5);
  d.op.rm = d.target(16);
  d.op.run = (is_load ? loads : stores)[d.bits(31, 30)];
  return true;
}

bool decode_exclusive_pair(Decoding& d) {
  const bool is_load = d.bit(22), is_x = d.bit(30);
  d.op.rd = is_load ? d.target(0) : d.source(0);
  d.op.ra = is_load ? d.target(10) : d.source(10);
  d.op.rn = d.source_or_sp(5);
  d.op.rm = d.target(16);
  if (is_load)
    d.op.run = is_x ? step<load_exclusive<Pair<std::uint64_t>>> : step<load_exclusive<Pair<std::uint32_t>>>;
  else
    d.op.run = is_x ? step<store_exclusive<Pair<std::uint64_t>>> : step<store_exclusive<Pair<std::uint32_t>>>;
  return true;
}

// ---- acquire and release ----

template <class T>
[[gnu::noinline]] const Operation* load_acquire_slow(Cpu& cpu, const Operation& op) {
  T value = 0;
  if (!cpu.load(op, cpu.x[op.rn], sizeof value, &value, Ordering::aligned)) return cpu.left_by_fault();
  cpu.x[op.rd] = value;
  return cpu.finish(op);
}
template <class T>
const Operation* load_acquire(Cpu& cpu, const Operation& op) {
  const std::uint64_t address = cpu.x[op.rn];
  const std::uint8_t* from = is_aligned<T>(address) ? cpu.memory.readable<sizeof(T)>(address) : nullptr;
  if (!from) [[unlikely]]
    return load_acquire_slow<T>(cpu, op);
  T value;
  std::memcpy(&value, from, sizeof value);
  cpu.x[op.rd] = value;
  return &op + 1;
}

template <class T>
[[gnu::noinline]] const Operation* store_release_slow(Cpu& cpu, const Operation& op) {
  if (!cpu.may_execute(op)) return cpu.left_by_fault();
  const T value = static_cast<T>(cpu.x[op.rd]);
  if (!cpu.store(op, cpu.x[op.rn], sizeof value, &value, Ordering::aligned)) return cpu.left_by_fault();
  return cpu.finish(op);
}
template <class T>
const Operation* store_release(Cpu& cpu, const Operation& op) {
  const std::uint64_t address = cpu.x[op.rn];
  std::uint8_t* to =
      cpu.is_alone && is_aligned<T>(address) ? cpu.memory.writable<sizeof(T)>(address) : nullptr;
  if (!to) [[unlikely]]
    return store_release_slow<T>(cpu, op);
  std::memcpy(to, &cpu.x[op.rd], sizeof(T));
  return &op + 1;
}

bool decode_ordered(Decoding& d) {
  static constexpr Handler loads[] = {step<load_acquire<std::uint8_t>>, step<load_acquire<std::uint16_t>>,
                                      step<load_acquire<std::uint32_t>>, step<load_acquire<std::uint64_t>>};
  static constexpr Handler stores[] = {step<store_release<std::uint8_t>>, step<store_release<std::uint16_t>>,
                                       step<store_release<std::uint32_t>>,
                                       step<store_release<std::uint64_t>>};
  const bool is_load = d.bit(22);
  d.op.rd = is_load ? d.target(0) : d.source(0);
  d.op.rn = d.source_or_sp(5);
  d.op.run = (is_load ? loads : stores)[d.bits(31, 30)];
  return true;
}

// LDAPR may be executed before an earlier STLR to another address; here everything is in order.
bool decode_load_acquire(Decoding& d) {
  static constexpr Handler loads[] = {step<load_acquire<std::uint8_t>>, step<load_acquire<std::uint16_t>>,
                                      step<load_acquire<std::uint32_t>>, step<load_acquire<std::uint64_t>>};
  d.op.rd = d.target(0);
  d.op.rn = d.source_or_sp(5);
  d.op.run = loads[d.bits(31, 30)];
  return true;
}

// ---- atomics: shared parts ----

// The checks before an atomic on the slow path: alignment, and permission both to load and to store. An abort
// is reported as that of a store only if the load alone would have succeeded.
const Operation* fault_of_atomic(Cpu& cpu, const Operation& op, std::uint64_t address, unsigned size) {
  if (address % size != 0) return cpu.data_abort(op, {address, fault_status::alignment}, false);
  const Memory::Result store = translate(cpu, op, address, Access::store);
  if (!store.fault) return nullptr;
  const Memory::Result load = translate(cpu, op, address, Access::load);
  return cpu.data_abort(op, load.fault ? *load.fault : *store.fault, !load.fault);
}

// ---- LDADD and similar, SWP: rm is the operand, rd gets the old value of memory ----

enum class Atomic : std::uint8_t { add, clear, exclusive_or, set, smax, smin, umax, umin, swap };

template <class T, Atomic what>
T combined(T old, T operand) {
  using Signed = std::make_signed_t<T>;
  using enum Atomic;
  if constexpr (what == add) return static_cast<T>(old + operand);
  if constexpr (what == clear) return static_cast<T>(old & ~operand);
  if constexpr (what == exclusive_or) return old ^ operand;
  if constexpr (what == set) return old | operand;
  if constexpr (what == smax)
    return static_cast<T>(std::max(static_cast<Signed>(old), static_cast<Signed>(operand)));
  if constexpr (what == smin)
    return static_cast<T>(std::min(static_cast<Signed>(old), static_cast<Signed>(operand)));
  if constexpr (what == umax) return std::max(old, operand);
  if constexpr (what == umin) return std::min(old, operand);
  return operand;
}

template <class T, Atomic what>
[[gnu::noinline]] const Operation* atomic_slow(Cpu& cpu, const Operation& op) {
  if (!cpu.may_execute(op)) return cpu.left_by_fault();
  const std::uint64_t address = cpu.x[op.rn];
  if (const Operation* left = fault_of_atomic(cpu, op, address, sizeof(T))) return left;
  T old = 0;
  if (!cpu.load(op, address, sizeof old, &old, Ordering::aligned)) return cpu.left_by_fault();
  const T combination = combined<T, what>(old, static_cast<T>(cpu.x[op.rm]));
  if (!cpu.store(op, address, sizeof old, &combination, Ordering::aligned)) return cpu.left_by_fault();
  cpu.x[op.rd] = old;
  return cpu.finish(op);
}
template <class T, Atomic what>
const Operation* atomic(Cpu& cpu, const Operation& op) {
  const std::uint64_t address = cpu.x[op.rn];
  std::uint8_t* at =
      cpu.is_alone && is_aligned<T>(address) ? cpu.memory.writable<sizeof(T)>(address) : nullptr;
  if (!at) [[unlikely]]
    return atomic_slow<T, what>(cpu, op);
  T old;
  std::memcpy(&old, at, sizeof old);
  const T combination = combined<T, what>(old, static_cast<T>(cpu.x[op.rm]));
  std::memcpy(at, &combination, sizeof old);
  cpu.x[op.rd] = old;
  return &op + 1;
}

template <Atomic what>
bool decode_atomic(Decoding& d) {
  static constexpr Handler handlers[] = {step<atomic<std::uint8_t, what>>, step<atomic<std::uint16_t, what>>,
                                         step<atomic<std::uint32_t, what>>,
                                         step<atomic<std::uint64_t, what>>};
  d.op.rd = d.target(0);
  d.op.rn = d.source_or_sp(5);
  d.op.rm = d.source(16);
  d.op.run = handlers[d.bits(31, 30)];
  return true;
}

// ---- CAS: memory is compared with ra and replaced by rm; rd gets the old value ----

template <class T>
[[gnu::noinline]] const Operation* compare_and_swap_slow(Cpu& cpu, const Operation& op) {
  if (!cpu.may_execute(op)) return cpu.left_by_fault();
  const std::uint64_t address = cpu.x[op.rn];
  if (const Operation* left = fault_of_atomic(cpu, op, address, sizeof(T))) return left;
  T old = 0;
  if (!cpu.load(op, address, sizeof old, &old, Ordering::aligned)) return cpu.left_by_fault();
  const T next = static_cast<T>(cpu.x[op.rm]);
  if (old == static_cast<T>(cpu.x[op.ra]) && !cpu.store(op, address, sizeof next, &next, Ordering::aligned))
    return cpu.left_by_fault();
  cpu.x[op.rd] = old;
  return cpu.finish(op);
}
// If the values differ, nothing is marked as written; permission is therefore checked on the slow path.
template <class T>
const Operation* compare_and_swap(Cpu& cpu, const Operation& op) {
  const std::uint64_t address = cpu.x[op.rn];
  const std::uint8_t* from =
      cpu.is_alone && is_aligned<T>(address) ? cpu.memory.readable<sizeof(T)>(address) : nullptr;
  if (!from) [[unlikely]]
    return compare_and_swap_slow<T>(cpu, op);
  T old;
  std::memcpy(&old, from, sizeof old);
  std::uint8_t* to = old == static_cast<T>(cpu.x[op.ra]) ? cpu.memory.writable<sizeof(T)>(address) : nullptr;
  if (!to) [[unlikely]]
    return compare_and_swap_slow<T>(cpu, op);
  std::memcpy(to, &cpu.x[op.rm], sizeof old);
  cpu.x[op.rd] = old;
  return &op + 1;
}

bool decode_compare_and_swap(Decoding& d) {
  static constexpr Handler handlers[] = {
      step<compare_and_swap<std::uint8_t>>, step<compare_and_swap<std::uint16_t>>,
      step<compare_and_swap<std::uint32_t>>, step<compare_and_swap<std::uint64_t>>};
  d.op.rd = d.target(16);
  d.op.ra = d.source(16);
  d.op.rn = d.source_or_sp(5);
  d.op.rm = d.source(0);
  d.op.run = handlers[d.bits(31, 30)];
  return true;
}

// Pairs of registers that begin with an even one: ra and ra + 1, rm and rm + 1.
template <class T>
[[gnu::noinline]] const Operation* compare_and_swap_pair(Cpu& cpu, const Operation& op) {
  using Both = Pair<T>;
  if (!cpu.may_execute(op)) return cpu.left_by_fault();
  const std::uint64_t address = cpu.x[op.rn];
  if (const Operation* left = fault_of_atomic(cpu, op, address, Both::size)) return left;
  Bytes16 old{};
  if (!cpu.load(op, address, Both::size, old.data(), Ordering::aligned)) return cpu.left_by_fault();
  const Bytes16 next = Both::joined(cpu.x[op.rm], cpu.x[op.rm + 1u]);
  if (old == Both::joined(cpu.x[op.ra], cpu.x[op.ra + 1u]) &&
      !cpu.store(op, address, Both::size, next.data(), Ordering::aligned))
    return cpu.left_by_fault();
  cpu.x[op.ra] = Both::low(old);
  cpu.x[op.rd] = Both::high(old);
  return cpu.finish(op);
}

bool decode_compare_and_swap_pair(Decoding& d) {
  if (d.bit(16) || d.bit(0)) return false;
  d.op.ra = d.source(16);
  d.op.rd = d.op.ra + 1 == zero_register ? discarded : static_cast<std::uint8_t>(d.op.ra + 1);
  d.op.rn = d.source_or_sp(5);
  d.op.rm = d.source(0);
  d.op.run =
      d.bit(30) ? step<compare_and_swap_pair<std::uint64_t>> : step<compare_and_swap_pair<std::uint32_t>>;
  return true;
}

using enum Row::Needs;

// The bits A, R, L and o0, which select acquire and release, may have any value, and so may registers that
// should be 31.
constexpr Row rows[] = {
    // clang-format off
    {encoding("size 001000 0 L 0 Rs o0 Rt2 Rn Rt"),      "LDXR, LDAXR, STXR, STLXR", decode_exclusive},
    {encoding("1 sz 001000 0 L 1 Rs o0 Rt2 Rn Rt"),      "LDXP, LDAXP, STXP, STLXP", decode_exclusive_pair},
    {encoding("size 001000 1 L 0 Rs 1 Rt2 Rn Rt"),       "LDAR, STLR", decode_ordered},
    {encoding("size 001000 1 L 1 Rs o0 11111 Rn Rt"),    "CAS, CASA, CASAL, CASL", decode_compare_and_swap, lse},
    {encoding("0 sz 001000 0 L 1 Rs o0 11111 Rn Rt"),    "CASP, CASPA, CASPAL, CASPL", decode_compare_and_swap_pair, lse},

    {encoding("size 111 0 00 A R 1 Rs 0 000 00 Rn Rt"),  "LDADD",  decode_atomic<Atomic::add>, lse},
    {encoding("size 111 0 00 A R 1 Rs 0 001 00 Rn Rt"),  "LDCLR",  decode_atomic<Atomic::clear>, lse},
    {encoding("size 111 0 00 A R 1 Rs 0 010 00 Rn Rt"),  "LDEOR",  decode_atomic<Atomic::exclusive_or>, lse},
    {encoding("size 111 0 00 A R 1 Rs 0 011 00 Rn Rt"),  "LDSET",  decode_atomic<Atomic::set>, lse},
    {encoding("size 111 0 00 A R 1 Rs 0 100 00 Rn Rt"),  "LDSMAX", decode_atomic<Atomic::smax>, lse},
    {encoding("size 111 0 00 A R 1 Rs 0 101 00 Rn Rt"),  "LDSMIN", decode_atomic<Atomic::smin>, lse},
    {encoding("size 111 0 00 A R 1 Rs 0 110 00 Rn Rt"),  "LDUMAX", decode_atomic<Atomic::umax>, lse},
    {encoding("size 111 0 00 A R 1 Rs 0 111 00 Rn Rt"),  "LDUMIN", decode_atomic<Atomic::umin>, lse},
    {encoding("size 111 0 00 A R 1 Rs 1 000 00 Rn Rt"),  "SWP",    decode_atomic<Atomic::swap>, lse},

    {encoding("size 111 0 00 1 0 1 11111 1 100 00 Rn Rt"), "LDAPR", decode_load_acquire, rcpc},
    // clang-format on
};

}  // namespace
}  // namespace exclusive

std::span<const Row> exclusive_rows() { return exclusive::rows; }

}  // namespace asterism::a64
