// SIMD floating point of half precision, FEAT_FP16 (Arm DDI 0487, C4.1.96: three same (FP16), two-register
// miscellaneous (FP16), by element, across lanes, pairwise, and conversions from and to fixed point). FMOV
// (vector, immediate) is in simd_copy.cpp.
//
// No host has the same arithmetic, so that all of it is computed in software.
#include "core/a64/simd_floating_point.h"

namespace asterism::a64 {
namespace simd_half_precision {
namespace {

using namespace simd_float;

// 4H and 8H.
template <template <class> class Compute, class Operands>
bool vectors(Decoding& d) {
  registers(d);
  d.op.run = d.bit(30) ? step<lanewise_softly<Half, 8, Compute<Half>, Operands>>
                       : step<lanewise_softly<Half, 4, Compute<Half>, Operands>>;
  return true;
}
template <template <class> class Compute, class Operands>
bool scalars(Decoding& d) {
  registers(d);
  d.op.run = step<lanewise_softly<Half, 1, Compute<Half>, Operands>>;
  return true;
}

template <bool is_signed, Rounding rounding>
constexpr auto to_vectors = vectors<To<is_signed, rounding>::template Lane, OneAndImmediate>;
template <bool is_signed, Rounding rounding>
constexpr auto to_scalars = scalars<To<is_signed, rounding>::template Lane, OneAndImmediate>;

// Across lanes: each half is combined first.
template <class Compute, unsigned count>
Half reduced(Cpu& cpu, const Vector& v, unsigned first) {
  if constexpr (count == 1) {
    return lane<Half>(v, first);
  } else {
    const Half low = reduced<Compute, count / 2>(cpu, v, first);
    const Half high = reduced<Compute, count / 2>(cpu, v, first + count / 2);
    return softly<Compute>(cpu, low, high);
  }
}
template <class Compute, unsigned count>
void reduce(Cpu& cpu, const Operation& op) {
  cpu.v[op.rd].d = {reduced<Compute, count>(cpu, cpu.v[op.rn], 0), 0};
}
template <template <class> class Compute>
bool across_lanes(Decoding& d) {
  registers(d);
  d.op.run = d.bit(30) ? step<reduce<Compute<Half>, 8>> : step<reduce<Compute<Half>, 4>>;
  return true;
}

// H:L:M is the index of the element, in one of the lower sixteen registers.
template <auto decode_lanes>
bool by_element(Decoding& d) {
  if (!decode_lanes(d)) return false;
  d.op.rm &= 0xf;
  d.op.ra = static_cast<std::uint8_t>(d.bits(11, 11) << 2 | d.bits(21, 20));
  return true;
}

// immh:immb is twice the lane's width less the fraction bits.
template <auto decode_lanes>
bool fixed_point(Decoding& d) {
  d.op.imm = 32 - d.bits(22, 16);
  return decode_lanes(d);
}

constexpr auto fp16 = Row::Needs::fp16;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q 0 01110 0 10 Rm 00 000 1 Rn Rd"),    "FMAXNM (vector, half)",                   vectors<MaximumNumber, Two>, fp16},
    {encoding("0 Q 0 01110 0 10 Rm 00 001 1 Rn Rd"),    "FMLA (vector, half)",                     vectors<ExactMultiplyAdd, Three<false>>, fp16},
    {encoding("0 Q 0 01110 0 10 Rm 00 010 1 Rn Rd"),    "FADD (vector, half)",                     vectors<Add, Two>, fp16},
    {encoding("0 Q 0 01110 0 10 Rm 00 011 1 Rn Rd"),    "FMULX (vector, half)",                    vectors<MultiplyExtended, Two>, fp16},
    {encoding("0 Q 0 01110 0 10 Rm 00 100 1 Rn Rd"),    "FCMEQ (vector, half)",                    vectors<IsEqual, Two>, fp16},
    {encoding("0 Q 0 01110 0 10 Rm 00 110 1 Rn Rd"),    "FMAX (vector, half)",                     vectors<Maximum, Two>, fp16},
    {encoding("0 Q 0 01110 0 10 Rm 00 111 1 Rn Rd"),    "FRECPS (vector, half)",                   vectors<ReciprocalStep, Two>, fp16},
    {encoding("0 Q 0 01110 1 10 Rm 00 000 1 Rn Rd"),    "FMINNM (vector, half)",                   vectors<MinimumNumber, Two>, fp16},
    {encoding("0 Q 0 01110 1 10 Rm 00 001 1 Rn Rd"),    "FMLS (vector, half)",                     vectors<ExactMultiplyAdd, Three<true>>, fp16},
    {encoding("0 Q 0 01110 1 10 Rm 00 010 1 Rn Rd"),    "FSUB (vector, half)",                     vectors<Subtract, Two>, fp16},
    {encoding("0 Q 0 01110 1 10 Rm 00 110 1 Rn Rd"),    "FMIN (vector, half)",                     vectors<Minimum, Two>, fp16},
    {encoding("0 Q 0 01110 1 10 Rm 00 111 1 Rn Rd"),    "FRSQRTS (vector, half)",                  vectors<ReciprocalRootStep, Two>, fp16},
    {encoding("0 Q 1 01110 0 10 Rm 00 000 1 Rn Rd"),    "FMAXNMP (vector, half)",                  vectors<MaximumNumber, Pair>, fp16},
    {encoding("0 Q 1 01110 0 10 Rm 00 010 1 Rn Rd"),    "FADDP (vector, half)",                    vectors<Add, Pair>, fp16},
    {encoding("0 Q 1 01110 0 10 Rm 00 011 1 Rn Rd"),    "FMUL (vector, half)",                     vectors<Multiply, Two>, fp16},
    {encoding("0 Q 1 01110 0 10 Rm 00 100 1 Rn Rd"),    "FCMGE (vector, half)",                    vectors<IsGreaterOrEqual, Two>, fp16},
    {encoding("0 Q 1 01110 0 10 Rm 00 101 1 Rn Rd"),    "FACGE (vector, half)",                    vectors<IsGreaterOrEqualInMagnitude, Two>, fp16},
    {encoding("0 Q 1 01110 0 10 Rm 00 110 1 Rn Rd"),    "FMAXP (vector, half)",                    vectors<Maximum, Pair>, fp16},
    {encoding("0 Q 1 01110 0 10 Rm 00 111 1 Rn Rd"),    "FDIV (vector, half)",                     vectors<Divide, Two>, fp16},
    {encoding("0 Q 1 01110 1 10 Rm 00 000 1 Rn Rd"),    "FMINNMP (vector, half)",                  vectors<MinimumNumber, Pair>, fp16},
    {encoding("0 Q 1 01110 1 10 Rm 00 010 1 Rn Rd"),    "FABD (vector, half)",                     vectors<AbsoluteDifference, Two>, fp16},
    {encoding("0 Q 1 01110 1 10 Rm 00 100 1 Rn Rd"),    "FCMGT (vector, half)",                    vectors<IsGreater, Two>, fp16},
    {encoding("0 Q 1 01110 1 10 Rm 00 101 1 Rn Rd"),    "FACGT (vector, half)",                    vectors<IsGreaterInMagnitude, Two>, fp16},
    {encoding("0 Q 1 01110 1 10 Rm 00 110 1 Rn Rd"),    "FMINP (vector, half)",                    vectors<Minimum, Pair>, fp16},
    {encoding("01 0 11110 0 10 Rm 00 011 1 Rn Rd"),     "FMULX (scalar, half)",                    scalars<MultiplyExtended, Two>, fp16},
    {encoding("01 0 11110 0 10 Rm 00 100 1 Rn Rd"),     "FCMEQ (scalar, half)",                    scalars<IsEqual, Two>, fp16},
    {encoding("01 0 11110 0 10 Rm 00 111 1 Rn Rd"),     "FRECPS (scalar, half)",                   scalars<ReciprocalStep, Two>, fp16},
    {encoding("01 0 11110 1 10 Rm 00 111 1 Rn Rd"),     "FRSQRTS (scalar, half)",                  scalars<ReciprocalRootStep, Two>, fp16},
    {encoding("01 1 11110 0 10 Rm 00 100 1 Rn Rd"),     "FCMGE (scalar, half)",                    scalars<IsGreaterOrEqual, Two>, fp16},
    {encoding("01 1 11110 0 10 Rm 00 101 1 Rn Rd"),     "FACGE (scalar, half)",                    scalars<IsGreaterOrEqualInMagnitude, Two>, fp16},
    {encoding("01 1 11110 1 10 Rm 00 010 1 Rn Rd"),     "FABD (scalar, half)",                     scalars<AbsoluteDifference, Two>, fp16},
    {encoding("01 1 11110 1 10 Rm 00 100 1 Rn Rd"),     "FCMGT (scalar, half)",                    scalars<IsGreater, Two>, fp16},
    {encoding("01 1 11110 1 10 Rm 00 101 1 Rn Rd"),     "FACGT (scalar, half)",                    scalars<IsGreaterInMagnitude, Two>, fp16},

