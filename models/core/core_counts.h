// The events of one core outside its engine, for its performance monitors. They are counted from any time on,
// and never decrease.
#pragma once

#include <cstdint>

namespace asterism {

// Events of one core's loads and stores.
struct CacheCounts {
  std::uint64_t l1_accesses = 0, l1_refills = 0, l2_accesses = 0, l2_refills = 0;
  std::uint64_t memory_accesses = 0;  // fills and write-backs
  bool operator==(const CacheCounts&) const = default;
};

struct CoreCounts {
  std::uint64_t cycles = 0;        // of the core's clock, which stops in WFI
  std::uint64_t stall_cycles = 0;  // of these, with a load or store that waited for the bus
  std::uint64_t bus_accesses = 0;
  CacheCounts caches;
  bool operator==(const CoreCounts&) const = default;
};

}  // namespace asterism
