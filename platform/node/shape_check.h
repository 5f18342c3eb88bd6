// What is wrong with what a type of a plug-in says of itself: firmware's header, the SVD, the pages and the
// device tree are made of it without further checks.
#pragma once

#include <string>
#include <vector>

#include "tlm/device.h"

namespace asterism {

// Each of them returns "" if nothing is wrong.
std::string mistake_in(const DeviceShape& shape);
std::string mistake_in(const std::vector<DeviceTreeNode>& nodes);

}  // namespace asterism
