// The interface of observers of writes to memory: the access-tracking table of a DIMM-SSD, a GPU's zone
// monitor.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace asterism {

class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  // Bit i of `lines` stands for the 64-byte line i of the 4 KiB page at `page`; at least one is set.
  virtual void written(Address page, std::uint64_t lines) = 0;
};

}  // namespace asterism
