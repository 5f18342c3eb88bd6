// The NIC of a node. Of a cluster's nodes that run firmware the cluster sets it up.
#pragma once

namespace asterism {

class Fields;

struct NicConfig {
  bool present = false;
};
void describe(Fields& f, NicConfig& config);

}  // namespace asterism
