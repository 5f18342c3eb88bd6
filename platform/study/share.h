// A share in the keys of studies: "33%".
#pragma once

#include <array>

#include "base/quantity_text.h"

namespace asterism {

using Share = Quantity<struct ShareUnit>;  // millionths

inline const QuantityKind& quantity_kind(Share) {
  static constexpr std::array units = {QuantityUnit{"%", 10'000}};
  static constexpr QuantityKind kind{"a share", "33%", units};
  return kind;
}

}  // namespace asterism
