#include "core/a64/performance_monitors.h"

#include <algorithm>

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

using Monitors = PerformanceMonitors;
constexpr unsigned counter_bits = 32;
// How far ahead the next overflow is searched, in events.
constexpr std::uint64_t far_ahead = std::uint64_t{1} << 40;

constexpr std::uint64_t bit(unsigned counter) { return std::uint64_t{1} << counter; }
constexpr unsigned event_of(std::uint64_t type) { return type & 0x3ff; }

// 0 for an event that is caused only by software, exceptions or other counters.
std::uint64_t count_of(unsigned event, std::uint64_t instructions, const CoreCounts& counts) {
  switch (event) {
    case pmu_event::inst_retired:
      return instructions;
    case pmu_event::cpu_cycles:
      return counts.cycles;
    case pmu_event::stall_backend:
      return counts.stall_cycles;
    case pmu_event::bus_access:
      return counts.bus_accesses;
    case pmu_event::l1d_cache:
      return counts.caches.l1_accesses;
    case pmu_event::l1d_cache_refill:
      return counts.caches.l1_refills;
    case pmu_event::l2d_cache:
      return counts.caches.l2_accesses;
    case pmu_event::l2d_cache_refill:
      return counts.caches.l2_refills;
    default:
      return 0;
  }
}

bool is_divided(const Monitors& monitors) { return (monitors.control & (pmcr::d | pmcr::lc)) == pmcr::d; }

void add_cycles(Monitors& monitors, std::uint64_t cycles) {
  if (is_divided(monitors)) {
    cycles += monitors.rest_of_64;
    monitors.rest_of_64 = cycles % 64;
    cycles /= 64;
  }
  const std::uint64_t before = monitors.cycles, after = before + cycles;
  const bool overflows = monitors.control & pmcr::lc
                             ? after < before
                             : before >> counter_bits != after >> counter_bits || after < before;
  if (overflows) monitors.overflowed |= bit(Monitors::cycle_counter);
  monitors.cycles = after;
}

}  // namespace

// P and U: not at EL1, not at EL0.
bool Cpu::counts_here(std::uint64_t filter) const { return !(filter >> (level == 0 ? 30 : 31) & 1); }

void Cpu::add_to_counter(unsigned counter, std::uint64_t events) {
  const std::uint64_t sum = pmu.events[counter] + events, wraps = sum >> counter_bits;
  pmu.events[counter] = static_cast<std::uint32_t>(sum);
  if (wraps == 0) return;
  pmu.overflowed |= bit(counter);
  const unsigned next = counter + 1;
  const bool is_chained = counter % 2 == 0 && pmu.enabled & bit(next) &&
                          event_of(pmu.types[next]) == pmu_event::chain && counts_here(pmu.types[next]);
  if (is_chained) add_to_counter(next, wraps);
}

void Cpu::count_events() {
  const std::uint64_t count = instructions();
  const CoreCounts now = host.counts();
  if (counts) {
    for (unsigned i = 0; i < Monitors::counters; ++i) {
      if (!(pmu.enabled & bit(i)) || !counts_here(pmu.types[i])) continue;
      const unsigned event = event_of(pmu.types[i]);
      add_to_counter(i, count_of(event, count, now) - count_of(event, pmu.instructions, pmu.seen));
    }
    if (pmu.enabled & bit(Monitors::cycle_counter) && counts_here(pmu.cycle_filter))
      add_cycles(pmu, now.cycles - pmu.seen.cycles);
  }
  pmu.instructions = count;
  pmu.seen = now;
}

// An exception counts at the level from which it is taken.
void Cpu::count_exception() {
  count_events();
  for (unsigned i = 0; i < Monitors::counters; ++i)
    if (pmu.enabled & bit(i) && event_of(pmu.types[i]) == pmu_event::exc_taken && counts_here(pmu.types[i]))
      add_to_counter(i, 1);
  look_at_overflows();
}

void Cpu::count_by_software(std::uint64_t mask) {
  for (unsigned i = 0; counts && i < Monitors::counters; ++i)
    if (mask & pmu.enabled & bit(i) && event_of(pmu.types[i]) == pmu_event::sw_incr &&
        counts_here(pmu.types[i]))
      add_to_counter(i, 1);
}

void Cpu::follow_performance_monitors() {
  const bool is_on = pmu.control & pmcr::e;
  counts = is_on && pmu.enabled != 0;
  watches_overflows = has_interrupted || (is_on && (pmu.enabled | pmu.overflowed) & pmu.interrupting);
  looks_at = never;
  look_at_overflows();
}

// ---- overflows that interrupt ----

void Cpu::watch_overflows() {
  count_events();
  const bool interrupts = pmu.control & pmcr::e && pmu.overflowed & pmu.interrupting;
  if (interrupts == has_interrupted) {
    looks_at = next_overflow();
    return;
  }
  looks_at = never;
  has_interrupted = interrupts;
  host.performance_interrupt(interrupts);  // which may take time
  follow_performance_monitors();
}

// The smallest count of instructions at which an interrupting counter may overflow, if only instructions take
// time. Other events occur in calls to or from the host.
std::uint64_t Cpu::next_overflow() const {
  std::uint64_t next = never;
  if (!counts) return next;
  const auto wants = [&](unsigned i) { return pmu.enabled & pmu.interrupting & bit(i); };
  for (unsigned i = 0; i < Monitors::counters; ++i) {
    const bool feeds_one = i % 2 == 0 && wants(i + 1) && event_of(pmu.types[i + 1]) == pmu_event::chain;
    if (!(pmu.enabled & bit(i)) || !(wants(i) || feeds_one) || !counts_here(pmu.types[i])) continue;
    next = std::min(next, overflow_of(event_of(pmu.types[i]), bit(counter_bits) - pmu.events[i]));
  }
  if (wants(Monitors::cycle_counter) && counts_here(pmu.cycle_filter)) {
    std::uint64_t rest =
        pmu.control & pmcr::lc ? 0 - pmu.cycles : bit(counter_bits) - static_cast<std::uint32_t>(pmu.cycles);
    rest = std::min(rest - 1, far_ahead) + 1;
    if (is_divided(pmu)) rest = rest * 64 - pmu.rest_of_64;
    next = std::min(next, overflow_of(pmu_event::cpu_cycles, rest));
  }
  return next;
}

std::uint64_t Cpu::overflow_of(unsigned event, std::uint64_t rest) const {
  if (event == pmu_event::inst_retired) return pmu.instructions + rest;
  if (event != pmu_event::cpu_cycles) return never;
  return std::max(host.instructions_at(pmu.seen.cycles + rest), pmu.instructions + 1);
}

}  // namespace asterism::a64