    {encoding("01 0 11110 0 0 11000 01100 10 Rn Rd"),   "FMAXNMP (scalar, half)",                  scalars<MaximumNumber, ScalarPair>, fp16},
    {encoding("01 0 11110 0 0 11000 01101 10 Rn Rd"),   "FADDP (scalar, half)",                    scalars<Add, ScalarPair>, fp16},
    {encoding("01 0 11110 0 0 11000 01111 10 Rn Rd"),   "FMAXP (scalar, half)",                    scalars<Maximum, ScalarPair>, fp16},
    {encoding("01 0 11110 1 0 11000 01100 10 Rn Rd"),   "FMINNMP (scalar, half)",                  scalars<MinimumNumber, ScalarPair>, fp16},
    {encoding("01 0 11110 1 0 11000 01111 10 Rn Rd"),   "FMINP (scalar, half)",                    scalars<Minimum, ScalarPair>, fp16},

    {encoding("0 Q 0 01110 0 0 11000 01100 10 Rn Rd"),  "FMAXNMV (half)",                          across_lanes<MaximumNumber>, fp16},
    {encoding("0 Q 0 01110 0 0 11000 01111 10 Rn Rd"),  "FMAXV (half)",                            across_lanes<Maximum>, fp16},
    {encoding("0 Q 0 01110 1 0 11000 01100 10 Rn Rd"),  "FMINNMV (half)",                          across_lanes<MinimumNumber>, fp16},
    {encoding("0 Q 0 01110 1 0 11000 01111 10 Rn Rd"),  "FMINV (half)",                            across_lanes<Minimum>, fp16},

