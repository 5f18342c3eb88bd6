// The rows of the registers of the performance monitors, for system_registers.cpp.
#pragma once

#include <cstdint>

#include "core/a64/performance_monitors.h"
#include "core/a64/system_register_rows.h"

namespace asterism::a64::rows {

using P = PerformanceMonitors;

// ---- access at EL0: PMUSERENR_EL0 ----

constexpr std::uint64_t user_en = 1 << 0, user_sw = 1 << 1, user_cr = 1 << 2, user_er = 1 << 3;

// With EN, or with another bit for reading or writing.
template <std::uint64_t to_read, std::uint64_t to_write = 0>
Permission monitors(const Cpu& cpu, bool is_write) {
  constexpr std::uint64_t also[] = {to_read, to_write};
  return cpu.pmu.for_el0 & (user_en | also[is_write]) ? Permission::allowed : Permission::trapped;
}

// ---- effects of reads and writes ----

constexpr std::uint64_t identity =
    std::uint64_t{0x41} << 24 | 0x01 << 16 | P::counters << 11;  // Arm, Cortex-A57

inline std::uint64_t read_control(const Cpu& cpu) { return identity | cpu.pmu.control; }
inline Written write_control(Cpu& cpu, std::uint64_t value) {
  P& pmu = cpu.pmu;
  if (value & pmcr::p) pmu.events = {};
  if (value & pmcr::c) pmu.cycles = pmu.rest_of_64 = 0;
  pmu.control = value & pmcr::writable;
  cpu.follow_performance_monitors();
  return Written::synchronise;
}

// Pairs of registers that set and clear bits of one mask.
template <std::uint64_t P::*mask>
std::uint64_t read_mask(const Cpu& cpu) {
  return cpu.pmu.*mask;
}
template <std::uint64_t P::*mask>
Written set_mask(Cpu& cpu, std::uint64_t value) {
  cpu.pmu.*mask |= value & P::all;
  cpu.follow_performance_monitors();
  return Written::synchronise;
}
template <std::uint64_t P::*mask>
Written clear_mask(Cpu& cpu, std::uint64_t value) {
  cpu.pmu.*mask &= ~value;
  cpu.follow_performance_monitors();
  return Written::synchronise;
}
template <std::uint64_t P::*place, std::uint64_t kept>
Written write_field(Cpu& cpu, std::uint64_t value) {
  cpu.pmu.*place = value & kept;
  cpu.follow_performance_monitors();
  return Written::synchronise;
}

inline Written count_by_software(Cpu& cpu, std::uint64_t value) {
  cpu.count_by_software(value);
  cpu.look_at_overflows();
  return Written::synchronise;
}

// Counter n. It may not exist, since PMSELR_EL0 can select any number.
inline std::uint64_t event_counter(const Cpu& cpu, std::uint64_t n) {
  return n < P::counters ? cpu.pmu.events[n] : 0;
}
inline Written set_event_counter(Cpu& cpu, std::uint64_t n, std::uint64_t value) {
  if (n < P::counters) cpu.pmu.events[n] = static_cast<std::uint32_t>(value);
  cpu.follow_performance_monitors();
  return Written::synchronise;
}
inline std::uint64_t event_type(const Cpu& cpu, std::uint64_t n) {
  if (n == P::cycle_counter) return cpu.pmu.cycle_filter;
  return n < P::counters ? cpu.pmu.types[n] : 0;
}
inline Written set_event_type(Cpu& cpu, std::uint64_t n, std::uint64_t value) {
  if (n == P::cycle_counter) cpu.pmu.cycle_filter = value & P::filter_bits;
  if (n < P::counters) cpu.pmu.types[n] = value & P::type_bits;
  cpu.follow_performance_monitors();
  return Written::synchronise;
}
template <unsigned n>
std::uint64_t read_counter(const Cpu& cpu) {
  return event_counter(cpu, n);
}
template <unsigned n>
Written write_counter(Cpu& cpu, std::uint64_t value) {
  return set_event_counter(cpu, n, value);
}
template <unsigned n>
std::uint64_t read_type(const Cpu& cpu) {
  return event_type(cpu, n);
}
template <unsigned n>
Written write_type(Cpu& cpu, std::uint64_t value) {
  return set_event_type(cpu, n, value);
}
inline std::uint64_t read_selected_counter(const Cpu& cpu) { return event_counter(cpu, cpu.pmu.selected); }
inline Written write_selected_counter(Cpu& cpu, std::uint64_t value) {
  return set_event_counter(cpu, cpu.pmu.selected, value);
}
inline std::uint64_t read_selected_type(const Cpu& cpu) { return event_type(cpu, cpu.pmu.selected); }
inline Written write_selected_type(Cpu& cpu, std::uint64_t value) {
  return set_event_type(cpu, cpu.pmu.selected, value);
}

// The events that are counted, and no others.
inline std::uint64_t read_events_0(const Cpu& cpu) {
  using namespace pmu_event;  // NOLINT(google-build-using-namespace): a table of rows, one name each
  constexpr std::uint64_t always =
      1u << sw_incr | 1u << inst_retired | 1u << exc_taken | 1u << cpu_cycles | 1u << chain;
  constexpr std::uint64_t of_caches =
      1u << l1d_cache_refill | 1u << l1d_cache | 1u << l2d_cache | 1u << l2d_cache_refill | 1u << bus_access;
  return always | (cpu.host.counts_caches() ? of_caches : 0);
}
inline std::uint64_t read_events_1(const Cpu&) { return 1u << (pmu_event::stall_backend - 32); }

// ---- rows ----

consteval SystemRegisterRow counting(SystemRegister which, const char* name, SystemRegisterRow::Read read,
                                     SystemRegisterRow::Write write, SystemRegisterRow::AtEl0 at_el0) {
  SystemRegisterRow row = computed(which, name, read, write, at_el0);
  row.counts = true;
  return row;
}
consteval SystemRegisterRow counting_writes(SystemRegister which, const char* name,
                                            SystemRegisterRow::Write write, SystemRegisterRow::AtEl0 at_el0) {
  SystemRegisterRow row = only_written(which, name, write);
  row.at_el0 = at_el0;
  row.counts = true;
  return row;
}
template <unsigned n>
consteval SystemRegisterRow counter(const char* name) {
  return counting({3, 3, 14, 8, n}, name, read_counter<n>, write_counter<n>, monitors<user_er>);
}
template <unsigned n>
consteval SystemRegisterRow type(const char* name) {
  return counting({3, 3, 14, 12, n}, name, read_type<n>, write_type<n>, monitors<0>);
}

static_assert(P::counters == 6);
inline constexpr SystemRegisterRow performance_monitor_rows[] = {
    // clang-format off
    counting({3, 3, 9, 12, 0},  "PMCR_EL0",       read_control, write_control, monitors<0>),
    counting({3, 3, 9, 12, 1},  "PMCNTENSET_EL0", read_mask<&P::enabled>, set_mask<&P::enabled>, monitors<0>),
    counting({3, 3, 9, 12, 2},  "PMCNTENCLR_EL0", read_mask<&P::enabled>, clear_mask<&P::enabled>, monitors<0>),
    counting({3, 3, 9, 12, 3},  "PMOVSCLR_EL0",   read_mask<&P::overflowed>, clear_mask<&P::overflowed>, monitors<0>),
    counting_writes({3, 3, 9, 12, 4}, "PMSWINC_EL0", count_by_software, monitors<0, user_sw>),
    counting({3, 3, 9, 12, 5},  "PMSELR_EL0",     read_mask<&P::selected>, write_field<&P::selected, 0x1f>,
             monitors<user_er, user_er>),
    computed({3, 3, 9, 12, 6},   "PMCEID0_EL0",    read_events_0, nullptr, monitors<0>),
    computed({3, 3, 9, 12, 7},   "PMCEID1_EL0",    read_events_1, nullptr, monitors<0>),
    counting({3, 3, 9, 13, 0},  "PMCCNTR_EL0",    read_mask<&P::cycles>, write_field<&P::cycles, ~std::uint64_t{0}>,
             monitors<user_cr>),
    counting({3, 3, 9, 13, 1},  "PMXEVTYPER_EL0", read_selected_type, write_selected_type, monitors<0>),
    counting({3, 3, 9, 13, 2},  "PMXEVCNTR_EL0",  read_selected_counter, write_selected_counter, monitors<user_er>),
    counting({3, 3, 9, 14, 0},  "PMUSERENR_EL0",  read_mask<&P::for_el0>, write_field<&P::for_el0, 0xf>, reader),
    counting({3, 0, 9, 14, 1},  "PMINTENSET_EL1", read_mask<&P::interrupting>, set_mask<&P::interrupting>, nullptr),
    counting({3, 0, 9, 14, 2},  "PMINTENCLR_EL1", read_mask<&P::interrupting>, clear_mask<&P::interrupting>, nullptr),
    counting({3, 3, 9, 14, 3},  "PMOVSSET_EL0",   read_mask<&P::overflowed>, set_mask<&P::overflowed>, monitors<0>),
    counter<0>("PMEVCNTR0_EL0"), counter<1>("PMEVCNTR1_EL0"), counter<2>("PMEVCNTR2_EL0"),
    counter<3>("PMEVCNTR3_EL0"), counter<4>("PMEVCNTR4_EL0"), counter<5>("PMEVCNTR5_EL0"),
    type<0>("PMEVTYPER0_EL0"), type<1>("PMEVTYPER1_EL0"), type<2>("PMEVTYPER2_EL0"),
    type<3>("PMEVTYPER3_EL0"), type<4>("PMEVTYPER4_EL0"), type<5>("PMEVTYPER5_EL0"),
    counting({3, 3, 14, 15, 7}, "PMCCFILTR_EL0",  read_type<P::cycle_counter>, write_type<P::cycle_counter>, monitors<0>),
    // clang-format on
};

}  // namespace asterism::a64::rows
