// The statistics of a block (base/statistics.h) as JSON, for the detail of a point.
#pragma once

#include <nlohmann/json.hpp>

#include "base/statistics.h"

namespace asterism {

nlohmann::ordered_json json_of(const Statistics& statistics);

}  // namespace asterism
