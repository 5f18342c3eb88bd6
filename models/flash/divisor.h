// Fast division of 32-bit numbers by a number known in advance: a multiplication.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace asterism {

// With m = (2^64 - 1 - r) / d, where r < d is the remainder, (n + 1) * m / 2^64 is less than (n + 1) / d by
// more than 0 and at most 2^-32. Its integer part is therefore that of n / d.
class Divisor {
 public:
  explicit constexpr Divisor(std::uint32_t value)
      : value_(value), inverse_(std::numeric_limits<std::uint64_t>::max() / not_zero(value)) {}

  friend constexpr std::uint32_t operator/(std::uint32_t n, Divisor d) {
    __extension__ typedef unsigned __int128 Wide;
    return static_cast<std::uint32_t>(Wide{d.inverse_} * (std::uint64_t{n} + 1) >> 64);
  }
  friend constexpr std::uint32_t operator%(std::uint32_t n, Divisor d) { return n - n / d * d.value_; }

 private:
  static constexpr std::uint32_t not_zero(std::uint32_t value) {
    return value != 0 ? value : throw std::invalid_argument("division by zero");
  }

  std::uint32_t value_;
  std::uint64_t inverse_;
};

static_assert(0 / Divisor(1) == 0 && 0xffff'ffff / Divisor(1) == 0xffff'ffff);
static_assert(6 / Divisor(7) == 0 && 7 / Divisor(7) == 1 && 0xffff'fffe % Divisor(3) == 2);
static_assert(0xffff'fffe / Divisor(0xffff'ffff) == 0 && 0xffff'ffff / Divisor(0xffff'ffff) == 1);
static_assert(0xffff'fffe / Divisor(0x8000'0000) == 1 && 0x7fff'ffff / Divisor(0x8000'0000) == 0);

}  // namespace asterism
