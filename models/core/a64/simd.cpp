// The rows of SIMD without floating point, joined; each section of the manual is a file of its own.
#include <vector>

#include "core/a64/simd_tables.h"

namespace asterism::a64 {

std::span<const Row> simd_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> joined;
    for (const std::span<const Row> section :
         {simd_three_same_rows(), simd_three_different_rows(), simd_by_element_rows(),
          simd_two_register_rows(), simd_across_lanes_rows(), simd_permute_rows(), simd_copy_rows(),
          simd_shift_rows(), simd_three_same_extra_rows(), simd_cryptography_rows()})
      joined.insert(joined.end(), section.begin(), section.end());
    return joined;
  }();
  return rows;
}

}  // namespace asterism::a64
