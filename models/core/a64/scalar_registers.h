// Scalars in the SIMD and floating-point registers, and their formats.
#pragma once

#include <cstdint>

#include "core/a64/cpu.h"
#include "core/a64/decoder.h"
#include "core/a64/fast_float.h"

namespace asterism::a64 {

template <class T>
T read_scalar(const Cpu& cpu, std::uint8_t at) {
  return static_cast<T>(cpu.v[at].d[0]);
}
// A scalar result clears the rest of its register.
inline void write_scalar(Cpu& cpu, std::uint8_t at, std::uint64_t bits) { cpu.v[at].d = {bits, 0}; }

// Half-precision operations are never computed by the host's arithmetic.
template <class T>
inline constexpr bool is_half = sizeof(T) == sizeof(Half);

// The handler that make(T()) returns for the format in ptype; nullptr if ptype is reserved, or the format is
// not configured.
template <class Make>
Handler by_format(const Decoding& d, Make make) {
  constexpr unsigned single = 0, double_ = 1, half = 3;
  const unsigned ptype = d.bits(23, 22);
  if (ptype == single) return make(Single{});
  if (ptype == double_) return make(Double{});
  return ptype == half && d.options.features.has(CoreFeature::fp16) ? make(Half{}) : nullptr;
}

}  // namespace asterism::a64
