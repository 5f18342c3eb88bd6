// Times for people.
#pragma once

#include <string>

#include "base/units.h"

namespace asterism {

// 12'400'000'000 ps -> "12.4 ms"
std::string human_time(Picoseconds time);

// Of a person: "12.4ms" or "12.4 ms". Throws std::invalid_argument as parse_quantity() does.
Picoseconds time_of_person(std::string text);

// A time of the host, in one of these units: 7 -> "7 s", 200 -> "3 min", 10'000 -> "3 h"
std::string human_seconds(double seconds);

}  // namespace asterism
