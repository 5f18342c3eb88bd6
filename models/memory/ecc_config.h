// The ECC of a node's memory.
#pragma once

#include <optional>

#include "base/units.h"
#include "ecc/ddr5_codec.h"
#include "ecc/dual_mode_codec.h"

namespace asterism {

class Fields;

// What a rank delivers of a block: the chips, and the beats of a burst.
struct BlockShape {
  unsigned chips = block_chips, beats = block_beats;
};

struct EccConfig {
  EccMode mode = EccMode::normal;  // of pages that no range covers
  EccProfile profile = EccProfile::thesis;
  std::optional<Ddr5Code> rank_code = {};  // in place of the dual-mode code
  bool on_die = false;                     // DDR5 chips correct a bit of their own words before
  Picoseconds on_die_scrub = {};           // in which a chip reads all of its own words once; 0: it does not
  Bytes cache = 64_KiB;
  std::uint32_t cache_ways = 8;
  bool demand_scrub = true;  // corrected blocks are written back
  // Between two blocks of the patrol scrubber; 0: it is off until firmware starts it.
  Picoseconds patrol_interval;
  std::uint64_t fit_per_device = 0;    // random failures in 10^9 device hours
  std::uint64_t fit_acceleration = 1;  // factor by which devices age faster than simulated time

  BlockShape shape() const { return rank_code ? BlockShape{chips_of(*rank_code), ddr5_beats} : BlockShape{}; }
};
void describe(Fields& f, EccConfig& config);
// Describes the keys ecc_cache and ecc_cache_ways.
void describe_ecc_cache(Fields& f, Bytes& cache, std::uint32_t& ways);

}  // namespace asterism
