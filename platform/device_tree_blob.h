// The flattened device tree that firmware finds at the base of DRAM: the fragments of the devices joined,
// with the nodes of the platform itself (cores, memory, PSCI, clock), in the form of QEMU's virt machine.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tlm/device_tree.h"

namespace asterism {

// The blob of a tree whose root is `root` (its name is not used), with what nobody may use for anything else in its memory
// reservations. Throws std::logic_error when it does not fit 1 MiB.
std::vector<std::byte> flatten(const DeviceTreeNode& root, std::span<const AddressRange> reserved = {});

}  // namespace asterism
