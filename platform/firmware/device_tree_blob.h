// The flattened device tree that firmware finds at the base of DRAM. It joins the fragments of the devices
// with the nodes of the platform itself (cores, memory, PSCI, clock), and has the form of that of QEMU's virt
// machine.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tlm/device_tree.h"

namespace asterism {

// The blob of a tree whose root is `root` (the root's name is not used). The ranges in `reserved` become its
// memory reservations: the operating system must not use them. Throws std::length_error if the blob exceeds
// 1 MiB, half of what Linux allows.
std::vector<std::byte> flatten(const DeviceTreeNode& root, std::span<const AddressRange> reserved = {});

}  // namespace asterism
