// An NVMe solid-state disk of a node.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"
#include "flash/device_flash_config.h"

namespace asterism {

class Fields;

struct NvmeConfig {
  // Writes of an operating system are awaited one by one, hence their pace.
  DeviceFlashConfig flash = {
      .channels = 4, .packages = 2, .blocks = 16, .translation = {.pace_writes = true}};
  std::uint32_t queues = 8;    // pairs for I/O
  Bytes cache = 4_MiB;         // flash pages that were written and are not in flash yet
  bool write_cache = true;     // whether it is volatile when the controller starts
  Picoseconds linger = 1_ms;   // of a flash page that was not written whole
  Picoseconds latency = 2_us;  // of a command, beside flash, memory and link
  Bandwidth link = 4_GBps;     // in each direction
  std::string messages = {};   // the interrupt controller that takes those of MSI-X; empty: INTA only
  bool pcie = false;           // a function of a PCI bus, instead of registers at a fixed address
  std::string image = {};      // file that keeps the flash across runs; empty: in memory
};
void describe(Fields& f, NvmeConfig& config);

// Interrupt vectors: of the admin queues and of each pair of I/O queues with MSI-X, and the line without it.
constexpr unsigned vectors_of(const NvmeConfig& config) {
  return config.messages.empty() ? 1 : config.queues + 1;
}

void describe_disk(Fields& f, NvmeConfig& config);  // without what a study does not have: pcie and image

}  // namespace asterism
