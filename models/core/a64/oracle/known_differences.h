// The intended differences between the engine and the oracles, QEMU and VIXL's simulator: words that match an
// entry are left out of the comparison.
#pragma once

#include <cstdint>

namespace asterism::a64::oracle {

enum class Aspect : std::uint8_t { decoding, execution, vixl };  // the first two: by QEMU

struct KnownDifference {
  std::uint32_t mask, value;
  Aspect aspect;
  const char* reason;
};

// The entry that a word belongs to; nullptr if there is none.
const KnownDifference* known_difference(std::uint32_t word, Aspect aspect);

}  // namespace asterism::a64::oracle
