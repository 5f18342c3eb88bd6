// SIMD floating point of one operand (Arm DDI 0487, C4.1.68: two-register miscellaneous, and shift by
// immediate, where the conversions from and to fixed point stand).
#include "core/a64/simd_floating_point.h"

namespace asterism::a64 {
namespace simd_floating_point_two_register {
namespace {

using namespace simd_float;

template <bool is_signed, Rounding rounding>
constexpr auto decode_to_vector = decode_vector<To<is_signed, rounding>::template Lane, OneAndImmediate>;
template <bool is_signed, Rounding rounding>
constexpr auto decode_to_scalar = decode_scalar<To<is_signed, rounding>::template Lane, OneAndImmediate>;

// ---- other formats ----

// FCVTL, FCVTL2: op.imm selects the half that is read.
template <class Wide, class Narrow>
const Operation* lengthen(Cpu& cpu, const Operation& op) {
  constexpr unsigned count = 16 / sizeof(Wide);
  const Vector v = cpu.v[op.rn];
  std::array<Wide, count> result;
  for (unsigned i = 0; i < count; ++i)
    result[i] = softly<Convert<Wide, Narrow>>(cpu, lane<Narrow>(v, op.imm * count + i));
  put(cpu.v[op.rd], result);
  return &op + 1;
}
bool decode_lengthen(Decoding& d) {
  registers(d);
  d.op.imm = d.bit(30);
  d.op.run = d.bit(22) ? step<lengthen<Double, Single>> : step<lengthen<Single, Half>>;
  return true;
}

template <class Compute, class Narrow, class Wide>
std::uint64_t narrowed(Cpu& cpu, const Vector& v) {
  constexpr unsigned width = 8 * sizeof(Narrow);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < 64 / width; ++i)
    result |= std::uint64_t{softly<Compute>(cpu, lane<Wide>(v, i))} << (i * width);
  return result;
}
// FCVTN and FCVTXN (op.imm is 0) write the lower half of the register and clear the upper one; FCVTN2 and
// FCVTXN2 write the upper half and keep the lower one.
template <class Compute, class Narrow, class Wide>
const Operation* narrow(Cpu& cpu, const Operation& op) {
  const std::uint64_t result = narrowed<Compute, Narrow, Wide>(cpu, cpu.v[op.rn]);
  if (op.imm)
    cpu.v[op.rd].d[1] = result;
  else
    cpu.v[op.rd].d = {result, 0};
  return &op + 1;
}
struct ConvertToOdd {
  static Single soft(FloatEnvironment& e, Double a) {
    return soft_float::convert<Single>(e, a, Rounding::odd);
  }
};
bool decode_narrow(Decoding& d) {
  registers(d);
  d.op.imm = d.bit(30);
  d.op.run = d.bit(22) ? step<narrow<Convert<Single, Double>, Single, Double>>
                       : step<narrow<Convert<Half, Single>, Half, Single>>;
  return true;
}
bool decode_narrow_to_odd(Decoding& d) {
  registers(d);
  d.op.imm = d.bit(30);
  d.op.run = step<narrow<ConvertToOdd, Single, Double>>;
  return true;
}
const Operation* narrow_scalar_to_odd(Cpu& cpu, const Operation& op) {
  cpu.v[op.rd].d = {softly<ConvertToOdd>(cpu, cpu.v[op.rn].d[0]), 0};
  return &op + 1;
}
bool decode_narrow_scalar_to_odd(Decoding& d) {
  registers(d);
  d.op.run = step<narrow_scalar_to_odd>;
  return true;
}

// ---- estimates of integers ----

template <auto estimate>
struct UnsignedEstimate {
  static Fast<Single> fast(const State&, Single a) { return {estimate(a), true}; }
  static Single soft(FloatEnvironment&, Single a) { return estimate(a); }
};
template <auto estimate>
bool decode_unsigned_estimate(Decoding& d) {
  registers(d);
  using Compute = UnsignedEstimate<estimate>;
  d.op.run = d.bit(30) ? step<lanewise_softly<Single, 4, Compute, One>>
                       : step<lanewise_softly<Single, 2, Compute, One>>;
  return true;
}

// ---- fixed point: immh:immb is twice the lane's width less the fraction bits ----

template <auto decode_lanes>
bool decode_fixed_point(Decoding& d) {
  const unsigned width = d.bit(22) ? 64 : 32;  // the highest bit of immh that is set
  d.op.imm = 2 * width - d.bits(22, 16);
  return decode_lanes(d);
}

constexpr auto fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q 0 01110 0 sz 10000 11000 10 Rn Rd"), "FRINTN (vector)",                   decode_vector<RoundToNearest, One>, fp},
    {encoding("0 Q 0 01110 0 sz 10000 11001 10 Rn Rd"), "FRINTM (vector)",                   decode_vector<RoundDown, One>, fp},
    {encoding("0 Q 0 01110 1 sz 10000 11000 10 Rn Rd"), "FRINTP (vector)",                   decode_vector<RoundUp, One>, fp},
    {encoding("0 Q 0 01110 1 sz 10000 11001 10 Rn Rd"), "FRINTZ (vector)",                   decode_vector<RoundTowardZero, One>, fp},
    {encoding("0 Q 1 01110 0 sz 10000 11000 10 Rn Rd"), "FRINTA (vector)",                   decode_vector<RoundToNearestAway, One>, fp},
    {encoding("0 Q 1 01110 0 sz 10000 11001 10 Rn Rd"), "FRINTX (vector)",                   decode_vector<RoundByFpcrExact, One>, fp},
    {encoding("0 Q 1 01110 1 sz 10000 11001 10 Rn Rd"), "FRINTI (vector)",                   decode_vector<RoundByFpcr, One>, fp},

