// Units and limits that several studies share.
#pragma once

#include "base/units.h"
#include "resilience/long_duration.h"

namespace asterism {

inline constexpr double seconds_of_an_hour = 3600, seconds_of_a_day = 86'400;
inline constexpr LongDuration a_nanosecond(1);
inline constexpr LongDuration a_century = long_duration(100ull * 365 * 86'400);

// Below this efficiency a Monte Carlo simulation makes no progress and does not end.
inline constexpr double min_efficiency = 1e-3;

inline double number(auto count) { return static_cast<double>(count); }
inline double milliseconds(Picoseconds time) { return number(time.count()) / 1e9; }

}  // namespace asterism
