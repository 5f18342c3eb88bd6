// Faults of GPUs' memories at random times, at the rates that a fleet has counted (ecc/fault_rates.h),
// accelerated so that a run of milliseconds sees what a fleet sees in years.
//
// Each GPU has corrected and uncorrectable errors, each as often as the file says: the errors that it calls
// `corrected` and `uncorrectable`, in its device hours, times the acceleration. A corrected error is a
// transient wrong bit, an uncorrectable one a row that stays broken. Their places are uniform in the first
// bytes of the GPU's memory. Times have steps of a nanosecond; between two errors of a kind is a
// geometrically distributed number of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "ecc/fault_rates.h"
#include "platform/scenario/scenario_config.h"

namespace asterism {

// In order of time. The seed is that of the scenario.
std::vector<FaultConfig> field_faults(const FieldFaultsConfig& config, const FaultRates& rates,
                                      std::uint64_t seed);

// A fault at the last place that they may have, which a device has to take.
FaultConfig last_field_fault(const FieldFaultsConfig& config);

// What is wrong with these rates for it; "" if nothing is.
std::string problem_of(const FieldFaultsConfig& config, const FaultRates& rates);

}  // namespace asterism
