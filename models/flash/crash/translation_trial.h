// Power cuts of a translation layer, aimed at its garbage collection.
//
// A trial makes a flash of a few small blocks that is nearly full, writes, rewrites, trims and reads mostly a
// few hot pages of it, and cuts the power: amid a collection, an erase, a list, a recovery, again and again
// while the layer does nothing but recover and collect. Mixed in are blocks that wear out, bit errors beyond
// the page code, and lists of several pages. What must hold:
//
//   - at any time every page is what was last reported written; a trimmed page is not mapped
//   - the flash itself (flash_reading.h) holds it, so that a cut at this instant would not lose it
//   - after a cut a page is what was last reported written, or a newer write that was under way
//   - a page that can no longer be read stays lost, and no older copy takes its place
//   - every request ends, and none is refused before blocks have failed
//
// A seed gives one trial, on every machine.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "flash/crash/translation_states.h"

namespace asterism {

struct TranslationTrialCounts {
  std::uint64_t cuts = 0, cuts_of_recovery = 0;
  std::uint64_t requests = 0, written = 0;  // these were reported
  std::uint64_t checked = 0;                // pages, after cuts and between them

  TranslationTrialCounts& operator+=(const TranslationTrialCounts& o) {
    cuts += o.cuts;
    cuts_of_recovery += o.cuts_of_recovery;
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

// Throws TranslationFailure, also for what the layer itself finds wrong (std::logic_error). Counts states
// where `states` is given.
TranslationTrialCounts run_translation_trial(std::uint64_t seed, std::uint64_t cuts,
                                             TranslationStates* states = nullptr);

}  // namespace asterism
