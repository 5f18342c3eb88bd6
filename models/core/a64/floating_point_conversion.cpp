// Scalar conversions between formats, to and from integers and fixed point, and moves between register files
// (Arm DDI 0487, C4.1.68).
#include "core/a64/floating_point_conversion.h"

#include <type_traits>

#include "core/a64/cpu.h"
#include "core/a64/fast_float.h"
#include "core/a64/scalar_registers.h"

namespace asterism::a64 {
namespace floating_point_conversion {
namespace {

// ---- between formats ----

template <class To, class From>
const Operation* convert_softly(Cpu& cpu, const Operation& op) {
  write_scalar(cpu, op.rd, softly<Convert<To, From>>(cpu, read_scalar<From>(cpu, op.rn)));
  return &op + 1;
}
template <class To, class From>
const Operation* convert(Cpu& cpu, const Operation& op) {
  const Fast<To> result = Convert<To, From>::fast(cpu, read_scalar<From>(cpu, op.rn));
  if (!result.stands) [[unlikely]]
    return later<convert_softly<To, From>>(cpu, op);
  write_scalar(cpu, op.rd, result.bits);
  return &op + 1;
}
template <class To, class From>
bool decode_convert(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5);
  d.op.run = step<convert<To, From>>;
  return true;
}

// ---- to integers and fixed point: ra fraction bits, rm the rounding ----

template <class Int, class T>
const Operation* to_integer(Cpu& cpu, const Operation& op) {
  const Int result = softly<ToInteger<Int, T>>(cpu, read_scalar<T>(cpu, op.rn), unsigned{op.ra},
                                               static_cast<Rounding>(op.rm));
  cpu.x[op.rd] = static_cast<std::make_unsigned_t<Int>>(result);
  return &op + 1;
}
template <class Int, class T>
const Operation* truncate(Cpu& cpu, const Operation& op) {
  const Fast<Int> result = ToInteger<Int, T>::fast(cpu, read_scalar<T>(cpu, op.rn));
  if (!result.stands) [[unlikely]]
    return later<to_integer<Int, T>>(cpu, op);
  cpu.x[op.rd] = static_cast<std::make_unsigned_t<Int>>(result.bits);
  return &op + 1;
}

template <class Int>
Handler to_integer_handler(const Decoding& d) {
  const bool truncates = d.op.ra == 0 && static_cast<Rounding>(d.op.rm) == Rounding::toward_zero;
  return by_format(d, [&]<class T>(T) -> Handler {
    if constexpr (!is_half<T>)
      if (truncates) return step<truncate<Int, T>>;
    return step<to_integer<Int, T>>;
  });
}

bool decode_to(Decoding& d, Rounding rounding, unsigned fraction_bits) {
  const bool is_wide = d.bit(31), is_unsigned = d.bit(16);
  d.op.rd = d.target(0), d.op.rn = d.vector(5);
  d.op.rm = static_cast<std::uint8_t>(rounding), d.op.ra = static_cast<std::uint8_t>(fraction_bits);
  if (is_wide)
    d.op.run = is_unsigned ? to_integer_handler<std::uint64_t>(d) : to_integer_handler<std::int64_t>(d);
  else
    d.op.run = is_unsigned ? to_integer_handler<std::uint32_t>(d) : to_integer_handler<std::int32_t>(d);
  return d.op.run != nullptr;
}
template <Rounding rounding>
bool decode_to_integer(Decoding& d) {
  return decode_to(d, rounding, 0);
}

// ---- from integers and fixed point ----

template <class T, class Int>
const Operation* from_fixed(Cpu& cpu, const Operation& op) {
  write_scalar(cpu, op.rd, softly<FromInteger<T, Int>>(cpu, static_cast<Int>(cpu.x[op.rn]), unsigned{op.ra}));
  return &op + 1;
}
template <class T, class Int>
const Operation* from_integer(Cpu& cpu, const Operation& op) {
  const Fast<T> result = FromInteger<T, Int>::fast(cpu, static_cast<Int>(cpu.x[op.rn]));
  if (!result.stands) [[unlikely]]
    return later<from_fixed<T, Int>>(cpu, op);
  write_scalar(cpu, op.rd, result.bits);
  return &op + 1;
}

template <class Int>
Handler from_integer_handler(const Decoding& d) {
  return by_format(d, [&]<class T>(T) -> Handler {
    if constexpr (!is_half<T>)
      if (d.op.ra == 0) return step<from_integer<T, Int>>;
    return step<from_fixed<T, Int>>;
  });
}

bool decode_from(Decoding& d, unsigned fraction_bits) {
  const bool is_wide = d.bit(31), is_unsigned = d.bit(16);
  d.op.rd = d.vector(0), d.op.rn = d.source(5);
  d.op.ra = static_cast<std::uint8_t>(fraction_bits);
  if (is_wide)
    d.op.run = is_unsigned ? from_integer_handler<std::uint64_t>(d) : from_integer_handler<std::int64_t>(d);
  else
    d.op.run = is_unsigned ? from_integer_handler<std::uint32_t>(d) : from_integer_handler<std::int32_t>(d);
  return d.op.run != nullptr;
}
bool decode_from_integer(Decoding& d) { return decode_from(d, 0); }

// Fixed point: 64 - scale fraction bits; at most 32 for a word.
bool decode_fixed_point(Decoding& d) {
  const unsigned fraction_bits = 64 - d.bits(15, 10);
  if (!d.bit(31) && fraction_bits > 32) return false;
  return d.bit(19) ? decode_to(d, Rounding::toward_zero, fraction_bits) : decode_from(d, fraction_bits);
}

// ---- moves ----

template <class T>
void to_general(Cpu& cpu, const Operation& op) {
  cpu.x[op.rd] = read_scalar<T>(cpu, op.rn);
}
template <class T>
void from_general(Cpu& cpu, const Operation& op) {
  write_scalar(cpu, op.rd, static_cast<T>(cpu.x[op.rn]));
}
void top_to_general(Cpu& cpu, const Operation& op) { cpu.x[op.rd] = cpu.v[op.rn].d[1]; }
void top_from_general(Cpu& cpu, const Operation& op) { cpu.v[op.rd].d[1] = cpu.x[op.rn]; }

template <auto work>
bool decode_to_general(Decoding& d) {
  d.op.rd = d.target(0), d.op.rn = d.vector(5);
  d.op.run = step<work>;
  return true;
}
template <auto work>
bool decode_from_general(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.source(5);
  d.op.run = step<work>;
  return true;
}

constexpr auto fp = Row::Needs::fp, fp16 = Row::Needs::fp16;

constexpr Row rows[] = {
    // clang-format off
    {encoding("00011110 00 1 0001 01 10000 Rn Rd"), "FCVT Dd, Sn", decode_convert<Double, Single>, fp},
    {encoding("00011110 00 1 0001 11 10000 Rn Rd"), "FCVT Hd, Sn", decode_convert<Half, Single>, fp},
    {encoding("00011110 01 1 0001 00 10000 Rn Rd"), "FCVT Sd, Dn", decode_convert<Single, Double>, fp},
    {encoding("00011110 01 1 0001 11 10000 Rn Rd"), "FCVT Hd, Dn", decode_convert<Half, Double>, fp},
    {encoding("00011110 11 1 0001 00 10000 Rn Rd"), "FCVT Sd, Hn", decode_convert<Single, Half>, fp},
    {encoding("00011110 11 1 0001 01 10000 Rn Rd"), "FCVT Dd, Hn", decode_convert<Double, Half>, fp},

    {encoding("sf 0011110 ptype 1 00 00x 000000 Rn Rd"), "FCVTNS, FCVTNU (scalar)", decode_to_integer<Rounding::nearest_even>, fp},
    {encoding("sf 0011110 ptype 1 01 00x 000000 Rn Rd"), "FCVTPS, FCVTPU (scalar)", decode_to_integer<Rounding::up>, fp},
    {encoding("sf 0011110 ptype 1 10 00x 000000 Rn Rd"), "FCVTMS, FCVTMU (scalar)", decode_to_integer<Rounding::down>, fp},
    {encoding("sf 0011110 ptype 1 11 00x 000000 Rn Rd"), "FCVTZS, FCVTZU (scalar, integer)", decode_to_integer<Rounding::toward_zero>, fp},
    {encoding("sf 0011110 ptype 1 00 10x 000000 Rn Rd"), "FCVTAS, FCVTAU (scalar)", decode_to_integer<Rounding::nearest_away>, fp},
    {encoding("sf 0011110 ptype 1 00 01x 000000 Rn Rd"), "SCVTF, UCVTF (scalar, integer)", decode_from_integer, fp},
    {encoding("sf 0011110 ptype 0 11 00x scale Rn Rd"),  "FCVTZS, FCVTZU (scalar, fixed-point)", decode_fixed_point, fp},
    {encoding("sf 0011110 ptype 0 00 01x scale Rn Rd"),  "SCVTF, UCVTF (scalar, fixed-point)", decode_fixed_point, fp},

    {encoding("0 0011110 00 1 00 110 000000 Rn Rd"), "FMOV Wd, Sn",      decode_to_general<to_general<Single>>, fp},
    {encoding("0 0011110 00 1 00 111 000000 Rn Rd"), "FMOV Sd, Wn",      decode_from_general<from_general<Single>>, fp},
    {encoding("1 0011110 01 1 00 110 000000 Rn Rd"), "FMOV Xd, Dn",      decode_to_general<to_general<Double>>, fp},
    {encoding("1 0011110 01 1 00 111 000000 Rn Rd"), "FMOV Dd, Xn",      decode_from_general<from_general<Double>>, fp},
    {encoding("x 0011110 11 1 00 110 000000 Rn Rd"), "FMOV Wd or Xd, Hn", decode_to_general<to_general<Half>>, fp16},
    {encoding("x 0011110 11 1 00 111 000000 Rn Rd"), "FMOV Hd, Wn or Xn", decode_from_general<from_general<Half>>, fp16},
    {encoding("1 0011110 10 1 01 110 000000 Rn Rd"), "FMOV Xd, Vn.D[1]", decode_to_general<top_to_general>, fp},
    {encoding("1 0011110 10 1 01 111 000000 Rn Rd"), "FMOV Vd.D[1], Xn", decode_from_general<top_from_general>, fp},
    // clang-format on
};

}  // namespace
}  // namespace floating_point_conversion

std::span<const Row> floating_point_conversion_rows() { return floating_point_conversion::rows; }

}  // namespace asterism::a64
