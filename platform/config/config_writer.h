// Writes a config struct out in full: every member with the value it has, in the order of its description.
#pragma once

#include <string>

#include "base/described_value.h"

namespace asterism {

// JSON, two blanks a level, quantities in their unit, a newline at the end. Absent optional members, and
// those whose when() does not hold, are left out; reading it gives the same struct.
std::string write_object(ObjectValue& object);

}  // namespace asterism
