// The architectural state of an A64 core (Armv8.0-A, EL0 and EL1). It is plain data: a snapshot is a copy.
//
// Two representations are chosen for speed. Register 31 has several indices (one that reads as zero, one that
// is the stack pointer, one whose value is discarded), and the condition flags are kept as the values from
// which they are computed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "core/a64/debug_registers.h"
#include "core/a64/performance_monitors.h"
#include "core/a64/system_registers.h"

namespace asterism::a64 {

// Indices in State::x beside X0 to X30.
inline constexpr std::uint8_t zero_register = 31;  // always 0; never written
inline constexpr std::uint8_t stack_pointer = 32;  // the SP in use
inline constexpr std::uint8_t discarded = 33;      // the target of writes to XZR

// N is bit 63 of `negative`; Z is set if zero_if is 0.
struct Flags {
  // In this order, N and Z are set by two scalar stores. If they were adjacent, the compiler would combine
  // them to a vector first.
  std::uint64_t negative = 0;
  bool c = false;
  std::uint8_t v = 0;  // 0 or 1
  std::uint64_t zero_if = 1;

  bool n() const { return static_cast<std::int64_t>(negative) < 0; }
  bool z() const { return zero_if == 0; }
  // N, Z, C, V as bits 3 to 0.
  unsigned nzcv() const { return n() << 3 | z() << 2 | c << 1 | v; }
  void set(unsigned nzcv) {
    negative = std::uint64_t{nzcv >> 3 & 1} << 63, zero_if = ~nzcv >> 2 & 1, c = nzcv >> 1 & 1, v = nzcv & 1;
  }
  bool operator==(const Flags& other) const { return nzcv() == other.nzcv(); }
};

// A SIMD and floating-point register; d[0] is the low half.
struct alignas(16) Vector {
  std::array<std::uint64_t, 2> d{};
  bool operator==(const Vector&) const = default;
};

// The local exclusive monitor.
struct ExclusiveMonitor {
  bool armed = false;
  bool waits_at_load = false;            // the load waits for simulated time, instead of the store after it
  bool repeats = false;                  // the present load exclusive follows another one
  std::uint8_t size = 0;                 // bytes, 1 to 16
  std::uint64_t physical = 0;            // address
  std::array<std::uint64_t, 2> value{};  // loaded
  bool operator==(const ExclusiveMonitor&) const = default;
};

// The stack of GuestRules that SP is in; 0 and 0: in none.
struct StackInUse {
  std::uint64_t low = 0, high = 0;
  bool contains(std::uint64_t sp) const { return low < sp && sp <= high; }
};

// With the places of those indices. What was written to `discarded` is no part of the state.
struct GeneralRegisters : std::array<std::uint64_t, 34> {
  bool operator==(const GeneralRegisters& other) const {
    return std::equal(begin(), begin() + discarded, other.begin());
  }
};

struct State {
  GeneralRegisters x{};
  std::array<Vector, 32> v{};
  Flags flags;
  std::uint64_t pc = 0;  // not kept up to date inside a block
  std::uint32_t fpcr = 0, fpsr = 0;
  std::uint32_t daif = 0;    // bits 9 to 6, as in PSTATE
  std::uint8_t level = 1;    // exception level: 0 or 1
  bool uses_sp_el1 = true;   // PSTATE.SP
  bool illegal = false;      // PSTATE.IL
  bool single_step = false;  // PSTATE.SS
  SystemRegisters system;    // its sp_el0 and sp_el1 hold the stack pointers that are not in use
  DebugRegisters debug;
  PerformanceMonitors pmu;
  ExclusiveMonitor monitor;
  std::optional<std::uint32_t> serror;  // pending, its ISS

  bool operator==(const State&) const = default;
};

}  // namespace asterism::a64
