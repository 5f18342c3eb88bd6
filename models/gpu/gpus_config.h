// The GPUs of a node: all alike, behind one switch.
#pragma once

#include <cstdint>

#include "cosim/swap_config.h"
#include "gpu/gpu_config.h"
#include "gpu/host_link.h"

namespace asterism {

struct GpusConfig {
  static constexpr std::uint32_t most = 32;  // windows of registers

  std::uint32_t count = 0;
  GpuConfig device = {};
  HostLinkConfig link = {};
  ZoneMonitorSwapConfig monitor_rtl = {};
};
void describe(Fields& f, GpusConfig& config);

}  // namespace asterism
