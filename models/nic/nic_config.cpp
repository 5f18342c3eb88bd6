#include "nic/nic_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<NicConfig>() == 1);
void describe(Fields& f, NicConfig& c) {
  f("present", c.present,
    "There is one; outside of a cluster it is alone on its network, and what it sends to itself arrives");
}

}  // namespace asterism
