#include "memory/ecc_config.h"

#include <bit>

#include "base/fields.h"

namespace asterism {

void describe_ecc_cache(Fields& f, Bytes& cache, std::uint32_t& ways) {
  f("ecc_cache", cache,
    "Of third parity symbols: a smaller one makes strong ECC access DRAM more often, 0 at every use",
    at_most(16_MiB));
  f("ecc_cache_ways", ways, "Of a set; fewer of them let blocks displace each other earlier", within(1, 64));
  f.check(
      [&] {
        const Bytes way = 64_B * ways;
        return cache == Bytes(0) || (cache % way == Bytes(0) && std::has_single_bit(cache / way));
      },
      "ecc_cache", "is 0, or ecc_cache_ways * 64 bytes times a power of two");
}

static_assert(member_count<EccConfig>() == 8);
void describe(Fields& f, EccConfig& c) {
  f("ecc", c.mode, "Code of pages that firmware's ranges do not name; strong needs two ranks",
    one_of<EccMode>());
  f("ecc_profile", c.profile, "How far the decoder goes with the same storage, and how a fault's bits err",
    one_of<EccProfile>());
  describe_ecc_cache(f, c.cache, c.cache_ways);
  f("demand_scrub", c.demand_scrub,
    "A block that was corrected is written back, which ends transient errors; without, they are corrected "
    "again "
    "at each read and may meet another");
  f("patrol_interval", c.patrol_interval,
    "Between two blocks of the patrol scrubber; 0: it is off until firmware starts it", at_most(4_s));
  f("fit_per_device", c.fit_per_device, "Random faults of a DRAM device in 10^9 hours; 0: none",
    at_most(1'000'000'000));
  f("fit_acceleration", c.fit_acceleration,
    "One simulated second ages the devices by so many: 10^12 at most, which lets each of them fail every 55 "
    "milliseconds at 66 FIT. More would break all chips before a program has begun",
    within(1, 1'000'000'000'000));
  f.check([&] { return c.fit_per_device <= 100'000'000'000'000'000 / c.fit_acceleration; }, "fit_per_device",
          "is, times fit_acceleration, at most 10^17: 28 failures of a device in a simulated millisecond");
  f.check(c.patrol_interval % 1_ns == Picoseconds(0), "patrol_interval", "is a whole number of nanoseconds");
}

}  // namespace asterism
