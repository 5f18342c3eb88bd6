// How the masters of a node reach its targets.
#pragma once

#include "base/units.h"

namespace asterism {

class Fields;

enum class Topology { crossbar };

struct FabricConfig {
  Topology topology = Topology::crossbar;
  Picoseconds latency = 10_ns;  // master to target, both ways together
};
void describe(Fields& f, FabricConfig& config);

}  // namespace asterism
