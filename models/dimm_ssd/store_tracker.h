// How a DIMM-SSD sees what the cores of its node store. The platform has one of these, after what the node is made of:
//
//   lines   the cores' engine keeps a dirty bit a line: collect() tells them late, and a page's first store asks the guard
//   caches  memory sees a line when a cache writes it back, which asks the guard and is told then; what caches hold is
//           written back when an interval ends. Memory has the stored data before, so the keeper is asked at a page's first
//           store
#pragma once

#include <vector>

#include "base/units.h"
#include "base/write_guard.h"

namespace asterism {

class StoreTracker {
 public:
  virtual ~StoreTracker() = default;

  // The guards watch pages of this range from now on; an empty one: no page.
  virtual void watch(WriteGuard& guard, WriteGuard& keeper, AddressRange range) = 0;
  // Tells the lines of the range that were stored to and not told yet.
  virtual void collect(AddressRange range, WriteObserver& observer) = 0;
  // Whether collect() is where lines are told.
  virtual bool tells_late() const = 0;

  // Lines that only caches hold, ascending.
  virtual std::vector<Address> dirty() { return {}; }
  // They are clean now, and go to memory one after the other; DimmSsdModule::flushed() is called behind the last one.
  virtual void flush(const std::vector<Address>& /*lines*/) {}
  virtual bool is_flushing() const { return false; }
};

}  // namespace asterism
