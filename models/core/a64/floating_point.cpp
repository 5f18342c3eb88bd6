// Scalar floating point (Arm DDI 0487, C4.1.68: Data Processing -- Scalar Floating-Point and Advanced SIMD). Half precision
// (ptype 11) is a format to convert from and to; its arithmetic came after Armv8.0.
#include <array>
#include <utility>
#include <vector>

#include "core/a64/conditions.h"
#include "core/a64/cpu.h"
#include "core/a64/decoder.h"
#include "core/a64/fast_float.h"
#include "core/a64/floating_point_conversion.h"

namespace asterism::a64 {
namespace {

using namespace fast_float;
using Single = std::uint32_t;
using Double = std::uint64_t;

template <class T>
T read(const Cpu& cpu, std::uint8_t at) {
  return static_cast<T>(cpu.v[at].d[0]);
}
// A scalar result clears the rest of its register.
void write(Cpu& cpu, std::uint8_t at, std::uint64_t bits) { cpu.v[at].d = {bits, 0}; }

bool is_double(const Decoding& d) { return d.bit(22); }

// ---- one source ----

template <class T>
T same(Cpu&, T a) {
  return a;
}
template <class T>
T absolute_of(Cpu&, T a) {
  return absolute(a);
}
template <class T>
T negation_of(Cpu&, T a) {
  return negate(a);
}

template <class T, auto compute>
void one_source(Cpu& cpu, const Operation& op) {
  write(cpu, op.rd, compute(cpu, read<T>(cpu, op.rn)));
}
template <auto single, auto double_>
bool decode_one_source(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5);
  d.op.run = is_double(d) ? step<one_source<Double, double_>> : step<one_source<Single, single>>;
  return true;
}

// ---- two sources ----

template <class T, auto compute>
void two_sources(Cpu& cpu, const Operation& op) {
  write(cpu, op.rd, compute(cpu, read<T>(cpu, op.rn), read<T>(cpu, op.rm)));
}
template <auto single, auto double_>
bool decode_two_sources(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.rm = d.vector(16);
  d.op.run = is_double(d) ? step<two_sources<Double, double_>> : step<two_sources<Single, single>>;
  return true;
}

// ---- three sources ----

template <class T, bool negates_addend, bool negates_product>
void multiply_add(Cpu& cpu, const Operation& op) {
  const T addend = read<T>(cpu, op.ra), a = read<T>(cpu, op.rn), b = read<T>(cpu, op.rm);
  write(cpu, op.rd,
        fast_float::multiply_add(cpu, negates_addend ? negate(addend) : addend,
                                 negates_product ? negate(a) : a, b));
}
template <class T, bool negates_addend, bool negates_product>
ASTERISM_WITH_FMA void multiply_add_fused(Cpu& cpu, const Operation& op) {
  const T addend = read<T>(cpu, op.ra), a = read<T>(cpu, op.rn), b = read<T>(cpu, op.rm);
  write(cpu, op.rd,
        multiply_add_with_fma(cpu, negates_addend ? negate(addend) : addend, negates_product ? negate(a) : a,
                              b));
}
template <bool negates_addend, bool negates_product>
bool decode_multiply_add(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.ra = d.vector(10), d.op.rm = d.vector(16);
  if (host_has_fma())
    d.op.run = is_double(d) ? step_with_fma<multiply_add_fused<Double, negates_addend, negates_product>>
                            : step_with_fma<multiply_add_fused<Single, negates_addend, negates_product>>;
  else
    d.op.run = is_double(d) ? step<multiply_add<Double, negates_addend, negates_product>>
                            : step<multiply_add<Single, negates_addend, negates_product>>;
  return true;
}

// ---- comparisons and selections ----

template <class T, bool signal_quiet>
void compare_registers(Cpu& cpu, const Operation& op) {
  compare<T, signal_quiet>(cpu, read<T>(cpu, op.rn), read<T>(cpu, op.rm));
}
template <class T, bool signal_quiet>
void compare_zero(Cpu& cpu, const Operation& op) {
  compare<T, signal_quiet>(cpu, read<T>(cpu, op.rn), T{0});
}
template <bool signal_quiet, bool with_zero>
bool decode_compare(Decoding& d) {
  d.op.rn = d.vector(5), d.op.rm = d.vector(16);
  if constexpr (with_zero)
    d.op.run =
        is_double(d) ? step<compare_zero<Double, signal_quiet>> : step<compare_zero<Single, signal_quiet>>;
  else
    d.op.run = is_double(d) ? step<compare_registers<Double, signal_quiet>>
                            : step<compare_registers<Single, signal_quiet>>;
  return true;
}

using Condition = bool (*)(const Flags&);
template <std::size_t... condition>
constexpr std::array<Condition, 16> conditions_of(std::index_sequence<condition...>) {
  return {holds<condition>...};
}
constexpr auto conditions = conditions_of(std::make_index_sequence<16>());

// ra is the condition, imm the flags when it does not hold.
template <class T, bool signal_quiet>
void compare_if(Cpu& cpu, const Operation& op) {
  if (conditions[op.ra](cpu.flags))
    compare_registers<T, signal_quiet>(cpu, op);
  else
    cpu.flags.set(op.imm);
}
bool decode_compare_if(Decoding& d) {
  d.op.rn = d.vector(5), d.op.rm = d.vector(16);
  d.op.ra = static_cast<std::uint8_t>(d.bits(15, 12)), d.op.imm = d.bits(3, 0);
  const bool signal_quiet = d.bit(4);
  if (is_double(d))
    d.op.run = signal_quiet ? step<compare_if<Double, true>> : step<compare_if<Double, false>>;
  else
    d.op.run = signal_quiet ? step<compare_if<Single, true>> : step<compare_if<Single, false>>;
  return true;
}

template <class T, unsigned condition>
void select_if(Cpu& cpu, const Operation& op) {
  write(cpu, op.rd, read<T>(cpu, holds<condition>(cpu.flags) ? op.rn : op.rm));
}
template <class T, std::size_t... condition>
constexpr std::array<Handler, 16> selections(std::index_sequence<condition...>) {
  return {step<select_if<T, condition>>...};
}
bool decode_select(Decoding& d) {
  static constexpr auto single = selections<Single>(std::make_index_sequence<16>());
  static constexpr auto double_ = selections<Double>(std::make_index_sequence<16>());
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.rm = d.vector(16);
  d.op.run = (is_double(d) ? double_ : single)[d.bits(15, 12)];
  return true;
}

// ---- moves ----

void move_constant(Cpu& cpu, const Operation& op) { write(cpu, op.rd, op.wide()); }
bool decode_move_immediate(Decoding& d) {
  d.op.rd = d.vector(0);
  const unsigned imm8 = d.bits(20, 13);
  d.wide(is_double(d) ? expand_immediate<Double>(imm8) : expand_immediate<Single>(imm8));
  d.op.run = step<move_constant>;
  return true;
}

// ---- rounding to integral values ----

template <class T, Rounding rounding>
T rounded(Cpu& cpu, T a) {
  return slowly<soft_float::round_to_integral<T>>(cpu, a, rounding, false);
}
template <class T, bool exact>
T rounded_as_fpcr_says(Cpu& cpu, T a) {
  return slowly<soft_float::round_to_integral<T>>(cpu, a, FloatEnvironment(cpu.fpcr).rounding, exact);
}
template <Rounding rounding>
constexpr auto decode_round = decode_one_source<rounded<Single, rounding>, rounded<Double, rounding>>;
template <bool exact>
constexpr auto decode_round_by_fpcr =
    decode_one_source<rounded_as_fpcr_says<Single, exact>, rounded_as_fpcr_says<Double, exact>>;

constexpr auto fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("00011110 0x 1 000000 10000 Rn Rd"), "FMOV (register)", decode_one_source<same<Single>, same<Double>>, fp},
    {encoding("00011110 0x 1 000001 10000 Rn Rd"), "FABS (scalar)",   decode_one_source<absolute_of<Single>, absolute_of<Double>>, fp},
    {encoding("00011110 0x 1 000010 10000 Rn Rd"), "FNEG (scalar)",   decode_one_source<negation_of<Single>, negation_of<Double>>, fp},
    {encoding("00011110 0x 1 000011 10000 Rn Rd"), "FSQRT (scalar)",  decode_one_source<square_root<Single>, square_root<Double>>, fp},
    {encoding("00011110 0x 1 001000 10000 Rn Rd"), "FRINTN (scalar)", decode_round<Rounding::nearest_even>, fp},
    {encoding("00011110 0x 1 001001 10000 Rn Rd"), "FRINTP (scalar)", decode_round<Rounding::up>, fp},
    {encoding("00011110 0x 1 001010 10000 Rn Rd"), "FRINTM (scalar)", decode_round<Rounding::down>, fp},
    {encoding("00011110 0x 1 001011 10000 Rn Rd"), "FRINTZ (scalar)", decode_round<Rounding::toward_zero>, fp},
    {encoding("00011110 0x 1 001100 10000 Rn Rd"), "FRINTA (scalar)", decode_round<Rounding::nearest_away>, fp},
    {encoding("00011110 0x 1 001110 10000 Rn Rd"), "FRINTX (scalar)", decode_round_by_fpcr<true>, fp},
    {encoding("00011110 0x 1 001111 10000 Rn Rd"), "FRINTI (scalar)", decode_round_by_fpcr<false>, fp},

    {encoding("00011110 0x 1 Rm 0000 10 Rn Rd"), "FMUL (scalar)",   decode_two_sources<multiply<Single>, multiply<Double>>, fp},
    {encoding("00011110 0x 1 Rm 0001 10 Rn Rd"), "FDIV (scalar)",   decode_two_sources<divide<Single>, divide<Double>>, fp},
    {encoding("00011110 0x 1 Rm 0010 10 Rn Rd"), "FADD (scalar)",   decode_two_sources<add<Single>, add<Double>>, fp},
    {encoding("00011110 0x 1 Rm 0011 10 Rn Rd"), "FSUB (scalar)",   decode_two_sources<subtract<Single>, subtract<Double>>, fp},
    {encoding("00011110 0x 1 Rm 0100 10 Rn Rd"), "FMAX (scalar)",   decode_two_sources<maximum<Single>, maximum<Double>>, fp},
    {encoding("00011110 0x 1 Rm 0101 10 Rn Rd"), "FMIN (scalar)",   decode_two_sources<minimum<Single>, minimum<Double>>, fp},
    {encoding("00011110 0x 1 Rm 0110 10 Rn Rd"), "FMAXNM (scalar)", decode_two_sources<maximum_number<Single>, maximum_number<Double>>, fp},
    {encoding("00011110 0x 1 Rm 0111 10 Rn Rd"), "FMINNM (scalar)", decode_two_sources<minimum_number<Single>, minimum_number<Double>>, fp},
    {encoding("00011110 0x 1 Rm 1000 10 Rn Rd"), "FNMUL (scalar)",  decode_two_sources<multiply_negated<Single>, multiply_negated<Double>>, fp},

    {encoding("00011111 0x 0 Rm 0 Ra Rn Rd"), "FMADD",  decode_multiply_add<false, false>, fp},
    {encoding("00011111 0x 0 Rm 1 Ra Rn Rd"), "FMSUB",  decode_multiply_add<false, true>, fp},
    {encoding("00011111 0x 1 Rm 0 Ra Rn Rd"), "FNMADD", decode_multiply_add<true, true>, fp},
    {encoding("00011111 0x 1 Rm 1 Ra Rn Rd"), "FNMSUB", decode_multiply_add<true, false>, fp},

    {encoding("00011110 0x 1 Rm 00 1000 Rn 00 000"), "FCMP",         decode_compare<false, false>, fp},
    {encoding("00011110 0x 1 Rm 00 1000 Rn 01 000"), "FCMP (zero)",  decode_compare<false, true>, fp},
    {encoding("00011110 0x 1 Rm 00 1000 Rn 10 000"), "FCMPE",        decode_compare<true, false>, fp},
    {encoding("00011110 0x 1 Rm 00 1000 Rn 11 000"), "FCMPE (zero)", decode_compare<true, true>, fp},
    {encoding("00011110 0x 1 Rm cond 01 Rn op nzcv"), "FCCMP, FCCMPE", decode_compare_if, fp},
    {encoding("00011110 0x 1 Rm cond 11 Rn Rd"),      "FCSEL",         decode_select, fp},

    {encoding("00011110 0x 1 imm8 100 00000 Rd"), "FMOV (scalar, immediate)", decode_move_immediate, fp},
    // clang-format on
};

}  // namespace

std::span<const Row> floating_point_rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> joined(std::begin(rows), std::end(rows));
    const auto conversions = floating_point_conversion_rows();
    joined.insert(joined.end(), conversions.begin(), conversions.end());
    return joined;
  }();
  return all;
}

}  // namespace asterism::a64
