#include "gpu/gpus_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<GpusConfig>() == 5);
void describe(Fields& f, GpusConfig& c) {
  f("count", c.count, "The number of identical GPUs behind one switch. Each has a window of registers.",
    within(1, GpusConfig::max_count));
  f("dma", c.dma,
    "The memory to which snapshots go: a device of the type memory. Kernel descriptors and lists are there, "
    "too.");
  f.check(!c.dma.empty(), "dma", "is the name of a memory");
  describe(f, c.device);
  f("link", c.link, "The switch between the GPUs and the processor.");
  f("monitor_rtl", c.monitor_rtl,
    "The implementation of the zone monitors of all channels: the model or RTL.");
  f.check([&] { return c.count <= c.link.lanes; }, "count",
          "is at most link.lanes: each GPU needs at least one lane of the switch");
}

}  // namespace asterism
