// Scalars in the SIMD and floating-point registers.
#pragma once

#include <cstdint>

#include "core/a64/cpu.h"

namespace asterism::a64 {

template <class T>
T read_scalar(const Cpu& cpu, std::uint8_t at) {
  return static_cast<T>(cpu.v[at].d[0]);
}
// A scalar result clears the rest of its register.
inline void write_scalar(Cpu& cpu, std::uint8_t at, std::uint64_t bits) { cpu.v[at].d = {bits, 0}; }

}  // namespace asterism::a64
