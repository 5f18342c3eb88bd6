// What happens around an engine that runs instructions, as performance monitors count it. Of one core, from any time on; no count
// ever goes back.
#pragma once

#include <cstdint>

namespace asterism {

// Of one core's loads and stores.
struct CacheCounts {
  std::uint64_t l1_accesses = 0, l1_refills = 0, l2_accesses = 0, l2_refills = 0;
  std::uint64_t memory_accesses = 0;  // fills and write-backs
  bool operator==(const CacheCounts&) const = default;
};

struct CoreCounts {
  std::uint64_t cycles = 0;        // of the core's clock, which stands still in WFI
  std::uint64_t stall_cycles = 0;  // of them, those in which a load or store waited for the bus
  std::uint64_t bus_accesses = 0;
  CacheCounts caches;
  bool operator==(const CoreCounts&) const = default;
};

}  // namespace asterism
