#include "memory/ecc_config.h"

#include <bit>

#include "base/fields.h"

namespace asterism {

void describe_ecc_cache(Fields& f, Bytes& cache, std::uint32_t& ways) {
  f("ecc_cache", cache,
    "The capacity of the ECC cache for third parity symbols. With a smaller one strong ECC accesses DRAM "
    "more often; with 0, at every use.",
    at_most(16_MiB));
  f("ecc_cache_ways", ways,
    "The associativity of the ECC cache. With fewer ways blocks evict each other sooner.", within(1, 64));
  f.check(
      [&] {
        const Bytes way = 64_B * ways;
        return cache == Bytes(0) || (cache % way == Bytes(0) && std::has_single_bit(cache / way));
      },
      "ecc_cache", "is 0, or ecc_cache_ways * 64 bytes times a power of two");
}

static_assert(member_count<EccConfig>() == 11);
void describe(Fields& f, EccConfig& c) {
  f("ecc", c.mode, "The code of pages that no range of the firmware covers. Strong needs two ranks.",
    one_of<EccMode>());
  f("ecc_profile", c.profile,
    "What the decoder corrects with the same storage, and which bits a fault flips.", one_of<EccProfile>());
  f("ecc_rank_code", c.rank_code,
    "The code of a DDR5 rank, in place of the dual-mode one: pages in normal mode have it, and there is no "
    "strong mode. A block is a burst of 16 beats from ten x4 chips, or nine.",
    one_of<Ddr5Code>());
  f.check([&] { return !c.rank_code || c.mode == EccMode::normal; }, "ecc",
          "is normal with ecc_rank_code, which is the code of pages in this mode and has no strong one");
  f("on_die_ecc", c.on_die,
    "Whether each chip of a DDR5 rank corrects one bit of its own word of 128 before the rank's code sees "
    "it. "
    "Single bits then reach neither controller nor software, and of several one more may become wrong.");
  f.check([&] { return !c.on_die || c.rank_code; }, "on_die_ecc",
          "is false without ecc_rank_code: only chips of a DDR5 rank with such a code have it");
  f("on_die_scrub", c.on_die_scrub,
    "The time in which the chips read each of their own words once and write back what on-die ECC corrects, "
    "within refreshes and unseen by the controller: 86400s by JESD79-5. In a shorter time transient errors "
    "meet others in a word less often. 0: they do not.",
    at_most(10'000'000_s));
  f.check([&] { return c.on_die_scrub == Picoseconds(0) || c.on_die; }, "on_die_scrub",
          "is 0s without on_die_ecc, which corrects what is read");
  describe_ecc_cache(f, c.cache, c.cache_ways);
  f("demand_scrub", c.demand_scrub,
    "Whether corrected blocks are written back, which ends transient errors. Otherwise they are corrected at "
    "each read and may meet further errors.");
  f("patrol_interval", c.patrol_interval,
    "The time between two blocks of the patrol scrubber. 0: it is off until firmware starts it.",
    at_most(4_s));
  f("fit_per_device", c.fit_per_device, "The random faults of a DRAM device in 10^9 hours. 0: none.",
    at_most(1'000'000'000));
  f("fit_acceleration", c.fit_acceleration,
    "The factor by which devices age faster than simulated time. At 10^12, the maximum, and 66 FIT each "
    "device fails every 55 ms.",
    within(1, 1'000'000'000'000));
  f.check([&] { return c.fit_per_device <= 100'000'000'000'000'000 / c.fit_acceleration; }, "fit_per_device",
          "is at most 10^17 when multiplied by fit_acceleration: 28 failures of a device in a simulated "
          "millisecond");
  f.check(c.patrol_interval % 1_ns == Picoseconds(0), "patrol_interval", "is a whole number of nanoseconds");
}

}  // namespace asterism
