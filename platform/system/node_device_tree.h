// The device tree of a node: its cores, its devices, and what else an operating system expects of QEMU's virt
// machine.
#pragma once

#include <string>

#include "platform/firmware/spin_table.h"
#include "platform/node/device_list.h"
#include "platform/node/node_config.h"
#include "tlm/device_tree.h"

namespace asterism {

// `spin_table` is nullptr if PSCI starts the secondary cores. Devices are in the order of their addresses,
// except that the device `preferred` precedes all others that are compatible with it; "" for none.
DeviceTreeNode node_device_tree(const NodeConfig& node, const DeviceList& devices,
                                const SpinTable* spin_table, const std::string& preferred = "");

}  // namespace asterism
