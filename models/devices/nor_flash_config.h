// Configuration of a bank of NOR flash (nor_flash_module.h).
#pragma once

#include <string>

#include "base/units.h"

namespace asterism {

class Fields;

struct NorFlashConfig {
  Bytes size = 64_MiB;
  Picoseconds latency = 100_ns;
  std::string follows = {};  // the bank before it, of the same device
};
void describe(Fields& f, NorFlashConfig& c);

}  // namespace asterism
