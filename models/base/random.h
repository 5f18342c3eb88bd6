// Deterministic random numbers: the same seed gives the same sequence on every machine (no std::
// distributions, whose results the standard leaves open). SplitMix64: one 64-bit word of state, passes
// BigCrush, and `at` gives any element of the sequence directly, so that a memory can have reproducible
// contents without storing them. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014.
#pragma once

#include <array>
#include <cstdint>

namespace asterism {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : seed_(seed) {}

  constexpr std::uint64_t next() { return at(index_++); }

  // Element `index` of the sequence; does not move next().
  constexpr std::uint64_t at(std::uint64_t index) const {
    std::uint64_t z = seed_ + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), bound > 0; rejection keeps it exact.
  constexpr std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = -bound % bound;  // 2^64 mod bound
    for (;;) {
      const std::uint64_t r = next();
      if (r >= limit) return r % bound;
    }
  }

 private:
  std::uint64_t seed_;
  std::uint64_t index_ = 0;
};

// The number of failed trials before the first success, if each trial succeeds with probability p: k has
// probability p * (1 - p)^k.
//
// The binary digits of such a number are independent, and digit i is set with probability q / (1 + q), where
// q = (1 - p)^(2^i). The number is therefore drawn digit by digit, without a logarithm; it is exact except
// for the 53 bits of a double.
class Geometric {
 public:
  static constexpr double least = 0x1p-48;

  explicit constexpr Geometric(double p) {  // least <= p <= 1
    double success = p;                     // within 2^i trials
    while (success < 1 && digits_ < limits_.size()) {
      limits_[digits_++] = static_cast<std::uint64_t>((1 - success) / (2 - success) * 0x1p64);
      success *= 2 - success;
    }
  }

  constexpr std::uint64_t draw(Random& random) const {
    std::uint64_t failures = 0;
    for (unsigned i = 0; i < digits_; ++i) failures |= std::uint64_t{random.next() < limits_[i]} << i;
    return failures;
  }

 private:
  std::array<std::uint64_t, 56> limits_{};
  unsigned digits_ = 0;
};

}  // namespace asterism
