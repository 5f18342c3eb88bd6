#include "core/a64/decoder.h"

namespace asterism::a64 {

std::span<const Row> simd_floating_point_rows() { return {}; }

}  // namespace asterism::a64
