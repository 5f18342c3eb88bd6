// Handlers of SIMD instructions, chosen by lane type and form. For the simd_*.cpp files.
//
// A family of handlers is a class with a template `work<T, bytes>`. T is the type of the lanes (of the
// source, if the instruction lengthens or narrows them). bytes is the size of the operands: 16 or 8 for the
// vector forms (Q), the size of one lane for the scalar form.
#pragma once

#include <array>
#include <span>
#include <utility>

#include "core/a64/decoder.h"
#include "core/a64/simd_lanes.h"

namespace asterism::a64 {

// The rows of the sections of the manual, each in a file of its own.
std::span<const Row> simd_three_same_rows();
std::span<const Row> simd_three_same_extra_rows();
std::span<const Row> simd_three_different_rows();
std::span<const Row> simd_two_register_rows();
std::span<const Row> simd_across_lanes_rows();
std::span<const Row> simd_permute_rows();
std::span<const Row> simd_copy_rows();
std::span<const Row> simd_by_element_rows();
std::span<const Row> simd_shift_rows();
std::span<const Row> simd_cryptography_rows();

enum class Sign : std::uint8_t { is_signed, is_unsigned, by_u };  // by_u: bit 29 selects unsigned lanes

// The sizes that an instruction has. The others are reserved.
inline constexpr unsigned size_b = 1, size_h = 2, size_s = 4, size_d = 8;
inline constexpr unsigned sizes_bhs = size_b | size_h | size_s, sizes_bhsd = sizes_bhs | size_d;

template <bool is_signed, unsigned size>
using Lane = std::conditional_t<is_signed, Signed<typename detail::OfBytes<1u << size>::type>,
                                typename detail::OfBytes<1u << size>::type>;

namespace detail {

template <class Family, unsigned sizes, bool is_signed, unsigned size, unsigned bytes>
constexpr Handler handler() {
  if constexpr (!(sizes >> size & 1)) {
    return nullptr;
  } else {
    return step<Family::template work<Lane<is_signed, size>, bytes>>;
  }
}

// By size and Q; there is no 1D.
template <class Family, unsigned sizes, bool is_signed, std::size_t... index>
constexpr std::array<Handler, 8> vector_handlers(std::index_sequence<index...>) {
  return {handler < Family, index == 6 ? 0 : sizes, is_signed, index / 2, index % 2 ? 16 : 8 > ()...};
}
// By size.
template <class Family, unsigned sizes, bool is_signed, std::size_t... size>
constexpr std::array<Handler, 4> scalar_handlers(std::index_sequence<size...>) {
  return {handler<Family, sizes, is_signed, size, 1u << size>()...};
}

}  // namespace detail

// nullptr if reserved.
template <class Family, unsigned sizes, Sign sign>
Handler vector_handler(const Decoding& d, unsigned size) {
  static constexpr auto with_sign =
      detail::vector_handlers<Family, sizes, sign != Sign::is_unsigned>(std::make_index_sequence<8>());
  static constexpr auto without =
      detail::vector_handlers<Family, sizes, sign == Sign::is_signed>(std::make_index_sequence<8>());
  const bool is_unsigned = sign == Sign::is_unsigned || (sign == Sign::by_u && d.bit(29));
  return (is_unsigned ? without : with_sign)[size << 1 | d.bits(30, 30)];
}

template <class Family, unsigned sizes, Sign sign>
Handler scalar_handler(const Decoding& d, unsigned size) {
  static constexpr auto with_sign =
      detail::scalar_handlers<Family, sizes, sign != Sign::is_unsigned>(std::make_index_sequence<4>());
  static constexpr auto without =
      detail::scalar_handlers<Family, sizes, sign == Sign::is_signed>(std::make_index_sequence<4>());
  const bool is_unsigned = sign == Sign::is_unsigned || (sign == Sign::by_u && d.bit(29));
  return (is_unsigned ? without : with_sign)[size];
}

inline void take_registers(Decoding& d) {
  d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.rm = d.vector(16);
}

// For instructions with `size` in bits 23 and 22.
template <class Family, unsigned sizes, Sign sign = Sign::by_u>
bool decode_vector(Decoding& d) {
  take_registers(d);
  d.op.run = vector_handler<Family, sizes, sign>(d, d.bits(23, 22));
  return d.op.run != nullptr;
}
template <class Family, unsigned sizes, Sign sign = Sign::by_u>
bool decode_scalar(Decoding& d) {
  take_registers(d);
  d.op.run = scalar_handler<Family, sizes, sign>(d, d.bits(23, 22));
  return d.op.run != nullptr;
}

}  // namespace asterism::a64
