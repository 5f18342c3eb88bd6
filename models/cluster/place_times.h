// The bandwidth of a traffic node's memory and SSD. Each performs the requested transfers one after another,
// in the order of the requests; occupy() returns the time at which a transfer ends.
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
