// When a node's memory and SSD have moved what was asked of them, each in the order in which it was asked.
#pragma once

#include <algorithm>

#include "cluster/cluster_config.h"
#include "cluster/copy_sender.h"

namespace asterism {

class PlaceTimes {
 public:
  explicit PlaceTimes(const ClusterProgramConfig& config) : config_(config) {}

  Picoseconds occupy(Picoseconds now, CopyPlace place, CopyAccess access, Bytes size) {
    if (place == CopyPlace::store) return now;
    const bool is_ssd = place == CopyPlace::ssd;
    Picoseconds& free = is_ssd ? ssd_free_ : memory_free_;
    const Bandwidth rate = !is_ssd                       ? config_.memory_bandwidth
                           : access == CopyAccess::write ? config_.ssd_write
                                                         : config_.ssd_read;
    return free = std::max(now, free) + transfer_time(size, rate);
  }
  void reset() { memory_free_ = ssd_free_ = Picoseconds(); }

 private:
  const ClusterProgramConfig& config_;
  Picoseconds memory_free_, ssd_free_;
};

}  // namespace asterism
