// The network of a NIC outside of a cluster: it is alone on it.
#pragma once

#include "cluster/network.h"
#include "cluster/timeline_module.h"

namespace asterism {

struct LoneNetwork {
  Timeline timeline;
  Network network{timeline, {}, 1, 0};
  TimelineModule clock{"network", timeline};
};

}  // namespace asterism
