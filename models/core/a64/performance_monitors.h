// The performance monitors of a core, PMUv3 as of Armv8.0 (Arm DDI 0487, D5 and D17.5): a cycle counter of 64
// bits and six event counters of 32, as a Cortex-A57 has them.
//
// Counters are not updated while a program runs. Events are added when a counter is read, when their
// selection changes (a register, the exception level), and when an overflow has to interrupt. They therefore
// cost nothing in between, and a count is exact at the instruction that reads it.
#pragma once

#include <array>
#include <cstdint>

#include "core/core_counts.h"

namespace asterism::a64 {

namespace pmu_event {
inline constexpr unsigned sw_incr = 0x00, l1d_cache_refill = 0x03, l1d_cache = 0x04, inst_retired = 0x08,
                          exc_taken = 0x09, cpu_cycles = 0x11, l2d_cache = 0x16, l2d_cache_refill = 0x17,
                          bus_access = 0x19, chain = 0x1e, stall_backend = 0x24;
}  // namespace pmu_event

namespace pmcr {
inline constexpr std::uint64_t e = 1 << 0, p = 1 << 1, c = 1 << 2, d = 1 << 3, x = 1 << 4, dp = 1 << 5,
                               lc = 1 << 6;
inline constexpr std::uint64_t writable = e | d | x | dp | lc;
}  // namespace pmcr

struct PerformanceMonitors {
  static constexpr unsigned counters = 6;
  static constexpr unsigned cycle_counter = 31;  // its bit in masks, and its number in PMSELR_EL0
  static constexpr std::uint64_t all = std::uint64_t{1} << cycle_counter | ((1 << counters) - 1);
  static constexpr std::uint64_t filter_bits = 3u << 30;  // P, U
  static constexpr std::uint64_t type_bits = filter_bits | 0x3ff;

  std::uint64_t control = 0;                                    // the writable bits of PMCR_EL0
  std::uint64_t enabled = 0, overflowed = 0, interrupting = 0;  // PMCNTEN, PMOVS, PMINTEN
  std::uint64_t selected = 0, for_el0 = 0;                      // PMSELR_EL0, PMUSERENR_EL0
  std::uint64_t cycles = 0, cycle_filter = 0;                   // PMCCNTR_EL0, PMCCFILTR_EL0
  std::array<std::uint64_t, counters> events{}, types{};        // PMEVCNTRn_EL0, PMEVTYPERn_EL0

  // The counts up to which events have been added.
  std::uint64_t instructions = 0;
  CoreCounts seen;
  std::uint64_t rest_of_64 = 0;  // remaining cycles, with PMCR_EL0.D

  bool operator==(const PerformanceMonitors&) const = default;
};

}  // namespace asterism::a64
