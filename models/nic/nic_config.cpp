#include "nic/nic_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<NicConfig>() == 2);
void describe(Fields& f, NicConfig& c) {
  f("dma", c.dma, "The memory that holds the rings and the frames: a device of the type memory.");
  f.check(!c.dma.empty(), "dma", "is the name of a memory");
  f("network", c.network,
    "The network that it is on, within its node: NICs of one name receive each other's frames. Without a "
    "name it "
    "is alone and receives only its own frames. In a cluster, the NIC that cluster.nic names is on that of "
    "the "
    "cluster.");
}

}  // namespace asterism
