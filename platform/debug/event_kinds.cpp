#include "platform/debug/event_kinds.h"

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
      "flash_fault",
      "global_commit",
      "gpu_copied_in",
      "gpu_lost",
      "gpu_snapshot_begin",
      "gpu_snapshot_failed",
      "gpu_snapshot_taken",
      "memory_fault",
      "node_failed",
      "node_loss",
      "not_recoverable",
      "pcram_load",
      "pcram_save",
      "pcram_worn",
      "power_lost",
      "power_off",
      "power_restored",
      "rank_moved",
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

}  // namespace asterism
