// Writes a config struct in full: every member with its value, in the order of the description.
#pragma once

#include <string>

#include "base/described_value.h"

namespace asterism {

// JSON with an indentation of two blanks, quantities with their unit, and a newline at the end. Absent
// optional members and members whose when() does not hold are omitted. Reading the text gives the same
// struct.
std::string write_object(ObjectValue& object);

}  // namespace asterism
