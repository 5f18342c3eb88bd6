// Advanced SIMD vector and scalar by indexed element (Arm DDI 0487, C4.1.96), without floating point.
#include "core/a64/simd_operands.h"

namespace asterism::a64 {
namespace simd_by_element {
namespace {

// Half-words: the element is H, L and M, the register one of the lower sixteen. Words: H and L.
bool take_element(Decoding& d) {
  take_registers(d);
  const unsigned h = d.bits(11, 11), l = d.bits(21, 21), m = d.bits(20, 20);
  if (d.bits(23, 22) == 1) {
    d.op.rm &= 0xf;
    d.op.ra = static_cast<std::uint8_t>(h << 2 | l << 1 | m);
  } else {
    d.op.ra = static_cast<std::uint8_t>(h << 1 | l);
  }
  return true;
}

template <class Family, Sign sign>
bool decode_by_element(Decoding& d) {
  take_element(d);
  d.op.run = vector_handler<Family, size_h | size_s, sign>(d, d.bits(23, 22));
  return d.op.run != nullptr;
}
template <class Family>
bool decode_scalar_by_element(Decoding& d) {
  take_element(d);
  d.op.run = scalar_handler<Family, size_h | size_s, Sign::is_signed>(d, d.bits(23, 22));
  return d.op.run != nullptr;
}

// Four bytes are an element: its index is H and L.
bool decode_dot_by_element(Decoding& d) {
  take_registers(d);
  d.op.ra = static_cast<std::uint8_t>(d.bits(11, 11) << 1 | d.bits(21, 21));
  d.op.run = vector_handler<Dot<Second::element>, size_b, Sign::by_u>(d, 0);
  return true;
}

constexpr Sign is_unsigned = Sign::is_unsigned, is_signed = Sign::is_signed, by_u = Sign::by_u;
constexpr Row::Needs fp = Row::Needs::fp, rdm = Row::Needs::rdm, dotprod = Row::Needs::dotprod;

template <auto f, Sign sign>
constexpr auto same = decode_by_element<Lanewise<f, Second::element>, sign>;
template <auto f, Sign sign>
constexpr auto longs = decode_by_element<Long<f, Second::element>, sign>;
template <auto f>
constexpr auto scalar_same = decode_scalar_by_element<Lanewise<f, Second::element>>;
template <auto f>
constexpr auto scalar_longs = decode_scalar_by_element<Long<f, Second::element>>;

// The top bit of Rm is M.
constexpr Row rows[] = {
    // clang-format off
    {encoding("0 Q 1 01111 size L Rm 0000 H 0 Rn Rd"), "MLA (by element)",          same<multiply_add, is_unsigned>, fp},
    {encoding("0 Q U 01111 size L Rm 0010 H 0 Rn Rd"), "SMLAL, UMLAL (by element)", longs<multiply_add, by_u>, fp},
    {encoding("0 Q 0 01111 size L Rm 0011 H 0 Rn Rd"), "SQDMLAL (by element)",      longs<doubling_add, is_signed>, fp},
    {encoding("0 Q 1 01111 size L Rm 0100 H 0 Rn Rd"), "MLS (by element)",          same<multiply_subtract, is_unsigned>, fp},
    {encoding("0 Q U 01111 size L Rm 0110 H 0 Rn Rd"), "SMLSL, UMLSL (by element)", longs<multiply_subtract, by_u>, fp},
    {encoding("0 Q 0 01111 size L Rm 0111 H 0 Rn Rd"), "SQDMLSL (by element)",      longs<doubling_subtract, is_signed>, fp},
    {encoding("0 Q 0 01111 size L Rm 1000 H 0 Rn Rd"), "MUL (by element)",          same<times, is_unsigned>, fp},
    {encoding("0 Q U 01111 size L Rm 1010 H 0 Rn Rd"), "SMULL, UMULL (by element)", longs<times, by_u>, fp},
    {encoding("0 Q 0 01111 size L Rm 1011 H 0 Rn Rd"), "SQDMULL (by element)",      longs<doubling, is_signed>, fp},
    {encoding("0 Q 0 01111 size L Rm 1100 H 0 Rn Rd"), "SQDMULH (by element)",      same<doubling_high, is_signed>, fp},
    {encoding("0 Q 0 01111 size L Rm 1101 H 0 Rn Rd"), "SQRDMULH (by element)",     same<rounding_doubling_high, is_signed>, fp},
    {encoding("0 Q 1 01111 size L Rm 1101 H 0 Rn Rd"), "SQRDMLAH (by element)",     same<rounding_doubling_high_add, is_signed>, rdm},
    {encoding("0 Q 1 01111 size L Rm 1111 H 0 Rn Rd"), "SQRDMLSH (by element)",     same<rounding_doubling_high_subtract, is_signed>, rdm},
    {encoding("0 Q U 01111 10 L Rm 1110 H 0 Rn Rd"),   "SDOT, UDOT (by element)",   decode_dot_by_element, dotprod},

    {encoding("01 0 11111 size L Rm 0011 H 0 Rn Rd"),  "SQDMLAL (by element)",      scalar_longs<doubling_add>, fp},
    {encoding("01 0 11111 size L Rm 0111 H 0 Rn Rd"),  "SQDMLSL (by element)",      scalar_longs<doubling_subtract>, fp},
    {encoding("01 0 11111 size L Rm 1011 H 0 Rn Rd"),  "SQDMULL (by element)",      scalar_longs<doubling>, fp},
    {encoding("01 0 11111 size L Rm 1100 H 0 Rn Rd"),  "SQDMULH (by element)",      scalar_same<doubling_high>, fp},
    {encoding("01 0 11111 size L Rm 1101 H 0 Rn Rd"),  "SQRDMULH (by element)",     scalar_same<rounding_doubling_high>, fp},
    {encoding("01 1 11111 size L Rm 1101 H 0 Rn Rd"),  "SQRDMLAH (by element)",     scalar_same<rounding_doubling_high_add>, rdm},
    {encoding("01 1 11111 size L Rm 1111 H 0 Rn Rd"),  "SQRDMLSH (by element)",     scalar_same<rounding_doubling_high_subtract>, rdm},
    // clang-format on
};

}  // namespace
}  // namespace simd_by_element

std::span<const Row> simd_by_element_rows() { return simd_by_element::rows; }

}  // namespace asterism::a64
