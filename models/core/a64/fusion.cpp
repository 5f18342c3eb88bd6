#include "core/a64/fusion.h"

namespace asterism::a64 {

void fuse(std::vector<Operation>&) {}

}  // namespace asterism::a64
