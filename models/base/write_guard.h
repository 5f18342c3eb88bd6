// Write protection of pages of memory: a DIMM-SSD may delay writes to a page until it has copied the page.
//
// The cores ask for permission. Of an engine's stores to direct memory (Iss::collect_writes) the first one to
// a page since the page was collected asks, and the stores after it need not: their lines are collected
// later. Where stores come over the bus, each of them asks, and is reported by written(). An answer holds at
// the instant at which it is given, for a write at this instant.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "base/write_observer.h"

namespace asterism {

class WriteGuard : public WriteObserver {
 public:
  // Whether writes to this 4 KiB page may have to wait at all.
  virtual bool is_protected(Address page) const = 0;
  // Whether the page may be written to now. Cores that may be ahead of simulated time ask this first.
  virtual bool is_write_allowed(Address page) const = 0;
  // Blocks the calling thread, at its core's time, until the page may be written to. `lines` are the lines of
  // the write that waits, as in WriteObserver. A reset may end the wait early; the write must then not
  // happen.
  virtual void block_write(Address page, std::uint64_t lines) = 0;
};

}  // namespace asterism
