// Runs the same firmware and script on QEMU's virt machine, with the device tree of the test machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "session.h"

namespace asterism::foreign {

bool has_qemu();

// The device tree that firmware finds on QEMU: QEMU adds PSCI, memory and free space to a tree that it is
// given.
std::vector<std::byte> qemu_device_tree();

// Runs until power off, or until the timeout.
std::string qemu_transcript(const Firmware& firmware, std::chrono::seconds timeout);

}  // namespace asterism::foreign
