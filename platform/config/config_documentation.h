// The keys of a config struct as text for a terminal: each with its default, what it takes and what it means.
//
//   memory.size = "2GiB"    a size from "64MiB" to "1TiB"
//       Capacity; a larger one makes a checkpoint of all of it slower
#pragma once

#include <string>

#include "base/described_value.h"

namespace asterism {

std::string document_object(ObjectValue& object);

}  // namespace asterism
