#include "nvme/nvme_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<NvmeConfig>() == 10);
void describe(Fields& f, NvmeConfig& c) {
  describe_disk(f, c);
  f("pcie", c.pcie,
    "Whether the controller is a function of a PCI bus, as Linux expects it: `base` then has a second "
    "address, of "
    "the bus's configuration space, and the device tree a generic host bridge. Otherwise its registers are "
    "there, and the device tree has asterism,nvme.");
  f("messages", c.messages,
    "The interrupt controller to which the function sends messages (MSI-X), one vector for each queue: a "
    "gic400 "
    "with message_interrupts. Without one, all queues share the line INTA.");
  f("image", c.image,
    "A file that keeps the flash across runs. Without one the flash starts erased and is lost at the end.");
  f.check([&] { return c.messages.empty() || c.pcie; }, "messages", "is empty without pcie");
}

void describe_disk(Fields& f, NvmeConfig& c) {
  describe(f, c.flash);
  f("queues", c.queues, "The pairs of I/O queues that a driver may create, beside the admin queues.",
    within(1, 16));
  f("cache", c.cache,
    "The DRAM for flash pages that were written and are not programmed yet. A larger one takes longer bursts "
    "at the speed of the link.",
    within(64_KiB, 16_GiB));
  f("write_cache", c.write_cache,
    "Whether the volatile write cache is enabled when the controller starts: a power failure may lose what "
    "was written since the last flush. Otherwise each write is durable when it has ended, until a driver "
    "enables the cache.");
  f("linger", c.linger,
    "How long a flash page that was not written whole waits in the cache for the rest of it. A longer time "
    "saves programs, and leaves more to be lost.",
    within(0_ps, 1_s));
  f("latency", c.latency,
    "The time of a command in the controller and on the link, besides that of its data and of the flash.",
    within(0_ps, 1_ms));
  f("link", c.link, "The rate of data between memory and controller, in each direction.",
    within(1_MBps, 1000_GBps));
}

}  // namespace asterism
