// Which device of a node a fault of a scenario concerns.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/config/diagnostics.h"
#include "platform/node/device_list.h"
#include "platform/scenario/scenario_config.h"

namespace asterism {

// The devices that take faults of a kind, by its type (tlm/device.h).
template <class Fault>
std::vector<const PlacedDevice*> devices_with(const DeviceList& devices) {
  std::vector<const PlacedDevice*> found;
  for (const PlacedDevice& device : devices.all())
    if (dynamic_cast<const FaultCheck<Fault>*>(device.config.get())) found.push_back(&device);
  return found;
}

// Adds an error for each fault that names no device, or a place that its device does not have.
void check_device_faults(const std::vector<FaultConfig>& faults, const DeviceList& devices,
                         const ConfigDocument& document, Diagnostics& problems);

// Why no device takes this fault: the key of the fault, and an error. nullopt if one does.
std::optional<std::pair<std::string, std::string>> device_fault_problem(const FaultConfig& fault,
                                                                        const DeviceList& devices);

// Why a fault occurs only in a cluster: its key, and an error that ends with why there is none. Both are ""
// if it occurs in any node.
std::pair<const char*, std::string> cluster_only_problem(const FaultConfig& fault,
                                                         const char* why_no_cluster);

}  // namespace asterism
