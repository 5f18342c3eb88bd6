// Characteristics of a source of write requests: the columns of abeyratne2017 Table 5.2 and the figures of
// its figure 5.5.
#pragma once

#include <cstdint>

#include "dimm_ssd/workload/write_source.h"

namespace asterism {

struct WriteCensus {
  std::uint64_t requests = 0;
  // Sums over the intervals; a page that several intervals modify counts in each.
  std::uint64_t pages = 0;
  std::uint64_t lines = 0;
  // By the number of writes to the page in an interval.
  std::uint64_t pages_below_8 = 0, pages_below_64 = 0, pages_above_64 = 0;
};

WriteCensus take_census(WriteSource& source, std::uint32_t intervals);

}  // namespace asterism