    {encoding("0 Q 0 01110 0 1 11100 11000 10 Rn Rd"),  "FRINTN (vector, half)",                   vectors<RoundToNearest, One>, fp16},
    {encoding("0 Q 0 01110 0 1 11100 11001 10 Rn Rd"),  "FRINTM (vector, half)",                   vectors<RoundDown, One>, fp16},
    {encoding("0 Q 0 01110 1 1 11100 11000 10 Rn Rd"),  "FRINTP (vector, half)",                   vectors<RoundUp, One>, fp16},
    {encoding("0 Q 0 01110 1 1 11100 11001 10 Rn Rd"),  "FRINTZ (vector, half)",                   vectors<RoundTowardZero, One>, fp16},
    {encoding("0 Q 1 01110 0 1 11100 11000 10 Rn Rd"),  "FRINTA (vector, half)",                   vectors<RoundToNearestAway, One>, fp16},
    {encoding("0 Q 1 01110 0 1 11100 11001 10 Rn Rd"),  "FRINTX (vector, half)",                   vectors<RoundByFpcrExact, One>, fp16},
    {encoding("0 Q 1 01110 1 1 11100 11001 10 Rn Rd"),  "FRINTI (vector, half)",                   vectors<RoundByFpcr, One>, fp16},
    {encoding("0 Q 0 01110 0 1 11100 11010 10 Rn Rd"),  "FCVTNS (vector, half)",                   to_vectors<true, Rounding::nearest_even>, fp16},
    {encoding("0 Q 0 01110 0 1 11100 11011 10 Rn Rd"),  "FCVTMS (vector, half)",                   to_vectors<true, Rounding::down>, fp16},
    {encoding("0 Q 0 01110 0 1 11100 11100 10 Rn Rd"),  "FCVTAS (vector, half)",                   to_vectors<true, Rounding::nearest_away>, fp16},
    {encoding("0 Q 0 01110 1 1 11100 11010 10 Rn Rd"),  "FCVTPS (vector, half)",                   to_vectors<true, Rounding::up>, fp16},
    {encoding("0 Q 0 01110 1 1 11100 11011 10 Rn Rd"),  "FCVTZS (vector, half)",                   to_vectors<true, Rounding::toward_zero>, fp16},
    {encoding("0 Q 0 01110 0 1 11100 11101 10 Rn Rd"),  "SCVTF (vector, half)",                    vectors<FromSigned, OneAndImmediate>, fp16},
    {encoding("0 Q 1 01110 0 1 11100 11010 10 Rn Rd"),  "FCVTNU (vector, half)",                   to_vectors<false, Rounding::nearest_even>, fp16},
    {encoding("0 Q 1 01110 0 1 11100 11011 10 Rn Rd"),  "FCVTMU (vector, half)",                   to_vectors<false, Rounding::down>, fp16},
    {encoding("0 Q 1 01110 0 1 11100 11100 10 Rn Rd"),  "FCVTAU (vector, half)",                   to_vectors<false, Rounding::nearest_away>, fp16},
    {encoding("0 Q 1 01110 1 1 11100 11010 10 Rn Rd"),  "FCVTPU (vector, half)",                   to_vectors<false, Rounding::up>, fp16},
    {encoding("0 Q 1 01110 1 1 11100 11011 10 Rn Rd"),  "FCVTZU (vector, half)",                   to_vectors<false, Rounding::toward_zero>, fp16},
    {encoding("0 Q 1 01110 0 1 11100 11101 10 Rn Rd"),  "UCVTF (vector, half)",                    vectors<FromUnsigned, OneAndImmediate>, fp16},
    {encoding("01 0 11110 0 1 11100 11010 10 Rn Rd"),   "FCVTNS (scalar SIMD, half)",              to_scalars<true, Rounding::nearest_even>, fp16},
    {encoding("01 0 11110 0 1 11100 11011 10 Rn Rd"),   "FCVTMS (scalar SIMD, half)",              to_scalars<true, Rounding::down>, fp16},
    {encoding("01 0 11110 0 1 11100 11100 10 Rn Rd"),   "FCVTAS (scalar SIMD, half)",              to_scalars<true, Rounding::nearest_away>, fp16},
    {encoding("01 0 11110 1 1 11100 11010 10 Rn Rd"),   "FCVTPS (scalar SIMD, half)",              to_scalars<true, Rounding::up>, fp16},
    {encoding("01 0 11110 1 1 11100 11011 10 Rn Rd"),   "FCVTZS (scalar SIMD, half)",              to_scalars<true, Rounding::toward_zero>, fp16},
    {encoding("01 0 11110 0 1 11100 11101 10 Rn Rd"),   "SCVTF (scalar SIMD, half)",               scalars<FromSigned, OneAndImmediate>, fp16},
    {encoding("01 1 11110 0 1 11100 11010 10 Rn Rd"),   "FCVTNU (scalar SIMD, half)",              to_scalars<false, Rounding::nearest_even>, fp16},
    {encoding("01 1 11110 0 1 11100 11011 10 Rn Rd"),   "FCVTMU (scalar SIMD, half)",              to_scalars<false, Rounding::down>, fp16},
    {encoding("01 1 11110 0 1 11100 11100 10 Rn Rd"),   "FCVTAU (scalar SIMD, half)",              to_scalars<false, Rounding::nearest_away>, fp16},
    {encoding("01 1 11110 1 1 11100 11010 10 Rn Rd"),   "FCVTPU (scalar SIMD, half)",              to_scalars<false, Rounding::up>, fp16},
    {encoding("01 1 11110 1 1 11100 11011 10 Rn Rd"),   "FCVTZU (scalar SIMD, half)",              to_scalars<false, Rounding::toward_zero>, fp16},
    {encoding("01 1 11110 0 1 11100 11101 10 Rn Rd"),   "UCVTF (scalar SIMD, half)",               scalars<FromUnsigned, OneAndImmediate>, fp16},
    {encoding("0 Q 0 01110 1 1 11100 01100 10 Rn Rd"),  "FCMGT (vector, zero, half)",              vectors<IsGreater, OneAndZero>, fp16},
    {encoding("0 Q 0 01110 1 1 11100 01101 10 Rn Rd"),  "FCMEQ (vector, zero, half)",              vectors<IsEqual, OneAndZero>, fp16},
    {encoding("0 Q 0 01110 1 1 11100 01110 10 Rn Rd"),  "FCMLT (vector, zero, half)",              vectors<IsGreater, ZeroAndOne>, fp16},
    {encoding("0 Q 1 01110 1 1 11100 01100 10 Rn Rd"),  "FCMGE (vector, zero, half)",              vectors<IsGreaterOrEqual, OneAndZero>, fp16},
    {encoding("0 Q 1 01110 1 1 11100 01101 10 Rn Rd"),  "FCMLE (vector, zero, half)",              vectors<IsGreaterOrEqual, ZeroAndOne>, fp16},
    {encoding("01 0 11110 1 1 11100 01100 10 Rn Rd"),   "FCMGT (scalar SIMD, zero, half)",         scalars<IsGreater, OneAndZero>, fp16},
    {encoding("01 0 11110 1 1 11100 01101 10 Rn Rd"),   "FCMEQ (scalar SIMD, zero, half)",         scalars<IsEqual, OneAndZero>, fp16},
    {encoding("01 0 11110 1 1 11100 01110 10 Rn Rd"),   "FCMLT (scalar SIMD, zero, half)",         scalars<IsGreater, ZeroAndOne>, fp16},
    {encoding("01 1 11110 1 1 11100 01100 10 Rn Rd"),   "FCMGE (scalar SIMD, zero, half)",         scalars<IsGreaterOrEqual, OneAndZero>, fp16},
    {encoding("01 1 11110 1 1 11100 01101 10 Rn Rd"),   "FCMLE (scalar SIMD, zero, half)",         scalars<IsGreaterOrEqual, ZeroAndOne>, fp16},
    {encoding("0 Q 0 01110 1 1 11100 01111 10 Rn Rd"),  "FABS (vector, half)",                     vectors<Absolute, One>, fp16},
    {encoding("0 Q 1 01110 1 1 11100 01111 10 Rn Rd"),  "FNEG (vector, half)",                     vectors<Negate, One>, fp16},
    {encoding("0 Q 1 01110 1 1 11100 11111 10 Rn Rd"),  "FSQRT (vector, half)",                    vectors<SquareRoot, One>, fp16},
    {encoding("0 Q 0 01110 1 1 11100 11101 10 Rn Rd"),  "FRECPE (vector, half)",                   vectors<ReciprocalEstimate, One>, fp16},
    {encoding("0 Q 1 01110 1 1 11100 11101 10 Rn Rd"),  "FRSQRTE (vector, half)",                  vectors<ReciprocalRootEstimate, One>, fp16},
    {encoding("01 0 11110 1 1 11100 11101 10 Rn Rd"),   "FRECPE (scalar, half)",                   scalars<ReciprocalEstimate, One>, fp16},
    {encoding("01 1 11110 1 1 11100 11101 10 Rn Rd"),   "FRSQRTE (scalar, half)",                  scalars<ReciprocalRootEstimate, One>, fp16},
    {encoding("01 0 11110 1 1 11100 11111 10 Rn Rd"),   "FRECPX (scalar, half)",                   scalars<ReciprocalExponent, One>, fp16},

