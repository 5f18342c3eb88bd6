// Pairs of instructions that are run as one: the first operation does the work of both and goes on behind the second,
// which stays where it is, so that places and counts do not change.
#pragma once

#include <vector>

#include "core/a64/operation.h"

namespace asterism::a64 {

void fuse(std::vector<Operation>& operations);

}  // namespace asterism::a64
