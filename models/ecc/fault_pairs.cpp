#include "ecc/fault_pairs.h"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

namespace asterism {

double meeting_share(const ChipArray& array, FaultExtent a, FaultExtent b) {
  // Whether both have one of something: neither is of the extents that have all of it.
  const auto both_have_one = [&](std::initializer_list<FaultExtent> all) {
    return std::ranges::find(all, a) == all.end() && std::ranges::find(all, b) == all.end();
  };
  using enum FaultExtent;
  double share = 1;
  if (both_have_one({chip})) share /= array.banks;
  if (both_have_one({chip, bank, column})) share /= array.rows;
  if (both_have_one({chip, bank, row})) share /= array.blocks_of_row;
  return share;
}

PairRates fault_pairs(const FaultRates& rates, unsigned chips, const FaultLife& life,
                      std::span<const double> corrected,
                      const std::function<CoverageShares(Ddr5Fault, Ddr5Fault)>& shares) {
  if (!rates.array || corrected.size() != rates.modes.size())
    throw std::invalid_argument("pairs need the chip's array and a share for each mode");
  PairRates sum;
  const double ordered_pairs_of_chips = chips * (chips - 1.0);
  for (std::size_t i = 0; i < rates.modes.size(); ++i) {
    const FaultMode& first = rates.modes[i];
    const double fault_hours =
        (first.transient_fit * life.scrub_hours + first.permanent_fit * life.service_hours) / 2;
    for (std::size_t j = 0; j < rates.modes.size(); ++j) {
      const FaultMode& second = rates.modes[j];
      const double both_alone = corrected[i] * corrected[j];
      if (both_alone == 0) continue;
      const double fit = ordered_pairs_of_chips * fault_hours * second.fit() * 1e-9 * both_alone *
                         meeting_share(*rates.array, first.extent, second.extent);
      const CoverageShares met = shares(first.covers, second.covers);
      sum.due_fit += fit * met.uncorrectable;
      sum.sdc_fit += fit * met.silent;
    }
  }
  return sum;
}

}  // namespace asterism