    {encoding("0 Q 0 01110 0 sz 10000 11010 10 Rn Rd"), "FCVTNS (vector)",                   decode_to_vector<true, Rounding::nearest_even>, fp},
    {encoding("0 Q 0 01110 0 sz 10000 11011 10 Rn Rd"), "FCVTMS (vector)",                   decode_to_vector<true, Rounding::down>, fp},
    {encoding("0 Q 0 01110 0 sz 10000 11100 10 Rn Rd"), "FCVTAS (vector)",                   decode_to_vector<true, Rounding::nearest_away>, fp},
    {encoding("0 Q 0 01110 1 sz 10000 11010 10 Rn Rd"), "FCVTPS (vector)",                   decode_to_vector<true, Rounding::up>, fp},
    {encoding("0 Q 0 01110 1 sz 10000 11011 10 Rn Rd"), "FCVTZS (vector)",                   decode_to_vector<true, Rounding::toward_zero>, fp},
    {encoding("0 Q 0 01110 0 sz 10000 11101 10 Rn Rd"), "SCVTF (vector)",                    decode_vector<FromSigned, OneAndImmediate>, fp},
    {encoding("0 Q 1 01110 0 sz 10000 11010 10 Rn Rd"), "FCVTNU (vector)",                   decode_to_vector<false, Rounding::nearest_even>, fp},
    {encoding("0 Q 1 01110 0 sz 10000 11011 10 Rn Rd"), "FCVTMU (vector)",                   decode_to_vector<false, Rounding::down>, fp},
    {encoding("0 Q 1 01110 0 sz 10000 11100 10 Rn Rd"), "FCVTAU (vector)",                   decode_to_vector<false, Rounding::nearest_away>, fp},
    {encoding("0 Q 1 01110 1 sz 10000 11010 10 Rn Rd"), "FCVTPU (vector)",                   decode_to_vector<false, Rounding::up>, fp},
    {encoding("0 Q 1 01110 1 sz 10000 11011 10 Rn Rd"), "FCVTZU (vector)",                   decode_to_vector<false, Rounding::toward_zero>, fp},
    {encoding("0 Q 1 01110 0 sz 10000 11101 10 Rn Rd"), "UCVTF (vector)",                    decode_vector<FromUnsigned, OneAndImmediate>, fp},

    {encoding("01 0 11110 0 sz 10000 11010 10 Rn Rd"),  "FCVTNS (scalar SIMD)",              decode_to_scalar<true, Rounding::nearest_even>, fp},
    {encoding("01 0 11110 0 sz 10000 11011 10 Rn Rd"),  "FCVTMS (scalar SIMD)",              decode_to_scalar<true, Rounding::down>, fp},
    {encoding("01 0 11110 0 sz 10000 11100 10 Rn Rd"),  "FCVTAS (scalar SIMD)",              decode_to_scalar<true, Rounding::nearest_away>, fp},
    {encoding("01 0 11110 1 sz 10000 11010 10 Rn Rd"),  "FCVTPS (scalar SIMD)",              decode_to_scalar<true, Rounding::up>, fp},
    {encoding("01 0 11110 1 sz 10000 11011 10 Rn Rd"),  "FCVTZS (scalar SIMD)",              decode_to_scalar<true, Rounding::toward_zero>, fp},
    {encoding("01 0 11110 0 sz 10000 11101 10 Rn Rd"),  "SCVTF (scalar SIMD)",               decode_scalar<FromSigned, OneAndImmediate>, fp},
    {encoding("01 1 11110 0 sz 10000 11010 10 Rn Rd"),  "FCVTNU (scalar SIMD)",              decode_to_scalar<false, Rounding::nearest_even>, fp},
    {encoding("01 1 11110 0 sz 10000 11011 10 Rn Rd"),  "FCVTMU (scalar SIMD)",              decode_to_scalar<false, Rounding::down>, fp},
    {encoding("01 1 11110 0 sz 10000 11100 10 Rn Rd"),  "FCVTAU (scalar SIMD)",              decode_to_scalar<false, Rounding::nearest_away>, fp},
    {encoding("01 1 11110 1 sz 10000 11010 10 Rn Rd"),  "FCVTPU (scalar SIMD)",              decode_to_scalar<false, Rounding::up>, fp},
    {encoding("01 1 11110 1 sz 10000 11011 10 Rn Rd"),  "FCVTZU (scalar SIMD)",              decode_to_scalar<false, Rounding::toward_zero>, fp},
    {encoding("01 1 11110 0 sz 10000 11101 10 Rn Rd"),  "UCVTF (scalar SIMD)",               decode_scalar<FromUnsigned, OneAndImmediate>, fp},

