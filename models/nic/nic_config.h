// The configuration of a node's NIC. In a cluster, each node that runs firmware has a NIC, whatever is
// configured here.
#pragma once

namespace asterism {

class Fields;

struct NicConfig {
  bool present = false;
};
void describe(Fields& f, NicConfig& config);

}  // namespace asterism
