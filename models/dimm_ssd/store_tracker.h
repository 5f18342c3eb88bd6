// How a DIMM-SSD observes the stores of its node's cores. The platform implements it in one of two ways:
//
//   lines   the cores' engine keeps a dirty bit for each line. Lines are reported on collect(), and a page's
//           first store asks for permission
//   caches  memory sees a line when a cache writes it back: the write-back asks for permission and is
//           reported. What the caches hold is written back when an interval ends. Memory has the stored data
//           earlier, so that the pre-image of a page is saved at its first store
#pragma once

#include <vector>

#include "base/units.h"
#include "base/write_guard.h"

namespace asterism {

class StoreTracker {
 public:
  virtual ~StoreTracker() = default;

  // From now on the guards protect pages of this range; an empty range ends the protection.
  virtual void watch(WriteGuard& guard, WriteGuard& preimage_guard, AddressRange range) = 0;
  // Reports the lines of the range that were stored to and have not been reported yet.
  virtual void collect(AddressRange range, WriteObserver& observer) = 0;
  // Whether lines are reported on collect(), and not at each store.
  virtual bool reports_on_collect() const = 0;

  // The lines that only caches hold, in ascending order.
  virtual std::vector<Address> dirty() { return {}; }
  // Marks the lines clean and writes them to memory one after the other. DimmSsdModule::flushed() is called
  // after the last one.
  virtual void flush(const std::vector<Address>& /*lines*/) {}
  virtual bool is_flushing() const { return false; }
};

}  // namespace asterism
