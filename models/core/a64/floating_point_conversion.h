// The second half of the scalar floating-point instructions.
#pragma once

#include <span>

#include "core/a64/decoder.h"

namespace asterism::a64 {

std::span<const Row> floating_point_conversion_rows();

}  // namespace asterism::a64
