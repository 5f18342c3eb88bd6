// A fault of a CXL expander in a scenario: Inject Poison.
#pragma once

#include "base/units.h"

namespace asterism {

struct CxlFault {
  Bytes offset;  // of a byte of the line, in the memory of the expander
};

}  // namespace asterism
