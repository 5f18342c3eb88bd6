// Describes the keys of a config struct as text for a terminal: each with its default, its valid values and
// its meaning.
//
//   memory.size = "2GiB"    a size from "64MiB" to "1TiB"
//       The capacity. A larger memory makes a checkpoint of all of it slower.
#pragma once

#include <string>

#include "base/described_value.h"

namespace asterism {

std::string document_object(ObjectValue& object);

}  // namespace asterism
