// What cores do to the memory behind their L1 caches, as published for a mix of programs: how often they
// miss, not what they compute. Files in configs/workloads.
//
// The rates of abeyratne2017 Table 3.4 are sums over the cores that run the mix: 4,096 of the SPLASH mix are
// 8.0 on each of its 512 cores, 2,543 of Mix 1 are 4.6 on each of 552. (As the rate of one core 2,543 misses
// in 1,000 instructions could not be, as the sum over the mix's 12 programs they would be 212 each.) How the
// sum divides among the programs is not published: all cores are alike.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace asterism {

class Fields;

struct Workload {
  std::uint32_t cores = 552;
  std::uint32_t l1_mpki = 0;  // misses in 1,000 instructions of each core, summed over the cores
  std::uint32_t l2_mpki = 0;  // of those, misses of the L2 cache too

  bool operator==(const Workload&) const = default;
};
void describe(Fields& f, Workload& workload);

}  // namespace asterism
