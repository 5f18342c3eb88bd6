// Quantities that cross an interface carry their unit in their type: bytes are not cycles, and an address is
// not a size.
//
// A Quantity holds an integer count of its unit. Quantities of one kind add, subtract and compare; two kinds
// do not mix (base/units_test.cpp checks that such code does not compile). Scaling is by plain integers; the
// quotient of two quantities of one kind is a plain integer. Conversions between kinds are named functions
// that state how they round.
#pragma once

#include <compare>
#include <cstdint>

namespace asterism {

template <class Unit>
class Quantity {
 public:
  using Rep = std::uint64_t;

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep count) : count_(count) {}
  constexpr Rep count() const { return count_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) { return count_ += other.count_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return count_ -= other.count_, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.count_ + b.count_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.count_ - b.count_); }
  friend constexpr Quantity operator*(Quantity a, Rep factor) { return Quantity(a.count_ * factor); }
  friend constexpr Quantity operator*(Rep factor, Quantity a) { return Quantity(a.count_ * factor); }
  friend constexpr Quantity operator/(Quantity a, Rep divisor) { return Quantity(a.count_ / divisor); }
  friend constexpr Rep operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }
  friend constexpr Quantity operator%(Quantity a, Quantity b) { return Quantity(a.count_ % b.count_); }

 private:
  Rep count_ = 0;
};

using Picoseconds = Quantity<struct PicosecondUnit>;  // simulated time; 64 bits last 213 days
using Cycles = Quantity<struct CycleUnit>;            // of a clock that the context names
using Bytes = Quantity<struct ByteUnit>;
using Frequency = Quantity<struct HertzUnit>;
using Bandwidth = Quantity<struct BytePerSecondUnit>;
using Micrometres = Quantity<struct MicrometreUnit>;  // lengths on a chip

// A physical address. Address + Bytes is an address; the distance of two addresses is Bytes.
class Address {
 public:
  constexpr Address() = default;
  constexpr explicit Address(std::uint64_t value) : value_(value) {}
  constexpr std::uint64_t value() const { return value_; }

  constexpr auto operator<=>(const Address&) const = default;
  constexpr Address& operator+=(Bytes size) { return value_ += size.count(), *this; }
  friend constexpr Address operator+(Address a, Bytes size) { return Address(a.value_ + size.count()); }
  friend constexpr Address operator-(Address a, Bytes size) { return Address(a.value_ - size.count()); }
  friend constexpr Bytes operator-(Address a, Address b) { return Bytes(a.value_ - b.value_); }

 private:
  std::uint64_t value_ = 0;
};

// The bytes [first, first + size). Ranges do not wrap: a range may end at the last byte of the address space.
struct AddressRange {
  Address first;
  Bytes size;

  constexpr Address last() const { return first + (size - Bytes(1)); }
  constexpr bool contains(Address a, Bytes length = Bytes(1)) const {
    return a >= first && length <= size && (a - first) <= size - length;
  }
  constexpr bool overlaps(const AddressRange& other) const {
    return size.count() != 0 && other.size.count() != 0 && first <= other.last() && other.first <= last();
  }
  constexpr bool operator==(const AddressRange&) const = default;
};

constexpr AddressRange between(std::uint64_t first, std::uint64_t last) {
  return {Address(first), Bytes(last - first + 1)};
}

// a * b / c without overflow of the product; rounds towards zero, or up if `round_up` is set.
constexpr std::uint64_t scale(std::uint64_t a, std::uint64_t b, std::uint64_t c, bool round_up = false) {
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<std::uint64_t>((Wide{a} * b + (round_up ? c - 1 : 0)) / c);
}

// Time of n cycles of a clock, rounded up to a whole picosecond.
constexpr Picoseconds duration(Cycles n, Frequency clock) {
  return Picoseconds(scale(n.count(), 1'000'000'000'000, clock.count(), true));
}
// Whole cycles of a clock that have ended after `time`.
constexpr Cycles cycles_in(Picoseconds time, Frequency clock) {
  return Cycles(scale(time.count(), clock.count(), 1'000'000'000'000));
}
// Time to move `size` at `rate`, rounded up to a whole picosecond.
constexpr Picoseconds transfer_time(Bytes size, Bandwidth rate) {
  return Picoseconds(scale(size.count(), 1'000'000'000'000, rate.count(), true));
}

inline namespace literals {
constexpr Picoseconds operator""_ps(unsigned long long n) { return Picoseconds(n); }
constexpr Picoseconds operator""_ns(unsigned long long n) { return Picoseconds(n * 1'000); }
constexpr Picoseconds operator""_us(unsigned long long n) { return Picoseconds(n * 1'000'000); }
constexpr Picoseconds operator""_ms(unsigned long long n) { return Picoseconds(n * 1'000'000'000); }
constexpr Picoseconds operator""_s(unsigned long long n) { return Picoseconds(n * 1'000'000'000'000); }
constexpr Cycles operator""_cycles(unsigned long long n) { return Cycles(n); }
constexpr Bytes operator""_B(unsigned long long n) { return Bytes(n); }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes(n << 10); }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes(n << 20); }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes(n << 30); }
constexpr Bytes operator""_TiB(unsigned long long n) { return Bytes(n << 40); }
constexpr Frequency operator""_Hz(unsigned long long n) { return Frequency(n); }
constexpr Frequency operator""_kHz(unsigned long long n) { return Frequency(n * 1'000); }
constexpr Frequency operator""_MHz(unsigned long long n) { return Frequency(n * 1'000'000); }
constexpr Frequency operator""_GHz(unsigned long long n) { return Frequency(n * 1'000'000'000); }
constexpr Micrometres operator""_um(unsigned long long n) { return Micrometres(n); }
constexpr Bandwidth operator""_MBps(unsigned long long n) { return Bandwidth(n * 1'000'000); }
constexpr Bandwidth operator""_GBps(unsigned long long n) { return Bandwidth(n * 1'000'000'000); }
}  // namespace literals

}  // namespace asterism
