// The ECC of a node's memory.
#pragma once

#include "base/units.h"
#include "ecc/dual_mode_codec.h"

namespace asterism {

class Fields;

struct EccConfig {
  EccMode mode = EccMode::normal;  // of pages that no range names
  EccProfile profile = EccProfile::thesis;
  Bytes cache = 64_KiB;
  std::uint32_t cache_ways = 8;
  bool demand_scrub = true;          // a corrected block is written back
  Picoseconds patrol_interval;       // between two blocks of the patrol scrubber; 0: it is off until firmware
                                     // starts it
  std::uint64_t fit_per_device = 0;  // failures in 10^9 device hours, at random
  std::uint64_t fit_acceleration = 1;  // simulated time counts this many times over
};
void describe(Fields& f, EccConfig& config);
// The keys ecc_cache and ecc_cache_ways, wherever they stand.
void describe_ecc_cache(Fields& f, Bytes& cache, std::uint32_t& ways);

}  // namespace asterism
