// SIMD floating point (Arm DDI 0487, C4.1.68): three registers of the same type, pairs, and across lanes.
// Half precision is in simd_half_precision.cpp.
#include "core/a64/simd_floating_point.h"

#include <vector>

namespace asterism::a64 {
namespace simd_floating_point {
namespace {

using namespace simd_float;

// ---- across lanes: the halves of four singles are combined first ----

template <class Compute>
const Operation* across_lanes_softly(Cpu& cpu, const Operation& op) {
  const Vector v = cpu.v[op.rn];
  const Single low = softly<Compute>(cpu, lane<Single>(v, 0), lane<Single>(v, 1));
  const Single high = softly<Compute>(cpu, lane<Single>(v, 2), lane<Single>(v, 3));
  cpu.v[op.rd].d = {softly<Compute>(cpu, low, high), 0};
  return &op + 1;
}
template <class Compute>
const Operation* across_lanes(Cpu& cpu, const Operation& op) {
  const Vector& v = cpu.v[op.rn];
  const auto low = Compute::fast(cpu, lane<Single>(v, 0), lane<Single>(v, 1));
  const auto high = Compute::fast(cpu, lane<Single>(v, 2), lane<Single>(v, 3));
  const auto result = Compute::fast(cpu, low.bits, high.bits);
  if (!(low.stands && high.stands && result.stands)) [[unlikely]]
    return later<across_lanes_softly<Compute>>(cpu, op);
  cpu.v[op.rd].d = {result.bits, 0};
  return &op + 1;
}
template <template <class> class Compute>
bool decode_across_lanes(Decoding& d) {
  registers(d);
  d.op.run = step<across_lanes<Compute<Single>>>;
  return true;
}

constexpr auto fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    // three registers: the bit after U and 01110 distinguishes pairs of operations, then sz
    {encoding("0 Q 0 01110 0 sz 1 Rm 11000 1 Rn Rd"), "FMAXNM (vector)",  decode_vector<MaximumNumber, Two>, fp},
    {encoding("0 Q 0 01110 0 sz 1 Rm 11001 1 Rn Rd"), "FMLA (vector)",    decode_vector_fused<Three<false>>, fp},
    {encoding("0 Q 0 01110 0 sz 1 Rm 11010 1 Rn Rd"), "FADD (vector)",    decode_vector<Add, Two>, fp},
    {encoding("0 Q 0 01110 0 sz 1 Rm 11011 1 Rn Rd"), "FMULX (vector)",   decode_vector<MultiplyExtended, Two>, fp},
    {encoding("0 Q 0 01110 0 sz 1 Rm 11100 1 Rn Rd"), "FCMEQ (vector)",   decode_vector<IsEqual, Two>, fp},
    {encoding("0 Q 0 01110 0 sz 1 Rm 11110 1 Rn Rd"), "FMAX (vector)",    decode_vector<Maximum, Two>, fp},
    {encoding("0 Q 0 01110 0 sz 1 Rm 11111 1 Rn Rd"), "FRECPS (vector)",  decode_vector<ReciprocalStep, Two>, fp},
    {encoding("0 Q 0 01110 1 sz 1 Rm 11000 1 Rn Rd"), "FMINNM (vector)",  decode_vector<MinimumNumber, Two>, fp},
    {encoding("0 Q 0 01110 1 sz 1 Rm 11001 1 Rn Rd"), "FMLS (vector)",    decode_vector_fused<Three<true>>, fp},
    {encoding("0 Q 0 01110 1 sz 1 Rm 11010 1 Rn Rd"), "FSUB (vector)",    decode_vector<Subtract, Two>, fp},
    {encoding("0 Q 0 01110 1 sz 1 Rm 11110 1 Rn Rd"), "FMIN (vector)",    decode_vector<Minimum, Two>, fp},
    {encoding("0 Q 0 01110 1 sz 1 Rm 11111 1 Rn Rd"), "FRSQRTS (vector)", decode_vector<ReciprocalRootStep, Two>, fp},
    {encoding("0 Q 1 01110 0 sz 1 Rm 11000 1 Rn Rd"), "FMAXNMP (vector)", decode_vector<MaximumNumber, Pair>, fp},
    {encoding("0 Q 1 01110 0 sz 1 Rm 11010 1 Rn Rd"), "FADDP (vector)",   decode_vector<Add, Pair>, fp},
    {encoding("0 Q 1 01110 0 sz 1 Rm 11011 1 Rn Rd"), "FMUL (vector)",    decode_vector<Multiply, Two>, fp},
    {encoding("0 Q 1 01110 0 sz 1 Rm 11100 1 Rn Rd"), "FCMGE (vector)",   decode_vector<IsGreaterOrEqual, Two>, fp},
    {encoding("0 Q 1 01110 0 sz 1 Rm 11101 1 Rn Rd"), "FACGE (vector)",   decode_vector<IsGreaterOrEqualInMagnitude, Two>, fp},
    {encoding("0 Q 1 01110 0 sz 1 Rm 11110 1 Rn Rd"), "FMAXP (vector)",   decode_vector<Maximum, Pair>, fp},
    {encoding("0 Q 1 01110 0 sz 1 Rm 11111 1 Rn Rd"), "FDIV (vector)",    decode_vector<Divide, Two>, fp},
    {encoding("0 Q 1 01110 1 sz 1 Rm 11000 1 Rn Rd"), "FMINNMP (vector)", decode_vector<MinimumNumber, Pair>, fp},
    {encoding("0 Q 1 01110 1 sz 1 Rm 11010 1 Rn Rd"), "FABD (vector)",    decode_vector<AbsoluteDifference, Two>, fp},
    {encoding("0 Q 1 01110 1 sz 1 Rm 11100 1 Rn Rd"), "FCMGT (vector)",   decode_vector<IsGreater, Two>, fp},
    {encoding("0 Q 1 01110 1 sz 1 Rm 11101 1 Rn Rd"), "FACGT (vector)",   decode_vector<IsGreaterInMagnitude, Two>, fp},
    {encoding("0 Q 1 01110 1 sz 1 Rm 11110 1 Rn Rd"), "FMINP (vector)",   decode_vector<Minimum, Pair>, fp},

