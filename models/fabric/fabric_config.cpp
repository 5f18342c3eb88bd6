#include "fabric/fabric_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<FabricConfig>() == 2);
void describe(Fields& f, FabricConfig& c) {
  f("topology", c.topology, "How masters and targets are connected", one_of<Topology>());
  f("latency", c.latency,
    "Added to every access that goes over the fabric: a longer one slows device registers",
    within(0_ns, 1_ms));
}

}  // namespace asterism
