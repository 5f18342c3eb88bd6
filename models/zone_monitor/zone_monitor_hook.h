// A hook into a ZoneMonitor: it answers in place of the model or observes it. RTL uses it, alone or in
// lockstep with the model. Without a hook the monitor answers alone.
//
// The hook is called after each operation of the model, with the model's answer. The content of the answer
// after the call is what the caller of the monitor gets. peek() and the state of the table are always the
// model's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/reset.h"
#include "zone_monitor/zone_monitor.h"

namespace asterism {

class ZoneMonitorHook {
 public:
  virtual ~ZoneMonitorHook() = default;

  virtual void track(bool on) = 0;
  virtual void write(std::uint32_t zone, ZoneMonitor::Check& check) = 0;
  virtual void expose(std::uint32_t zone) = 0;
  virtual void begin(std::uint32_t& sectors) = 0;
  virtual void preserve(std::uint32_t zone) = 0;
  virtual void refresh() = 0;
  virtual void complete() = 0;
  virtual void reset(Reset kind) = 0;
};

// The parameters that a block must have which replaces a ZoneMonitor of so many zones.
inline std::map<std::string, std::uint64_t> zone_monitor_block_parameters(const ZoneMonitorConfig& config,
                                                                          std::uint32_t zones) {
  return {{"Zones", zones}, {"Lines", config.cache / (ZoneMonitor::sector * 2)}, {"Ways", config.ways}};
}

// The role of a device whose zone monitors, all alike, take hooks (tlm/device_roles.h).
class ZoneMonitorHost {
 public:
  virtual ~ZoneMonitorHost() = default;
  virtual const ZoneMonitorConfig& zone_monitor_config() const = 0;
  virtual std::uint32_t zones_per_monitor() const = 0;
  struct Place {
    std::string name;  // below the device: "0.monitor.3"
    ZoneMonitor& monitor;
  };
  virtual std::vector<Place> zone_monitors() = 0;
};

}  // namespace asterism
