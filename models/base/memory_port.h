// The node's memory as an engine with DMA sees it: accesses that take time.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/units.h"

namespace asterism {

// How an access ended.
struct AccessEnd {
  Picoseconds at;
  bool ok = true;                        // false: memory did not answer, or its contents cannot be read
  std::span<const std::byte> data = {};  // that were read; valid during the call only
};

// Called once for an access: when it has ended, or before, as soon as it is known when it will end. It may be
// called within the call that begins the access.
using OnAccessEnd = std::function<void(const AccessEnd&)>;

// Accesses of a port take place one after the other, in the order in which they were begun. The address comes
// from software and may be any.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  virtual void read(Picoseconds now, Address first, Bytes size, OnAccessEnd ended) = 0;
  virtual void write(Picoseconds now, Address first, std::span<const std::byte> data, OnAccessEnd ended) = 0;
  // Drops all accesses that were begun: they write nothing more, and `ended` is not called any more.
  virtual void abandon() {}
};

}  // namespace asterism
