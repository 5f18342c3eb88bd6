// Bit errors in the flash of a DIMM-SSD, placed by the contents of pages: an author of firmware knows
// checkpoints, and not where the translation layer has stored them.
//
// Bits of the weakest KiB of the page flip. The page code corrects FlashPart::correctable_bits in total; with
// more the page is unreadable. The errors end when the page is written elsewhere, by a collection or a
// rewrite.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/enum_names.h"
#include "base/timed.h"
#include "dimm_ssd/checkpoint_log_directory.h"

namespace asterism {

enum class FlashHold { data, metadata, root };
constexpr auto enum_names(FlashHold) {
  return std::to_array<EnumName<FlashHold>>(
      {{FlashHold::data, "data", "lines that the version added, which a restore reads"},
       {FlashHold::metadata, "metadata", "the places of these lines, which are read after every power-up"},
       {FlashHold::root, "root",
        "one of the two copies of the directory, which are read after every power-up"}});
}

struct FlashFault {
  FlashHold holds = FlashHold::data;
  std::uint64_t version = 0;  // for data and metadata; 0: the newest durable one
  std::uint32_t page = 0;     // index among these pages
  std::uint32_t bits = 0;
};
using TimedFlashFault = Timed<FlashFault>;

// The logical page that a fault hits; nullopt if there is no such version, or it has no such page.
std::optional<std::uint32_t> logical_page(const FlashFault& fault, const CheckpointDirectory& directory);

}  // namespace asterism
