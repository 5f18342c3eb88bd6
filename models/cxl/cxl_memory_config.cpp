#include "cxl/cxl_memory_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<CxlMemoryConfig>() == 8);
void describe(Fields& f, CxlMemoryConfig& c) {
  f("expander", c.expander,
    "The link, the ports and the controller: a file in configs/cxl. They determine the latency, and how many "
    "requests are under way.",
    names_file("cxl"));
  f("supply", c.supply, "Whether a loss of the node's power is one of the expander.", one_of<CxlSupply>());
  f("size", c.size, "The capacity of the expander, and the size of its window.", within(64_MiB, 1_TiB));
  f("latency", c.latency, "The latency of the expander's DRAM controller, added to that of DRAM.",
    within(0_ns, 1_ms));
  f("fidelity", c.fidelity, "Whether accesses wait in the queues of its DRAM and are reordered.",
    one_of<MemoryFidelity>());
  f.when("fidelity", c.fidelity, MemoryFidelity::contended, [&] {
    f("curves", c.curves,
      "The waits at a given load: a file in configs/dram_curves, made by `asterism fit`. Without it, that "
      "with "
      "the name of the part.",
      names_file("dram_curves"));
  });
  describe(f, c.dram);
  describe(f, c.ecc);
  f.check([&] { return c.size % 2_MiB == Bytes(0); }, "size", "is a multiple of 2 MiB");
}

MemoryConfig media_of(const CxlMemoryConfig& config) {
  return {.size = config.size,
          .is_offered = false,
          .latency = config.latency,
          .fidelity = config.fidelity,
          .curves = config.curves,
          .dram = config.dram,
          .ecc = config.ecc};
}

}  // namespace asterism
