// A simulated time for people.
#pragma once

#include <string>

#include "base/units.h"

namespace asterism {

// 12'400'000'000 ps -> "12.4 ms"
std::string human_time(Picoseconds time);

}  // namespace asterism
