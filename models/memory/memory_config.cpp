#include "memory/memory_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<MemoryConfig>() == 2);
void describe(Fields& f, MemoryConfig& c) {
  f("size", c.size, "Capacity; firmware finds it in the device tree. What lies above it is a hole",
    within(64_MiB, 1_TiB));
  f("latency", c.latency,
    "Of an access that does not go directly to memory: a longer one slows the DIMM-SSD's copying",
    within(0_ns, 1_ms));
  f.check([&] { return c.size % 2_MiB == Bytes(0); }, "size", "is a multiple of 2 MiB");
}

}  // namespace asterism
