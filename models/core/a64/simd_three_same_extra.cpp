// Advanced SIMD three same extra, vector and scalar (Arm DDI 0487, C4.1.96), without complex numbers:
// multiplications that accumulate, rounded and saturated (FEAT_RDM), and dot products of bytes
// (FEAT_DotProd).
#include "core/a64/simd_operands.h"

namespace asterism::a64 {
namespace simd_three_same_extra {
namespace {

template <auto f>
constexpr auto vectors = decode_vector<Lanewise<f>, size_h | size_s, Sign::is_signed>;
template <auto f>
constexpr auto scalars = decode_scalar<Lanewise<f>, size_h | size_s, Sign::is_signed>;

bool decode_dot(Decoding& d) {
  take_registers(d);
  d.op.run = vector_handler<Dot<Second::lanes>, size_b, Sign::by_u>(d, 0);
  return true;
}

using enum Row::Needs;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q 1 01110 size 0 Rm 1 0000 1 Rn Rd"), "SQRDMLAH (vector)",   vectors<rounding_doubling_high_add>, rdm},
    {encoding("0 Q 1 01110 size 0 Rm 1 0001 1 Rn Rd"), "SQRDMLSH (vector)",   vectors<rounding_doubling_high_subtract>, rdm},
    {encoding("01 1 11110 size 0 Rm 1 0000 1 Rn Rd"),  "SQRDMLAH (scalar)",   scalars<rounding_doubling_high_add>, rdm},
    {encoding("01 1 11110 size 0 Rm 1 0001 1 Rn Rd"),  "SQRDMLSH (scalar)",   scalars<rounding_doubling_high_subtract>, rdm},
    {encoding("0 Q U 01110 10 0 Rm 1 0010 1 Rn Rd"),   "SDOT, UDOT (vector)", decode_dot, dotprod},
    // clang-format on
};

}  // namespace
}  // namespace simd_three_same_extra

std::span<const Row> simd_three_same_extra_rows() { return simd_three_same_extra::rows; }

}  // namespace asterism::a64
