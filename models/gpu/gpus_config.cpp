#include "gpu/gpus_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<GpusConfig>() == 4);
void describe(Fields& f, GpusConfig& c) {
  f("count", c.count, "GPUs of the node, all alike; 0: it has none, and no registers of them",
    within(0, GpusConfig::max_count));
  describe(f, c.device);
  f("link", c.link, "The switch between the GPUs and the processor");
  f("monitor_rtl", c.monitor_rtl, "RTL in the place of the zone monitors of all channels");
  f.check([&] { return c.count <= c.link.lanes; }, "count",
          "is at most link.lanes: each GPU takes a lane of the switch at least");
}

}  // namespace asterism
