// Tables of handlers that differ in their template arguments, and the most common choice: by width.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "core/a64/decoder.h"

namespace asterism::a64 {

// An array of what maker.operator()<0>(), <1>(), ... return:
//
//   static constexpr auto handlers = table_of<16>([]<std::size_t i> { return Handler{step<branch_if<i>>}; });
template <std::size_t count, class Maker>
constexpr auto table_of(Maker maker) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::array{maker.template operator()<i>()...};
  }
  (std::make_index_sequence<count>());
}

// The operation's handler by the bit sf: X registers or W registers.
template <auto x, auto w>
bool by_width(Decoding& d) {
  d.op.run = d.bit(31) ? step<x> : step<w>;
  return true;
}

}  // namespace asterism::a64