    {encoding("0 Q 0 011110 001x immb 11100 1 Rn Rd"),  "SCVTF (vector, fixed-point, half)",       fixed_point<vectors<FromSigned, OneAndImmediate>>, fp16},
    {encoding("0 Q 0 011110 001x immb 11111 1 Rn Rd"),  "FCVTZS (vector, fixed-point, half)",      fixed_point<to_vectors<true, Rounding::toward_zero>>, fp16},
    {encoding("0 Q 1 011110 001x immb 11100 1 Rn Rd"),  "UCVTF (vector, fixed-point, half)",       fixed_point<vectors<FromUnsigned, OneAndImmediate>>, fp16},
    {encoding("0 Q 1 011110 001x immb 11111 1 Rn Rd"),  "FCVTZU (vector, fixed-point, half)",      fixed_point<to_vectors<false, Rounding::toward_zero>>, fp16},
    {encoding("01 0 111110 001x immb 11100 1 Rn Rd"),   "SCVTF (scalar SIMD, fixed-point, half)",  fixed_point<scalars<FromSigned, OneAndImmediate>>, fp16},
    {encoding("01 0 111110 001x immb 11111 1 Rn Rd"),   "FCVTZS (scalar SIMD, fixed-point, half)", fixed_point<to_scalars<true, Rounding::toward_zero>>, fp16},
    {encoding("01 1 111110 001x immb 11100 1 Rn Rd"),   "UCVTF (scalar SIMD, fixed-point, half)",  fixed_point<scalars<FromUnsigned, OneAndImmediate>>, fp16},
    {encoding("01 1 111110 001x immb 11111 1 Rn Rd"),   "FCVTZU (scalar SIMD, fixed-point, half)", fixed_point<to_scalars<false, Rounding::toward_zero>>, fp16},

