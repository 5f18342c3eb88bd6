// GF(2^m) for m up to 16, by tables of powers and logarithms; gf256.h has GF(2^8) at compile time. Addition
// is XOR. The polynomials are 0x11D (as gf256.h) and 0x1100B, in which alpha = 2 generates all elements but
// 0.
#pragma once

#include <cstdint>
#include <vector>

namespace asterism {

class GaloisField {
 public:
  // Throws std::invalid_argument if alpha does not generate the field.
  GaloisField(unsigned bits, std::uint32_t polynomial);

  unsigned bits() const { return bits_; }
  std::uint32_t order() const { return order_; }  // the number of powers of alpha
  std::uint16_t power(std::uint64_t exponent) const { return power_[exponent % order_]; }
  // x must not be 0.
  std::uint32_t log(std::uint16_t x) const { return log_[x]; }
  std::uint16_t multiply(std::uint16_t x, std::uint16_t y) const {
    return x != 0 && y != 0 ? power_[log_[x] + log_[y]] : std::uint16_t{0};
  }
  // y must not be 0.
  std::uint16_t divide(std::uint16_t x, std::uint16_t y) const {
    return x != 0 ? power_[log_[x] + order_ - log_[y]] : std::uint16_t{0};
  }

  static const GaloisField& of_bytes();    // GF(2^8)
  static const GaloisField& of_symbols();  // GF(2^16)

 private:
  unsigned bits_;
  std::uint32_t order_;
  std::vector<std::uint16_t> power_;  // twice, so that a sum of two logarithms needs no modulus
  std::vector<std::uint32_t> log_;
};

}  // namespace asterism
