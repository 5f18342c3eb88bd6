// Bit errors that are placed in the flash of a DIMM-SSD by what its pages hold: firmware's author knows
// checkpoints, and not where the translation layer has put them.
//
// Bits of the weakest KiB of the page flip. The page code corrects as many as FlashPart::correctable_bits in
// all, and cannot read the page beyond. They are gone when the page is written elsewhere, by a collection or
// anew.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/enum_names.h"
#include "base/units.h"
#include "dimm_ssd/checkpoint_log_directory.h"

namespace asterism {

enum class FlashHold { data, metadata, root };
constexpr auto enum_names(FlashHold) {
  return std::to_array<EnumName<FlashHold>>(
      {{FlashHold::data, "data", "lines that the version added: read by a restore"},
       {FlashHold::metadata, "metadata", "where they are: read after every power-up"},
       {FlashHold::root, "root", "one of the two copies of the directory: read after every power-up"}});
}

struct FlashFault {
  FlashHold holds = FlashHold::data;
  std::uint64_t version = 0;  // of data and metadata; 0: the newest that is durable
  std::uint32_t page = 0;     // of these pages, counted from 0
  std::uint32_t bits = 0;
};
struct TimedFlashFault {
  Picoseconds at;
  FlashFault fault;
};

// The logical page that a fault hits. Nullopt: there is no such version, or it has no such page.
std::optional<std::uint32_t> logical_page(const FlashFault& fault, const CheckpointDirectory& directory);

}  // namespace asterism
