// Scalar floating point (Arm DDI 0487, C4.1.68: Data Processing -- Scalar Floating-Point and Advanced SIMD).
#include <array>
#include <utility>
#include <vector>

#include "core/a64/conditions.h"
#include "core/a64/cpu.h"
#include "core/a64/decoder.h"
#include "core/a64/fast_float.h"
#include "core/a64/floating_point_conversion.h"
#include "core/a64/scalar_registers.h"

namespace asterism::a64 {
namespace floating_point {
namespace {

// ---- one source ----

template <class T, class Compute>
const Operation* one_source_softly(Cpu& cpu, const Operation& op) {
  write_scalar(cpu, op.rd, softly<Compute>(cpu, read_scalar<T>(cpu, op.rn)));
  return &op + 1;
}
template <class T, class Compute>
const Operation* one_source(Cpu& cpu, const Operation& op) {
  const Fast<T> result = Compute::fast(cpu, read_scalar<T>(cpu, op.rn));
  if (!result.stands) [[unlikely]]
    return later<one_source_softly<T, Compute>>(cpu, op);
  write_scalar(cpu, op.rd, result.bits);
  return &op + 1;
}
template <template <class> class Compute>
bool decode_one_source(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5);
  d.op.run = by_format(d, []<class T>(T) -> Handler {
    if constexpr (is_half<T>)
      return step<one_source_softly<T, Compute<T>>>;
    else
      return step<one_source<T, Compute<T>>>;
  });
  return d.op.run != nullptr;
}

// ---- two sources ----

template <class T, class Compute>
const Operation* two_sources_softly(Cpu& cpu, const Operation& op) {
  write_scalar(cpu, op.rd, softly<Compute>(cpu, read_scalar<T>(cpu, op.rn), read_scalar<T>(cpu, op.rm)));
  return &op + 1;
}
template <class T, class Compute>
const Operation* two_sources(Cpu& cpu, const Operation& op) {
  const Fast<T> result = Compute::fast(cpu, read_scalar<T>(cpu, op.rn), read_scalar<T>(cpu, op.rm));
  if (!result.stands) [[unlikely]]
    return later<two_sources_softly<T, Compute>>(cpu, op);
  write_scalar(cpu, op.rd, result.bits);
  return &op + 1;
}
template <template <class> class Compute>
bool decode_two_sources(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.rm = d.vector(16);
  d.op.run = by_format(d, []<class T>(T) -> Handler {
    if constexpr (is_half<T>)
      return step<two_sources_softly<T, Compute<T>>>;
    else
      return step<two_sources<T, Compute<T>>>;
  });
  return d.op.run != nullptr;
}

// ---- three sources ----

template <class T, bool negates_addend, bool negates_product, bool with_host_fma>
struct ThreeSources {
  using Compute = MultiplyAdd<T, with_host_fma>;
  static T addend(const Cpu& cpu, const Operation& op) {
    const T value = read_scalar<T>(cpu, op.ra);
    return negates_addend ? negate(value) : value;
  }
  static T factor(const Cpu& cpu, const Operation& op) {
    const T value = read_scalar<T>(cpu, op.rn);
    return negates_product ? negate(value) : value;
  }
  static const Operation* work_softly(Cpu& cpu, const Operation& op) {
    write_scalar(cpu, op.rd,
                 softly<Compute>(cpu, addend(cpu, op), factor(cpu, op), read_scalar<T>(cpu, op.rm)));
    return &op + 1;
  }
  static const Operation* work(Cpu& cpu, const Operation& op) {
    const Fast<T> result = Compute::fast(cpu, addend(cpu, op), factor(cpu, op), read_scalar<T>(cpu, op.rm));
    if (!result.stands) [[unlikely]]
      return later<work_softly>(cpu, op);
    write_scalar(cpu, op.rd, result.bits);
    return &op + 1;
  }
};
template <class T, bool negates_addend, bool negates_product>
Handler three_sources() {
  using OnHost = ThreeSources<T, negates_addend, negates_product, true>;
  using Exact = ThreeSources<T, negates_addend, negates_product, false>;
  if constexpr (is_half<T>)
    return step<Exact::work_softly>;
  else
    return fast_float::host_has_fma() ? step<OnHost::work> : step<Exact::work>;
}
template <bool negates_addend, bool negates_product>
bool decode_multiply_add(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.ra = d.vector(10), d.op.rm = d.vector(16);
  d.op.run = by_format(d, []<class T>(T) { return three_sources<T, negates_addend, negates_product>(); });
  return d.op.run != nullptr;
}

// ---- comparisons and selections ----

template <class T, bool signal_quiet, bool with_zero>
struct Comparison {
  static T second(const Cpu& cpu, const Operation& op) {
    return with_zero ? T{0} : read_scalar<T>(cpu, op.rm);
  }
  static unsigned soft(FloatEnvironment& e, T a, T b) { return soft_float::compare(e, a, b, signal_quiet); }