    {encoding("01 0 11110 0 sz 1 Rm 11011 1 Rn Rd"), "FMULX (scalar)",   decode_scalar<MultiplyExtended, Two>, fp},
    {encoding("01 0 11110 0 sz 1 Rm 11100 1 Rn Rd"), "FCMEQ (scalar)",   decode_scalar<IsEqual, Two>, fp},
    {encoding("01 0 11110 0 sz 1 Rm 11111 1 Rn Rd"), "FRECPS (scalar)",  decode_scalar<ReciprocalStep, Two>, fp},
    {encoding("01 0 11110 1 sz 1 Rm 11111 1 Rn Rd"), "FRSQRTS (scalar)", decode_scalar<ReciprocalRootStep, Two>, fp},
    {encoding("01 1 11110 0 sz 1 Rm 11100 1 Rn Rd"), "FCMGE (scalar)",   decode_scalar<IsGreaterOrEqual, Two>, fp},
    {encoding("01 1 11110 0 sz 1 Rm 11101 1 Rn Rd"), "FACGE (scalar)",   decode_scalar<IsGreaterOrEqualInMagnitude, Two>, fp},
    {encoding("01 1 11110 1 sz 1 Rm 11010 1 Rn Rd"), "FABD (scalar)",    decode_scalar<AbsoluteDifference, Two>, fp},
    {encoding("01 1 11110 1 sz 1 Rm 11100 1 Rn Rd"), "FCMGT (scalar)",   decode_scalar<IsGreater, Two>, fp},
    {encoding("01 1 11110 1 sz 1 Rm 11101 1 Rn Rd"), "FACGT (scalar)",   decode_scalar<IsGreaterInMagnitude, Two>, fp},

    {encoding("01 1 11110 0 sz 11000 01100 10 Rn Rd"), "FMAXNMP (scalar)", decode_scalar<MaximumNumber, ScalarPair>, fp},
    {encoding("01 1 11110 0 sz 11000 01101 10 Rn Rd"), "FADDP (scalar)",   decode_scalar<Add, ScalarPair>, fp},
    {encoding("01 1 11110 0 sz 11000 01111 10 Rn Rd"), "FMAXP (scalar)",   decode_scalar<Maximum, ScalarPair>, fp},
    {encoding("01 1 11110 1 sz 11000 01100 10 Rn Rd"), "FMINNMP (scalar)", decode_scalar<MinimumNumber, ScalarPair>, fp},
    {encoding("01 1 11110 1 sz 11000 01111 10 Rn Rd"), "FMINP (scalar)",   decode_scalar<Minimum, ScalarPair>, fp},

    {encoding("0 1 1 01110 0 0 11000 01100 10 Rn Rd"), "FMAXNMV", decode_across_lanes<MaximumNumber>, fp},
    {encoding("0 1 1 01110 0 0 11000 01111 10 Rn Rd"), "FMAXV",   decode_across_lanes<Maximum>, fp},
    {encoding("0 1 1 01110 1 0 11000 01100 10 Rn Rd"), "FMINNMV", decode_across_lanes<MinimumNumber>, fp},
    {encoding("0 1 1 01110 1 0 11000 01111 10 Rn Rd"), "FMINV",   decode_across_lanes<Minimum>, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_floating_point

std::span<const Row> simd_floating_point_rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> joined(std::begin(simd_floating_point::rows), std::end(simd_floating_point::rows));
    for (const auto more : {simd_floating_point_two_register_rows(), simd_floating_point_by_element_rows(),
                            simd_half_precision_rows()})
      joined.insert(joined.end(), more.begin(), more.end());
    return joined;
  }();
  return all;
}

}  // namespace asterism::a64