    {encoding("0 Q 0 011110 01xx immb 11100 1 Rn Rd"),  "SCVTF (vector, fixed-point)",       decode_fixed_point<decode_vector<FromSigned, OneAndImmediate>>, fp},
    {encoding("0 Q 0 011110 01xx immb 11111 1 Rn Rd"),  "FCVTZS (vector, fixed-point)",      decode_fixed_point<decode_to_vector<true, Rounding::toward_zero>>, fp},
    {encoding("0 Q 0 011110 1xxx immb 11100 1 Rn Rd"),  "SCVTF (vector, fixed-point)",       decode_fixed_point<decode_vector<FromSigned, OneAndImmediate>>, fp},
    {encoding("0 Q 0 011110 1xxx immb 11111 1 Rn Rd"),  "FCVTZS (vector, fixed-point)",      decode_fixed_point<decode_to_vector<true, Rounding::toward_zero>>, fp},
    {encoding("0 Q 1 011110 01xx immb 11100 1 Rn Rd"),  "UCVTF (vector, fixed-point)",       decode_fixed_point<decode_vector<FromUnsigned, OneAndImmediate>>, fp},
    {encoding("0 Q 1 011110 01xx immb 11111 1 Rn Rd"),  "FCVTZU (vector, fixed-point)",      decode_fixed_point<decode_to_vector<false, Rounding::toward_zero>>, fp},
    {encoding("0 Q 1 011110 1xxx immb 11100 1 Rn Rd"),  "UCVTF (vector, fixed-point)",       decode_fixed_point<decode_vector<FromUnsigned, OneAndImmediate>>, fp},
    {encoding("0 Q 1 011110 1xxx immb 11111 1 Rn Rd"),  "FCVTZU (vector, fixed-point)",      decode_fixed_point<decode_to_vector<false, Rounding::toward_zero>>, fp},
    {encoding("01 0 111110 01xx immb 11100 1 Rn Rd"),   "SCVTF (scalar SIMD, fixed-point)",  decode_fixed_point<decode_scalar<FromSigned, OneAndImmediate>>, fp},
    {encoding("01 0 111110 01xx immb 11111 1 Rn Rd"),   "FCVTZS (scalar SIMD, fixed-point)", decode_fixed_point<decode_to_scalar<true, Rounding::toward_zero>>, fp},
    {encoding("01 0 111110 1xxx immb 11100 1 Rn Rd"),   "SCVTF (scalar SIMD, fixed-point)",  decode_fixed_point<decode_scalar<FromSigned, OneAndImmediate>>, fp},
    {encoding("01 0 111110 1xxx immb 11111 1 Rn Rd"),   "FCVTZS (scalar SIMD, fixed-point)", decode_fixed_point<decode_to_scalar<true, Rounding::toward_zero>>, fp},
    {encoding("01 1 111110 01xx immb 11100 1 Rn Rd"),   "UCVTF (scalar SIMD, fixed-point)",  decode_fixed_point<decode_scalar<FromUnsigned, OneAndImmediate>>, fp},
    {encoding("01 1 111110 01xx immb 11111 1 Rn Rd"),   "FCVTZU (scalar SIMD, fixed-point)", decode_fixed_point<decode_to_scalar<false, Rounding::toward_zero>>, fp},
    {encoding("01 1 111110 1xxx immb 11100 1 Rn Rd"),   "UCVTF (scalar SIMD, fixed-point)",  decode_fixed_point<decode_scalar<FromUnsigned, OneAndImmediate>>, fp},
    {encoding("01 1 111110 1xxx immb 11111 1 Rn Rd"),   "FCVTZU (scalar SIMD, fixed-point)", decode_fixed_point<decode_to_scalar<false, Rounding::toward_zero>>, fp},

