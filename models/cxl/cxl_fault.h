// Faults of CXL devices in a scenario: Inject Poison into an expander, and failures of the flash of a CXL
// SSD.
#pragma once

#include <cstdint>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

struct CxlFault {
  Bytes offset;  // of a byte of the line, in the memory of the expander
};

enum class CxlFlashPart { page, block, die };
constexpr auto enum_names(CxlFlashPart) {
  return std::to_array<EnumName<CxlFlashPart>>(
      {{CxlFlashPart::page, "page",
        "bits of the flash page flip; with more than its code corrects it cannot be read"},
       {CxlFlashPart::block, "block",
        "programs and erases of the block of this page fail from now on; its pages can still be read"},
       {CxlFlashPart::die, "die",
        "nothing can be read, programmed or erased any more in the die of this page"}});
}

// The place is that of the flash page which holds a byte of the window at the time of the fault.
struct CxlFlashFault {
  CxlFlashPart covers = CxlFlashPart::page;
  Bytes offset;            // of the byte
  std::uint32_t bits = 0;  // that flip, of a page
};

}  // namespace asterism
