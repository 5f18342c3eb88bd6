#include "gpu/gpus_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<GpusConfig>() == 4);
void describe(Fields& f, GpusConfig& c) {
  f("count", c.count,
    "The number of identical GPUs of the node. With 0 there are none, and no GPU registers.",
    within(0, GpusConfig::max_count));
  describe(f, c.device);
  f("link", c.link, "The switch between the GPUs and the processor.");
  f("monitor_rtl", c.monitor_rtl,
    "The implementation of the zone monitors of all channels: the model or RTL.");
  f.check([&] { return c.count <= c.link.lanes; }, "count",
          "is at most link.lanes: each GPU needs at least one lane of the switch");
}

}  // namespace asterism
