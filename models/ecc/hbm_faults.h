// What the faults of a die of HBM leave behind a code, at rates from the field (fault_rates.h).
//
// A fault counts as what happens to the first sector that is read of those that it covers: it is corrected,
// uncorrectable or silent (sector_coverage.h). With the two levels of REACH that also depends on how many
// chunks of a span (two_level_span.h) the fault covers. The chunks of a span are dealt to `span_dies` dies in
// turn. A fault of a block or of a column covers one of them, all others those that are in the die. Parity
// fills in up to eight, but not all: about two faults in 10^5 are left, of which the inner code takes a chunk
// for one that it has corrected.
//
// Not counted: two faults that meet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <utility>

#include "ecc/fault_coverage.h"
#include "ecc/fault_rates.h"
#include "ecc/sector_code.h"
#include "ecc/two_level_span.h"

namespace asterism {

struct HbmProtection {
  SectorCode code = SectorCode::symbol;
  TwoLevelConfig span = {};     // of `reach`
  std::uint32_t span_dies = 1;  // 1 or more
};

// The chunks of a span that a fault of a die covers.
unsigned covered_chunks(const HbmProtection& protection, FaultExtent extent);

// Draws `trials` faults, or fewer if it is stopped. The same arguments give the same counts.
CoverageCounts measure_hbm_coverage(const HbmProtection& protection, const FaultMode& mode,
                                    std::uint64_t trials, std::uint64_t seed,
                                    const std::stop_token& stop = {});

// What each mode of a file leaves; modes that cover the same chunks in the same way are drawn once.
class HbmCoverage {
 public:
  HbmCoverage(const HbmProtection& protection, std::uint64_t trials, std::uint64_t seed)
      : protection_(protection), trials_(trials), seed_(seed) {}
  // As measure_hbm_coverage(). What was stopped is not kept.
  CoverageCounts of(const FaultMode& mode, const std::stop_token& stop = {});

 private:
  HbmProtection protection_;
  std::uint64_t trials_, seed_;
  std::map<std::pair<Ddr5Fault, unsigned>, CoverageCounts> known_;
};

// Of a die. A mode of which no drawn fault is left may still leave some: at most `high`, the sum of the upper
// ends of 95% intervals (Wilson).
struct HbmFaultsLeft {
  double uncorrectable_fit = 0, silent_fit = 0;
  double uncorrectable_high_fit = 0, silent_high_fit = 0;
};
// Nothing if it is stopped before the last mode is measured. At least one trial.
std::optional<HbmFaultsLeft> hbm_faults_left(const FaultRates& rates, const HbmProtection& protection,
                                             std::uint64_t trials, std::uint64_t seed,
                                             const std::stop_token& stop = {});

}  // namespace asterism
