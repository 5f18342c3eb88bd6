// The same firmware and script on QEMU's virt machine, with the device tree of ours.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "session.h"

namespace asterism::foreign {

bool has_qemu();

// QEMU completes a tree that it is given (PSCI, memory, room to grow): what firmware finds there.
std::vector<std::byte> qemu_device_tree();

// To power off, or to the end of patience.
std::string qemu_transcript(const Firmware& firmware, std::chrono::seconds patience);

}  // namespace asterism::foreign
