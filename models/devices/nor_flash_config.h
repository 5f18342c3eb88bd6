// Configuration of a bank of NOR flash (nor_flash_module.h).
#pragma once

#include "base/units.h"

namespace asterism {

class Fields;

struct NorFlashConfig {
  bool present = false;
  Picoseconds latency = 100_ns;
};
void describe(Fields& f, NorFlashConfig& c);

}  // namespace asterism
