// RTL that replaces the zone monitors of a device or runs in lockstep with them: one for each channel of each
// GPU.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cosim/rtl_zone_monitor.h"
#include "zone_monitor/zone_monitor_hook.h"

namespace asterism {

class RtlZoneMonitors {
 public:
  // Attaches to the monitors. `path` is the instance path of the device. Throws RtlError for a library that
  // does not fit.
  RtlZoneMonitors(const std::string& path, const SwapSettings& swap, ZoneMonitorHost& host,
                  const std::shared_ptr<const RtlLibrary>& library, const RtlOptions& options);

  // Called for the first differences of each monitor.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  void finish(Picoseconds now);
  std::vector<std::string> instances() const;  // "node.gpu.0.monitor.3"
  std::uint64_t mismatches() const;
  // Of all monitors together; nullopt unless they are in lockstep.
  std::optional<BlockCoverage> block_coverage() const;
  // The statistics of all monitors together.
  void report(Statistics& statistics) const;
  std::vector<std::string> summary() const;

 private:
  std::uint64_t operations() const;
  Coverage coverage() const;

  std::string instance_;
  Impl impl_;
  std::deque<RtlZoneMonitor> monitors_;
};

}  // namespace asterism
