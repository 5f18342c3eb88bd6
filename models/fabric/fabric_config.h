// How the masters of a node reach its targets.
#pragma once

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

class Fields;

enum class Topology { crossbar };
constexpr auto enum_names(Topology) {
  return std::to_array<EnumName<Topology>>(
      {{Topology::crossbar, "crossbar", "ideal: a fixed latency, nothing contends"}});
}

struct FabricConfig {
  Topology topology = Topology::crossbar;
  Picoseconds latency = 10_ns;  // master to target, both ways together
};
void describe(Fields& f, FabricConfig& config);

}  // namespace asterism
