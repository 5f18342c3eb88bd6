// The parts of a crash trial, all drawn from its seed: a tiny flash, a tiny memory and extreme settings.
#pragma once

#include <string_view>

#include "base/random.h"
#include "base/statistics.h"
#include "dimm_ssd/checkpointer.h"
#include "dimm_ssd/crash/crash_memory.h"
#include "dimm_ssd/crash/crash_trial.h"

namespace asterism {

enum class BitErrors : std::uint8_t { none, corrected, beyond_correction };

struct CrashSetup {
  FlashPart part;
  FlashGeometry geometry;
  CheckpointerConfig checkpointer;
  CrashMemory::Settings memory;
  BitErrors bit_errors = BitErrors::none;
  bool changes_method = false;
};

CrashSetup make_crash_setup(const CrashTrialConfig& config, Random& random);

CheckpointMethod any_method(Random& random);
FlashAddress any_page(Random& random, const FlashGeometry& geometry);

// The number of torn pages of an image, and of blocks all of whose pages are torn.
struct TornPages {
  explicit TornPages(const FlashImage& image);
  std::uint32_t pages = 0, whole_blocks = 0;
};

// A count in the first group of this name, at any depth; 0 if there is none.
std::uint64_t find_count(const Statistics& statistics, std::string_view group, std::string_view name);

}  // namespace asterism
