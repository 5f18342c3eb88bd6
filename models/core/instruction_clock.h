// Instructions as simulated time: a fixed number of cycles an instruction, exact to the picosecond for any
// count.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace asterism {

class InstructionClock {
 public:
  // Thousandths of a cycle an instruction, so that 1.25 is exact.
  constexpr InstructionClock(Frequency clock, std::uint64_t millicycles)
      : clock_(clock), millicycles_(millicycles) {}

  // Time of n instructions, rounded down; the remainder is never lost, since it is computed from the whole
  // count.
  constexpr Picoseconds time(std::uint64_t n) const {
    return Picoseconds(scale(n, picoseconds_per_clock(), clock_.count()));
  }
  // The least n with time(n) >= t.
  constexpr std::uint64_t instructions(Picoseconds t) const {
    return scale(t.count(), clock_.count(), picoseconds_per_clock(), true);
  }

 private:
  // Picoseconds that an instruction would take at 1 Hz, divided by 1 s: 10^12 * millicycles / 1000.
  constexpr std::uint64_t picoseconds_per_clock() const { return 1'000'000'000 * millicycles_; }

  Frequency clock_;
  std::uint64_t millicycles_;
};

}  // namespace asterism