    {encoding("0 Q 0 01111 00 L M Rm4 0001 H 0 Rn Rd"), "FMLA (by element, half)",                 by_element<vectors<ExactMultiplyAdd, ThreeByElement<false>>>, fp16},
    {encoding("0 Q 0 01111 00 L M Rm4 0101 H 0 Rn Rd"), "FMLS (by element, half)",                 by_element<vectors<ExactMultiplyAdd, ThreeByElement<true>>>, fp16},
    {encoding("0 Q 0 01111 00 L M Rm4 1001 H 0 Rn Rd"), "FMUL (by element, half)",                 by_element<vectors<Multiply, TwoByElement>>, fp16},
    {encoding("0 Q 1 01111 00 L M Rm4 1001 H 0 Rn Rd"), "FMULX (by element, half)",                by_element<vectors<MultiplyExtended, TwoByElement>>, fp16},
    {encoding("01 0 11111 00 L M Rm4 0001 H 0 Rn Rd"),  "FMLA (scalar, by element, half)",         by_element<scalars<ExactMultiplyAdd, ThreeByElement<false>>>, fp16},
    {encoding("01 0 11111 00 L M Rm4 0101 H 0 Rn Rd"),  "FMLS (scalar, by element, half)",         by_element<scalars<ExactMultiplyAdd, ThreeByElement<true>>>, fp16},
    {encoding("01 0 11111 00 L M Rm4 1001 H 0 Rn Rd"),  "FMUL (scalar, by element, half)",         by_element<scalars<Multiply, TwoByElement>>, fp16},
    {encoding("01 1 11111 00 L M Rm4 1001 H 0 Rn Rd"),  "FMULX (scalar, by element, half)",        by_element<scalars<MultiplyExtended, TwoByElement>>, fp16},
    // clang-format on
};

}  // namespace
}  // namespace simd_half_precision

std::span<const Row> simd_half_precision_rows() { return simd_half_precision::rows; }

}  // namespace asterism::a64
