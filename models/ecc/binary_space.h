// Vectors of 128 bits over GF(2) and the spaces that they span: how codes over ranks of chips are decoded,
// and how the errors are counted that they take for others.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace asterism {

struct BinaryVector {
  std::uint64_t low = 0, high = 0;

  constexpr BinaryVector& operator^=(const BinaryVector& other) {
    low ^= other.low;
    high ^= other.high;
    return *this;
  }
  constexpr bool is_zero() const { return (low | high) == 0; }
  constexpr bool test(unsigned bit) const { return (bit < 64 ? low >> bit : high >> (bit - 64)) & 1; }
  // Of a vector that is not zero.
  constexpr unsigned highest() const {
    return static_cast<unsigned>(high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(low));
  }
  constexpr bool operator==(const BinaryVector&) const = default;
};

class BinarySpace {
 public:
  // Adds a vector. Returns whether it was not yet in the space.
  bool add(const BinaryVector& vector) {
    const BinaryVector rest = reduced(vector);
    if (rest.is_zero()) return false;
    rows_[rest.highest()] = rest;
    ++dimension_;
    return true;
  }
  // The vector plus one of the space: zero if it is in the space.
  BinaryVector reduced(BinaryVector vector) const {
    while (!vector.is_zero()) {
      const BinaryVector& row = rows_[vector.highest()];
      if (row.is_zero()) break;
      vector ^= row;
    }
    return vector;
  }
  unsigned dimension() const { return dimension_; }
  std::vector<BinaryVector> basis() const {
    std::vector<BinaryVector> vectors;
    vectors.reserve(dimension_);
    for (const BinaryVector& row : rows_)
      if (!row.is_zero()) vectors.push_back(row);
    return vectors;
  }

 private:
  std::array<BinaryVector, 128> rows_{};  // by their highest bit
  unsigned dimension_ = 0;
};

// The vectors that are in both spaces (Zassenhaus): a vector of the second one that reduces to zero by the
// first and by earlier ones is, without its part of the second, a vector of the first.
inline BinarySpace intersection(const BinarySpace& a, const BinarySpace& b) {
  // (reduced vector, its part from the first space)
  std::array<std::pair<BinaryVector, BinaryVector>, 128> rows{};
  BinarySpace common;
  const auto add = [&](BinaryVector vector, BinaryVector part) {
    while (!vector.is_zero()) {
      auto& row = rows[vector.highest()];
      if (row.first.is_zero()) {
        row = {vector, part};
        return;
      }
      vector ^= row.first;
      part ^= row.second;
    }
    common.add(part);
  };
  for (const BinaryVector& vector : a.basis()) add(vector, vector);
  for (const BinaryVector& vector : b.basis()) add(vector, {});
  return common;
}

}  // namespace asterism
