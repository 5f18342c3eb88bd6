// Converts instructions to simulated time: a fixed number of cycles per instruction, exact to the picosecond
// for any count.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>

#include "base/units.h"

namespace asterism {

// Thousandths of a cycle, to the nearest.
constexpr std::uint64_t millicycles(double cpi) {
  const double scaled = cpi * 1000;
  const auto whole = static_cast<std::uint64_t>(scaled);
  return whole + (scaled - static_cast<double>(whole) >= 0.5);
}

class InstructionClock {
 public:
  // Thousandths of a cycle per instruction, so that 1.25 is exact.
  constexpr InstructionClock(Frequency clock, std::uint64_t millicycles)
      : clock_(clock), millicycles_(millicycles) {
    if (picoseconds_per_clock() % clock.count() == 0) whole_ = picoseconds_per_clock() / clock.count();
    const std::uint64_t common = std::gcd(picoseconds_per_clock(), clock.count());
    numerator_ = picoseconds_per_clock() / common, denominator_ = clock.count() / common;
    short_ = numerator_ == 0 ? 0 : std::numeric_limits<std::uint64_t>::max() / numerator_;
  }

  // The time of n instructions, rounded down. No remainder is lost, because it is computed from the whole
  // count.
  constexpr Picoseconds time(std::uint64_t n) const {
    if (whole_ != 0) return Picoseconds(n * whole_);
    if (n <= short_) return Picoseconds(n * numerator_ / denominator_);
    return Picoseconds(scale(n, picoseconds_per_clock(), clock_.count()));
  }
  // The least n with time(n) >= t.
  constexpr std::uint64_t instructions(Picoseconds t) const {
    if (whole_ != 0) return (t.count() + whole_ - 1) / whole_;
    return scale(t.count(), clock_.count(), picoseconds_per_clock(), true);
  }

 private:
  // Picoseconds that an instruction would take at 1 Hz, divided by 1 s: 10^12 * millicycles / 1000.
  constexpr std::uint64_t picoseconds_per_clock() const { return 1'000'000'000 * millicycles_; }

  Frequency clock_;
  std::uint64_t millicycles_;
  // Picoseconds per instruction if that is an integer, which avoids a division; otherwise 0.
  std::uint64_t whole_ = 0;
  // The same as a fraction, for counts up to short_, which avoids the long division.
  std::uint64_t numerator_ = 0, denominator_ = 1, short_ = 0;
};

}  // namespace asterism
