#include "ecc/galois_field.h"

#include <stdexcept>

namespace asterism {

GaloisField::GaloisField(unsigned bits, std::uint32_t polynomial)
    : bits_(bits), order_((1u << bits) - 1), power_(2 * std::size_t{order_}), log_(std::size_t{1} << bits) {
  std::uint32_t x = 1;
  for (std::uint32_t i = 0; i < order_; ++i) {
    if (i != 0 && x == 1) throw std::invalid_argument("the polynomial of a Galois field is not primitive");
    power_[i] = power_[i + order_] = static_cast<std::uint16_t>(x);
    log_[x] = i;
    x <<= 1;
    if ((x >> bits & 1) != 0) x ^= polynomial;
  }
}

const GaloisField& GaloisField::of_bytes() {
  static const GaloisField field(8, 0x11D);
  return field;
}

const GaloisField& GaloisField::of_symbols() {
  static const GaloisField field(16, 0x1100B);
  return field;
}

}  // namespace asterism
