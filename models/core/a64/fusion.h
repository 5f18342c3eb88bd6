// Fusion of two or three instructions: the first operation does the work of all of them and continues behind
// the last one. The others stay in the block, so that positions and counts do not change.
#pragma once

#include <vector>

#include "core/a64/operation.h"

namespace asterism::a64 {

void fuse(std::vector<Operation>& operations);

}  // namespace asterism::a64
