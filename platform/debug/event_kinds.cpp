#include "platform/debug/event_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "platform/config/nearest_name.h"

namespace asterism {

std::span<const std::string_view> event_kinds() {
  static constexpr std::string_view kinds[] = {
      "checkpoint_begin",
      "checkpoint_commit",
      "checkpoint_failed",
      "checkpoint_location",
      "copy_held",
      "core_locked_up",
      "corrected_error",
      "cxl_poison",
      "flash_fault",
      "global_commit",
      "gpu_clock",
      "gpu_copied_in",
      "gpu_kernel_stopped",
      "gpu_lost",
      "gpu_memory_fault",
      "gpu_snapshot_begin",
      "gpu_snapshot_failed",
      "gpu_snapshot_taken",
      "gpu_zone_contained",
      "gpu_zone_retired",
      "memory_fault",
      "node_failed",
      "node_loss",
      "not_recoverable",
      "pcram_load",
      "pcram_save",
      "pcram_worn",
      "power_loss_ignored",
      "power_lost",
      "power_off",
      "power_restored",
      "rank_moved",
      "rank_restored",
      "rank_vacant",
      "recovery",
      "restore",
      "rollback",
      "ssd_ready",
      "uncorrectable_error",
      "warm_reset",
  };
  return kinds;
}

const std::map<std::string, std::set<std::string>>& event_groups() {
  static const std::map<std::string, std::set<std::string>> groups{
      {"checkpoint", {"checkpoint_begin", "checkpoint_commit", "checkpoint_failed"}},
      {"ecc", {"corrected_error", "uncorrectable_error"}},
      {"fault",
       {"memory_fault", "flash_fault", "power_lost", "gpu_lost", "gpu_memory_fault", "gpu_clock",
        "cxl_poison", "node_loss"}},
      {"recovery", {"restore", "recovery", "rollback"}},
  };
  return groups;
}

std::set<std::string> kinds_named(const std::string& name) {
  if (const auto group = event_groups().find(name); group != event_groups().end()) return group->second;
  if (std::ranges::binary_search(event_kinds(), name)) return {name};
  std::vector<std::string> names(event_kinds().begin(), event_kinds().end());
  for (const auto& [group, kinds] : event_groups()) names.push_back(group);
  const std::string nearest = nearest_name(name, names);
  throw std::invalid_argument(
      fmt::format("there is no kind of event \"{}\"{}", name,
                  nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

}  // namespace asterism
