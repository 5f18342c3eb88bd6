// Loads and stores off the fast path.
#include <algorithm>
#include <cstring>

#include "core/a64/cpu.h"

namespace asterism::a64 {

bool Cpu::load(const Operation&, std::uint64_t address, unsigned size, void* data, Ordering) {
  const auto direct = memory.direct(address);
  if (direct) std::memcpy(data, direct->host, size);
  return true;
}

bool Cpu::store(const Operation&, std::uint64_t address, unsigned size, const void* data, Ordering) {
  const auto direct = memory.direct(address);
  if (direct) std::memcpy(direct->host, data, size);
  return true;
}

}  // namespace asterism::a64
