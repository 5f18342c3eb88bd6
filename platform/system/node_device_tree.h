// The device tree of a node: its cores, its devices, and what else an operating system expects of QEMU's virt
// machine.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platform/firmware/spin_table.h"
#include "platform/node/device_list.h"
#include "platform/node/node_config.h"
#include "tlm/device_tree.h"

namespace asterism {

using DeviceTreeProperties = std::vector<std::pair<std::string, DeviceTreeNode::Value>>;

struct DeviceTreeContents {
  const SpinTable* spin_table = nullptr;  // nullptr if PSCI starts the secondary cores
  // Devices are in the order of their addresses, except that this one precedes all others that are compatible
  // with it; "" for none.
  std::string preferred = {};
  DeviceTreeProperties chosen = {};  // more properties of /chosen
};
DeviceTreeNode node_device_tree(const NodeConfig& node, const DeviceList& devices,
                                const DeviceTreeContents& contents = {});

// What a boot loader passes to a kernel of Linux in /chosen: its command line, the place of its initial file
// system (if its size is not 0), and the seeds of its address space layout and its random numbers, which
// follow from `seed`, so that a run is repeatable.
DeviceTreeProperties chosen_for_linux(const std::string& bootargs, AddressRange initrd, std::uint64_t seed);

}  // namespace asterism
