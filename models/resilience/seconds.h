// Time and rates of machines that run for months: the 64 bits of picoseconds of simulated time end after 213
// days. Seconds, Rate and plain numbers do not mix; the product of Seconds and Rate is a number, the expected
// count of events.
#pragma once

#include <compare>

namespace asterism {

class Seconds {
 public:
  constexpr Seconds() = default;
  constexpr explicit Seconds(double count) : count_(count) {}
  constexpr double count() const { return count_; }

  constexpr auto operator<=>(const Seconds&) const = default;
  constexpr Seconds& operator+=(Seconds other) { return count_ += other.count_, *this; }
  friend constexpr Seconds operator+(Seconds a, Seconds b) { return Seconds(a.count_ + b.count_); }
  friend constexpr Seconds operator-(Seconds a, Seconds b) { return Seconds(a.count_ - b.count_); }
  friend constexpr Seconds operator*(Seconds a, double factor) { return Seconds(a.count_ * factor); }
  friend constexpr Seconds operator*(double factor, Seconds a) { return a * factor; }
  friend constexpr Seconds operator/(Seconds a, double divisor) { return Seconds(a.count_ / divisor); }
  friend constexpr double operator/(Seconds a, Seconds b) { return a.count_ / b.count_; }

 private:
  double count_ = 0;
};

// Events per second, independent of each other: the time between two is distributed exponentially.
class Rate {
 public:
  constexpr Rate() = default;
  constexpr explicit Rate(double per_second) : per_second_(per_second) {}
  constexpr double per_second() const { return per_second_; }

  constexpr auto operator<=>(const Rate&) const = default;
  constexpr Rate& operator+=(Rate other) { return per_second_ += other.per_second_, *this; }
  friend constexpr Rate operator+(Rate a, Rate b) { return Rate(a.per_second_ + b.per_second_); }
  friend constexpr Rate operator*(Rate a, double factor) { return Rate(a.per_second_ * factor); }
  friend constexpr Rate operator*(double factor, Rate a) { return a * factor; }
  friend constexpr double operator/(Rate a, Rate b) { return a.per_second_ / b.per_second_; }
  friend constexpr double operator*(Rate a, Seconds time) { return a.per_second_ * time.count(); }
  friend constexpr double operator*(Seconds time, Rate a) { return a * time; }

 private:
  double per_second_ = 0;
};

}  // namespace asterism
