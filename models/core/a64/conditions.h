// Condition codes (Arm DDI 0487, C1.2.4).
#pragma once

#include "core/a64/state.h"

namespace asterism::a64 {

template <unsigned condition>
bool holds(const Flags& flags) {
  static_assert(condition < 16);
  constexpr unsigned pair = condition >> 1;
  bool result = true;  // AL, and NV, which is the same
  if constexpr (pair == 0) result = flags.z();
  if constexpr (pair == 1) result = flags.c;
  if constexpr (pair == 2) result = flags.n();
  if constexpr (pair == 3) result = flags.v;
  // Without branches, which && would make.
  if constexpr (pair == 4) result = unsigned{flags.c} & unsigned{!flags.z()};
  if constexpr (pair == 5) result = flags.n() == flags.v;
  if constexpr (pair == 6) result = unsigned{!flags.z()} & unsigned{flags.n() == flags.v};
  return result != (condition % 2 == 1 && pair != 7);
}

}  // namespace asterism::a64
