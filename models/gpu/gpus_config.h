// The GPUs of a node: identical ones, behind one switch.
#pragma once

#include <cstdint>
#include <string>

#include "base/swap_config.h"
#include "gpu/gpu_config.h"
#include "gpu/host_link.h"

namespace asterism {

struct GpusConfig {
  static constexpr std::uint32_t max_count = 32;  // the number of register windows

  std::uint32_t count = 1;
  std::string dma = "memory";
  GpuConfig device = {};
  HostLinkConfig link = {};
  ZoneMonitorSwapConfig monitor_rtl = {};
};
void describe(Fields& f, GpusConfig& config);

}  // namespace asterism
