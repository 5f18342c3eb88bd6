// Trials in which the power of a translation layer fails, directed at its garbage collection.
//
// A trial makes a flash of a few small blocks that is nearly full. It writes, rewrites, trims and reads
// mostly a few hot pages, and lets the power fail: during a collection, an erase, a list or a recovery, and
// repeatedly while the layer only recovers and collects. Blocks that wear out, bit errors beyond the page
// code, and lists of several pages are mixed in. These must hold:
//
//   - at any time every page has the contents that were last reported written; a trimmed page is not mapped
//   - the flash itself (flash_reading.h) holds them, so that a power failure at this instant would not lose
//     them
//   - after a power failure a page has the contents last reported written, or those of a newer write that was
//     under way
//   - a page that can no longer be read stays lost, and no older copy replaces it
//   - every request ends, and none is refused before blocks have failed
//
// A seed gives the same trial on every machine.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "flash/crash/translation_states.h"

namespace asterism {

struct TranslationTrialCounts {
  std::uint64_t power_failures = 0, recovery_power_failures = 0;
  std::uint64_t requests = 0, written = 0;  // those that were reported
  std::uint64_t checked = 0;                // pages checked, after power failures and between them

  TranslationTrialCounts& operator+=(const TranslationTrialCounts& o) {
    power_failures += o.power_failures;
    recovery_power_failures += o.recovery_power_failures;
    requests += o.requests;
    written += o.written;
    checked += o.checked;
    return *this;
  }
  bool operator==(const TranslationTrialCounts&) const = default;
};

struct TranslationFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws TranslationFailure if a check fails, also one of the layer itself (std::logic_error). Counts the
// states that it reaches in `states`, if given.
TranslationTrialCounts run_translation_trial(std::uint64_t seed, std::uint64_t power_failures,
                                             TranslationStates* states = nullptr);

}  // namespace asterism
