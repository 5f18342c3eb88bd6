#include "nic/nic_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<NicConfig>() == 1);
void describe(Fields& f, NicConfig& c) {
  f("present", c.present,
    "Whether the node has a NIC. Outside a cluster it is alone on its network and receives only its own "
    "frames.");
}

}  // namespace asterism