  static const Operation* work_softly(Cpu& cpu, const Operation& op) {
    cpu.flags.set(softly<Comparison>(cpu, read_scalar<T>(cpu, op.rn), second(cpu, op)));
    return &op + 1;
  }
  static const Operation* work_on_host(Cpu& cpu, const Operation& op) {
    using namespace fast_float;
    const T a = read_scalar<T>(cpu, op.rn), b = second(cpu, op);
    if (!keeps_denormals(cpu) || is_nan(a) || is_nan(b)) [[unlikely]]
      return later<work_softly>(cpu, op);
    const bool is_less = host(a) < host(b);
    cpu.flags.negative = std::uint64_t{is_less} << 63;
    cpu.flags.zero_if = host(a) != host(b);
    cpu.flags.c = !is_less;
    cpu.flags.v = false;
    return &op + 1;
  }
  static const Operation* work(Cpu& cpu, const Operation& op) {
    if constexpr (is_half<T>)
      return work_softly(cpu, op);
    else
      return work_on_host(cpu, op);
  }
};
template <bool signal_quiet, bool with_zero>
bool decode_compare(Decoding& d) {
  d.op.rn = d.vector(5), d.op.rm = d.vector(16);
  d.op.run =
      by_format(d, []<class T>(T) -> Handler { return step<Comparison<T, signal_quiet, with_zero>::work>; });
  return d.op.run != nullptr;
}

// imm is the flags if the condition does not hold.
template <class T, bool signal_quiet, unsigned condition>
const Operation* compare_if(Cpu& cpu, const Operation& op) {
  if (holds<condition>(cpu.flags)) return Comparison<T, signal_quiet, false>::work(cpu, op);
  cpu.flags.set(op.imm);
  return &op + 1;
}
template <class T, bool signal_quiet, std::size_t... condition>
Handler conditional_comparison(unsigned which, std::index_sequence<condition...>) {
  static constexpr Handler handlers[] = {step<compare_if<T, signal_quiet, condition>>...};
  return handlers[which];
}
bool decode_compare_if(Decoding& d) {
  constexpr auto all = std::make_index_sequence<16>();
  d.op.rn = d.vector(5), d.op.rm = d.vector(16), d.op.imm = d.bits(3, 0);
  const bool signal_quiet = d.bit(4);
  const unsigned condition = d.bits(15, 12);
  d.op.run = by_format(d, [&]<class T>(T) {
    return signal_quiet ? conditional_comparison<T, true>(condition, all)
                        : conditional_comparison<T, false>(condition, all);
  });
  return d.op.run != nullptr;
}

template <class T, unsigned condition>
void select_if(Cpu& cpu, const Operation& op) {
  write_scalar(cpu, op.rd, read_scalar<T>(cpu, holds<condition>(cpu.flags) ? op.rn : op.rm));
}
template <class T, std::size_t... condition>
constexpr std::array<Handler, 16> selections(std::index_sequence<condition...>) {
  return {step<select_if<T, condition>>...};
}
bool decode_select(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.rm = d.vector(16);
  d.op.run = by_format(d, [&]<class T>(T) {
    static constexpr auto handlers = selections<T>(std::make_index_sequence<16>());
    return handlers[d.bits(15, 12)];
  });
  return d.op.run != nullptr;
}

// ---- moves ----

void move_constant(Cpu& cpu, const Operation& op) { write_scalar(cpu, op.rd, op.wide()); }
bool decode_move_immediate(Decoding& d) {
  d.op.rd = d.vector(0);
  const unsigned imm8 = d.bits(20, 13);
  d.op.run = by_format(d, [&]<class T>(T) -> Handler {
    d.wide(expand_immediate<T>(imm8));
    return step<move_constant>;
  });
  return d.op.run != nullptr;
}

constexpr auto fp = Row::Needs::fp;

constexpr Row rows[] = {
    // clang-format off
    {encoding("00011110 ptype 1 000000 10000 Rn Rd"), "FMOV (register)", decode_one_source<Same>, fp},
    {encoding("00011110 ptype 1 000001 10000 Rn Rd"), "FABS (scalar)",   decode_one_source<Absolute>, fp},
    {encoding("00011110 ptype 1 000010 10000 Rn Rd"), "FNEG (scalar)",   decode_one_source<Negate>, fp},
    {encoding("00011110 ptype 1 000011 10000 Rn Rd"), "FSQRT (scalar)",  decode_one_source<SquareRoot>, fp},
    {encoding("00011110 ptype 1 001000 10000 Rn Rd"), "FRINTN (scalar)", decode_one_source<RoundToNearest>, fp},
    {encoding("00011110 ptype 1 001001 10000 Rn Rd"), "FRINTP (scalar)", decode_one_source<RoundUp>, fp},
    {encoding("00011110 ptype 1 001010 10000 Rn Rd"), "FRINTM (scalar)", decode_one_source<RoundDown>, fp},
    {encoding("00011110 ptype 1 001011 10000 Rn Rd"), "FRINTZ (scalar)", decode_one_source<RoundTowardZero>, fp},
    {encoding("00011110 ptype 1 001100 10000 Rn Rd"), "FRINTA (scalar)", decode_one_source<RoundToNearestAway>, fp},
    {encoding("00011110 ptype 1 001110 10000 Rn Rd"), "FRINTX (scalar)", decode_one_source<RoundByFpcrExact>, fp},
    {encoding("00011110 ptype 1 001111 10000 Rn Rd"), "FRINTI (scalar)", decode_one_source<RoundByFpcr>, fp},

    {encoding("00011110 ptype 1 Rm 0000 10 Rn Rd"), "FMUL (scalar)",   decode_two_sources<Multiply>, fp},
    {encoding("00011110 ptype 1 Rm 0001 10 Rn Rd"), "FDIV (scalar)",   decode_two_sources<Divide>, fp},
    {encoding("00011110 ptype 1 Rm 0010 10 Rn Rd"), "FADD (scalar)",   decode_two_sources<Add>, fp},
    {encoding("00011110 ptype 1 Rm 0011 10 Rn Rd"), "FSUB (scalar)",   decode_two_sources<Subtract>, fp},
    {encoding("00011110 ptype 1 Rm 0100 10 Rn Rd"), "FMAX (scalar)",   decode_two_sources<Maximum>, fp},
    {encoding("00011110 ptype 1 Rm 0101 10 Rn Rd"), "FMIN (scalar)",   decode_two_sources<Minimum>, fp},
    {encoding("00011110 ptype 1 Rm 0110 10 Rn Rd"), "FMAXNM (scalar)", decode_two_sources<MaximumNumber>, fp},
    {encoding("00011110 ptype 1 Rm 0111 10 Rn Rd"), "FMINNM (scalar)", decode_two_sources<MinimumNumber>, fp},
    {encoding("00011110 ptype 1 Rm 1000 10 Rn Rd"), "FNMUL (scalar)",  decode_two_sources<MultiplyNegated>, fp},

    {encoding("00011111 ptype 0 Rm 0 Ra Rn Rd"), "FMADD",  decode_multiply_add<false, false>, fp},
    {encoding("00011111 ptype 0 Rm 1 Ra Rn Rd"), "FMSUB",  decode_multiply_add<false, true>, fp},
    {encoding("00011111 ptype 1 Rm 0 Ra Rn Rd"), "FNMADD", decode_multiply_add<true, true>, fp},
    {encoding("00011111 ptype 1 Rm 1 Ra Rn Rd"), "FNMSUB", decode_multiply_add<true, false>, fp},

    {encoding("00011110 ptype 1 Rm 00 1000 Rn 00 000"), "FCMP",         decode_compare<false, false>, fp},
    {encoding("00011110 ptype 1 Rm 00 1000 Rn 01 000"), "FCMP (zero)",  decode_compare<false, true>, fp},
    {encoding("00011110 ptype 1 Rm 00 1000 Rn 10 000"), "FCMPE",        decode_compare<true, false>, fp},
    {encoding("00011110 ptype 1 Rm 00 1000 Rn 11 000"), "FCMPE (zero)", decode_compare<true, true>, fp},
    {encoding("00011110 ptype 1 Rm cond 01 Rn op nzcv"), "FCCMP, FCCMPE", decode_compare_if, fp},
    {encoding("00011110 ptype 1 Rm cond 11 Rn Rd"),      "FCSEL",         decode_select, fp},

    {encoding("00011110 ptype 1 imm8 100 00000 Rd"), "FMOV (scalar, immediate)", decode_move_immediate, fp},
    // clang-format on
};

}  // namespace
}  // namespace floating_point

std::span<const Row> floating_point_rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> joined(std::begin(floating_point::rows), std::end(floating_point::rows));
    const auto conversions = floating_point_conversion_rows();
    joined.insert(joined.end(), conversions.begin(), conversions.end());
    return joined;
  }();
  return all;
}

}  // namespace asterism::a64