    {encoding("0 Q 0 01110 1 sz 10000 01100 10 Rn Rd"), "FCMGT (vector, zero)",              decode_vector<IsGreater, OneAndZero>, fp},
    {encoding("0 Q 0 01110 1 sz 10000 01101 10 Rn Rd"), "FCMEQ (vector, zero)",              decode_vector<IsEqual, OneAndZero>, fp},
    {encoding("0 Q 0 01110 1 sz 10000 01110 10 Rn Rd"), "FCMLT (vector, zero)",              decode_vector<IsGreater, ZeroAndOne>, fp},
    {encoding("0 Q 1 01110 1 sz 10000 01100 10 Rn Rd"), "FCMGE (vector, zero)",              decode_vector<IsGreaterOrEqual, OneAndZero>, fp},
    {encoding("0 Q 1 01110 1 sz 10000 01101 10 Rn Rd"), "FCMLE (vector, zero)",              decode_vector<IsGreaterOrEqual, ZeroAndOne>, fp},
    {encoding("01 0 11110 1 sz 10000 01100 10 Rn Rd"),  "FCMGT (scalar SIMD, zero)",         decode_scalar<IsGreater, OneAndZero>, fp},
    {encoding("01 0 11110 1 sz 10000 01101 10 Rn Rd"),  "FCMEQ (scalar SIMD, zero)",         decode_scalar<IsEqual, OneAndZero>, fp},
    {encoding("01 0 11110 1 sz 10000 01110 10 Rn Rd"),  "FCMLT (scalar SIMD, zero)",         decode_scalar<IsGreater, ZeroAndOne>, fp},
    {encoding("01 1 11110 1 sz 10000 01100 10 Rn Rd"),  "FCMGE (scalar SIMD, zero)",         decode_scalar<IsGreaterOrEqual, OneAndZero>, fp},
    {encoding("01 1 11110 1 sz 10000 01101 10 Rn Rd"),  "FCMLE (scalar SIMD, zero)",         decode_scalar<IsGreaterOrEqual, ZeroAndOne>, fp},

    {encoding("0 Q 0 01110 1 sz 10000 01111 10 Rn Rd"), "FABS (vector)",                     decode_vector<Absolute, One>, fp},
    {encoding("0 Q 1 01110 1 sz 10000 01111 10 Rn Rd"), "FNEG (vector)",                     decode_vector<Negate, One>, fp},
    {encoding("0 Q 1 01110 1 sz 10000 11111 10 Rn Rd"), "FSQRT (vector)",                    decode_vector<SquareRoot, One>, fp},

    {encoding("0 Q 0 01110 1 sz 10000 11101 10 Rn Rd"), "FRECPE (vector)",                   decode_vector<ReciprocalEstimate, One>, fp},
    {encoding("0 Q 1 01110 1 sz 10000 11101 10 Rn Rd"), "FRSQRTE (vector)",                  decode_vector<ReciprocalRootEstimate, One>, fp},
    {encoding("01 0 11110 1 sz 10000 11101 10 Rn Rd"),  "FRECPE (scalar)",                   decode_scalar<ReciprocalEstimate, One>, fp},
    {encoding("01 1 11110 1 sz 10000 11101 10 Rn Rd"),  "FRSQRTE (scalar)",                  decode_scalar<ReciprocalRootEstimate, One>, fp},
    {encoding("01 0 11110 1 sz 10000 11111 10 Rn Rd"),  "FRECPX (scalar)",                   decode_scalar<ReciprocalExponent, One>, fp},
    {encoding("0 Q 0 01110 1 0 10000 11100 10 Rn Rd"),  "URECPE",                            decode_unsigned_estimate<soft_float::unsigned_reciprocal_estimate>, fp},
    {encoding("0 Q 1 01110 1 0 10000 11100 10 Rn Rd"),  "URSQRTE",                           decode_unsigned_estimate<soft_float::unsigned_reciprocal_root_estimate>, fp},

    {encoding("0 Q 0 01110 0 sz 10000 10110 10 Rn Rd"), "FCVTN, FCVTN2",                     decode_narrow, fp},
    {encoding("0 Q 0 01110 0 sz 10000 10111 10 Rn Rd"), "FCVTL, FCVTL2",                     decode_lengthen, fp},
    {encoding("0 Q 1 01110 0 1 10000 10110 10 Rn Rd"),  "FCVTXN, FCVTXN2",                   decode_narrow_to_odd, fp},
    {encoding("01 1 11110 0 1 10000 10110 10 Rn Rd"),   "FCVTXN (scalar)",                   decode_narrow_scalar_to_odd, fp},
    // clang-format on
};

}  // namespace
}  // namespace simd_floating_point_two_register

std::span<const Row> simd_floating_point_two_register_rows() {
  return simd_floating_point_two_register::rows;
}

}  // namespace asterism::a64
