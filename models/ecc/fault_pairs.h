// An estimate of how often faults of two chips of a rank meet in a block, of which each alone is corrected.
// Codes of ten chips correct every fault of one chip: what they leave is these pairs.
//
// A pair meets if the second fault comes while the first one is there, and both have a block in common. A
// fault that ends when its data are rewritten is there until the next scrub, a permanent one for the rest of
// the service life; of either, that is half of the time on average. Faults have uniform places: two that each
// have one bank, row or place in the row of their own have it in common once in as many as there are.
//
// Not counted: a third fault, more than one pair of the same faults, and repairs before the end of the
// service life, which leave fewer pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "ecc/fault_rates.h"

namespace asterism {

// The share of pairs of faults with uniform places that have a block in common.
double meeting_share(const ChipArray& array, FaultExtent a, FaultExtent b);

struct FaultLife {
  double scrub_hours = 0;    // between two scrubs of a block
  double service_hours = 0;  // of the memory
};

struct PairRates {
  double due_fit = 0, sdc_fit = 0;  // of a rank
};
// `corrected` is, for each mode, the share of its faults that the code corrects alone; `shares` is what the
// code does with a block that both faults cover.
PairRates fault_pairs(const FaultRates& rates, unsigned chips, const FaultLife& life,
                      std::span<const double> corrected,
                      const std::function<CoverageShares(Ddr5Fault, Ddr5Fault)>& shares);

}  // namespace asterism
