// The memory accesses of cores behind their L1 caches, as published for a mix of programs: how often the
// cores miss, not what they compute. Files in configs/workloads.
//
// The rates of abeyratne2017 Table 3.4 are sums over the cores that run the mix: 4,096 of the SPLASH mix are
// 8.0 on each of its 512 cores, and 2,543 of Mix 1 are 4.6 on each of 552. (2,543 misses in 1,000
// instructions cannot be the rate of one core; as the sum over the mix's 12 programs, they would be 212
// each.) How the sum is divided among the programs is not published: all cores are alike.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace asterism {

class Fields;

struct Workload {
  std::uint32_t cores = 552;
  std::uint32_t l1_mpki = 0;  // misses per 1,000 instructions, summed over the cores
  std::uint32_t l2_mpki = 0;  // of these, misses in the L2 cache

  bool operator==(const Workload&) const = default;
};
void describe(Fields& f, Workload& workload);

}  // namespace asterism
