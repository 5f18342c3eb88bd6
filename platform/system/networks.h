// The networks of a node that belongs to no cluster: network interfaces with the same DeviceShape::network
// are on one, and any other is alone on one of its own.
#pragma once

#include <memory>
#include <vector>

#include "platform/system/built_devices.h"

namespace asterism {

class Networks {
 public:
  // In the module that is being constructed. A network interface may be attached to another network
  // before simulation begins.
  explicit Networks(const BuiltDevices& devices);
  ~Networks();

 private:
  struct One;
  std::vector<std::unique_ptr<One>> networks_;
};

}  // namespace asterism
