// The memory of a node: one controller, one channel.
#pragma once

#include "base/units.h"

namespace asterism {

class Fields;

struct MemoryConfig {
  Bytes size = 2_GiB;
  Picoseconds latency = 50_ns;  // of an access at the controller, whatever bank or row
};
void describe(Fields& f, MemoryConfig& config);

}  // namespace asterism
