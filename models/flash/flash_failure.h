// A failure of the flash of a device in a scenario: of a page, or of the block or the die that it is in.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

class EventLog;
class FlashImage;
struct FlashAddress;

enum class FlashFailurePart { page, block, die };
constexpr auto enum_names(FlashFailurePart) {
  return std::to_array<EnumName<FlashFailurePart>>(
      {{FlashFailurePart::page, "page",
        "bits of the flash page flip; with more than its code corrects it cannot be read"},
       {FlashFailurePart::block, "block",
        "programs and erases of the block of this page fail from now on; its pages can still be read"},
       {FlashFailurePart::die, "die",
        "nothing can be read, programmed or erased any more in the die of this page"}});
}

// The page is the one that holds a byte of the device at the time of the failure.
struct FlashFailure {
  FlashFailurePart covers = FlashFailurePart::page;
  Bytes offset;            // of the byte, in what the device offers
  std::uint32_t bits = 0;  // that flip, of a page
};

// Breaks what it covers, at the place of the page.
void break_flash(FlashImage& image, FlashAddress page, const FlashFailure& failure);

// Writes the event flash_fault of a device, `source`.
void record_flash_fault(EventLog& events, Picoseconds at, std::string_view source,
                        const FlashFailure& failure, FlashAddress page);

}  // namespace asterism
