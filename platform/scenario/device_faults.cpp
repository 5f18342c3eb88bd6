#include "platform/scenario/device_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

struct Problem {
  std::string key, words, nearest = {};
};

template <class Fault>
std::optional<Problem> problem_of(const FaultConfig& config, const Fault& fault, const DeviceList& devices) {
  const std::vector<const PlacedDevice*> candidates = devices_with<Fault>(devices);
  std::vector<std::string> names;
  std::ranges::transform(candidates, std::back_inserter(names), &PlacedDevice::instance);
  if (candidates.empty())
    return Problem{"kind",
                   fmt::format("this node has no device in which {} can occur", to_text(config.kind))};
  const std::string& wanted = config.device.empty() ? names.front() : config.device;
  if (config.device.empty() && names.size() > 1)
    return Problem{
        "", fmt::format("must name its device: the key \"device\", one of {}", fmt::join(names, ", "))};
  const auto found = std::ranges::find(names, wanted);
  if (found == names.end())
    return Problem{"device",
                   fmt::format("there is no device \"{}\" in which {} can occur, only {}", wanted,
                               to_text(config.kind), fmt::join(names, ", ")),
                   nearest_name(wanted, names)};
  const auto* const check = dynamic_cast<const FaultCheck<Fault>*>(
      candidates[static_cast<std::size_t>(found - names.begin())]->config.get());
  const auto problem = check->problem_of(fault);
  return problem ? std::optional(Problem{problem->key, problem->words}) : std::nullopt;
}

std::optional<Problem> problem_of(const FaultConfig& config, const DeviceList& devices) {
  if (const auto fault = config.memory_fault()) return problem_of(config, *fault, devices);
  if (const auto fault = config.flash_fault()) return problem_of(config, *fault, devices);
  if (const auto fault = config.gpu_loss()) return problem_of(config, *fault, devices);
  if (const auto fault = config.gpu_memory_fault()) return problem_of(config, *fault, devices);
  if (const auto fault = config.gpu_slowdown()) return problem_of(config, *fault, devices);
  if (const auto fault = config.cxl_fault()) return problem_of(config, *fault, devices);
  if (const auto fault = config.broken_flash()) return problem_of(config, *fault, devices);
  return std::nullopt;
}

}  // namespace

void check_device_faults(const std::vector<FaultConfig>& faults, const DeviceList& devices,
                         const ConfigDocument& document, Diagnostics& problems) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const auto problem = problem_of(faults[i], devices);
    if (!problem) continue;
    const std::string path = join_path(fmt::format("faults.{}", i), problem->key);
    problems.add({.origin = document.origin_of(path),
                  .path = path,
                  .problem = problem->words,
                  .nearest = problem->nearest});
  }
}

std::optional<std::pair<std::string, std::string>> device_fault_problem(const FaultConfig& fault,
                                                                        const DeviceList& devices) {
  const auto problem = problem_of(fault, devices);
  return problem ? std::optional(std::pair(problem->key, problem->words)) : std::nullopt;
}

std::pair<const char*, std::string> cluster_only_problem(const FaultConfig& fault,
                                                         const char* why_no_cluster) {
  if (fault.cluster_loss())
    return {"kind",
            fmt::format("{} concerns a node of a cluster, and {}", to_text(fault.kind), why_no_cluster)};
  if (fault.node)
    return {"node", fmt::format("is valid only in a cluster, and {}; got {}", why_no_cluster, *fault.node)};
  return {"", ""};
}

}  // namespace asterism
