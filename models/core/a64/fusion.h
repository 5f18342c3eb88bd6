// Instructions that are run as one, two or three of them: the first operation does the work of all and goes on behind the
// last; the others stay where they are, so that places and counts do not change.
#pragma once

#include <vector>

#include "core/a64/operation.h"

namespace asterism::a64 {

void fuse(std::vector<Operation>& operations);

}  // namespace asterism::a64
