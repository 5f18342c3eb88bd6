// Durations of machines that run for months, in the units that people write: "4h", "90s", "5y". They count
// nanoseconds, of which 64 bits hold 584 years; a year has 365 days.
#pragma once

#include <array>
#include <cstdint>

#include "base/quantity_text.h"
#include "resilience/seconds.h"

namespace asterism {

using LongDuration = Quantity<struct NanosecondUnit>;

inline const QuantityKind& quantity_kind(LongDuration) {
  constexpr std::uint64_t second = 1'000'000'000, day = 86'400 * second;
  static constexpr std::array units = {QuantityUnit{"y", 365 * day},     QuantityUnit{"d", day},
                                       QuantityUnit{"h", 3600 * second}, QuantityUnit{"min", 60 * second},
                                       QuantityUnit{"s", second},        QuantityUnit{"ms", 1'000'000},
                                       QuantityUnit{"us", 1000},         QuantityUnit{"ns", 1}};
  static constexpr QuantityKind kind{"a long duration", "4h", units};
  return kind;
}

constexpr LongDuration long_duration(std::uint64_t seconds) { return LongDuration(seconds * 1'000'000'000); }
constexpr Seconds seconds(LongDuration duration) {
  return Seconds(static_cast<double>(duration.count()) / 1e9);
}

}  // namespace asterism
