// SIMD floating point by one element of a vector (Arm DDI 0487, C4.1.68: x indexed element).
#include "core/a64/simd_floating_point.h"

namespace asterism::a64 {
namespace simd_floating_point_by_element {
namespace {

using namespace simd_float;

// H:L is the index of a single, H that of a double.
template <auto decode_registers>
bool decode_by_element(Decoding& d) {
  const bool is_double = d.bit(22), h = d.bit(11), l = d.bit(21);
  if (is_double && l) return false;
  d.op.ra = static_cast<std::uint8_t>(is_double ? h : h << 1 | l);
  return decode_registers(d);
}

constexpr auto fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q 0 01111 1 sz L M Rm4 0001 H 0 Rn Rd"), "FMLA (by element)",  decode_by_element<decode_vector_fused<ThreeByElement<false>>>, fp},
    {encoding("0 Q 0 01111 1 sz L M Rm4 0101 H 0 Rn Rd"), "FMLS (by element)",  decode_by_element<decode_vector_fused<ThreeByElement<true>>>, fp},
    {encoding("0 Q 0 01111 1 sz L M Rm4 1001 H 0 Rn Rd"), "FMUL (by element)",  decode_by_element<decode_vector<Multiply, TwoByElement>>, fp},
    {encoding("0 Q 1 01111 1 sz L M Rm4 1001 H 0 Rn Rd"), "FMULX (by element)", decode_by_element<decode_vector<MultiplyExtended, TwoByElement>>, fp},

    {encoding("01 0 11111 1 sz L M Rm4 0001 H 0 Rn Rd"), "FMLA (scalar, by element)",  decode_by_element<decode_scalar_fused<ThreeByElement<false>>>, fp},
    {encoding("01 0 11111 1 sz L M Rm4 0101 H 0 Rn Rd"), "FMLS (scalar, by element)",  decode_by_element<decode_scalar_fused<ThreeByElement<true>>>, fp},
    {encoding("01 0 11111 1 sz L M Rm4 1001 H 0 Rn Rd"), "FMUL (scalar, by element)",  decode_by_element<decode_scalar<Multiply, TwoByElement>>, fp},
    {encoding("01 1 11111 1 sz L M Rm4 1001 H 0 Rn Rd"), "FMULX (scalar, by element)", decode_by_element<decode_scalar<MultiplyExtended, TwoByElement>>, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_floating_point_by_element

std::span<const Row> simd_floating_point_by_element_rows() { return simd_floating_point_by_element::rows; }

}  // namespace asterism::a64
