// Watches the snapshots that a driver takes of one GPU, from outside of both: which zones are being copied,
// for which of them a write waits, and what becomes of both. Counts SnapshotStates.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/truth/snapshot_states.h"

namespace asterism {

// Zones by their numbers (gpu_config.h).
class GatheredWatch {
 public:
  explicit GatheredWatch(SnapshotStates& states) : states_(states) {}

  void began(bool by_driver);
  void wrote(std::uint32_t zone, bool waits);
  void preserved(std::uint32_t zone);
  // Behind every event, and before anything is done to the GPU.
  void look(const Gpu& gpu);
  // In the order of the copy.
  void arrived(std::span<const std::uint32_t> zones);

  void ended(SnapshotEnd end);
  // What was asked for, and what it is.
  void taken(bool asks_increment, bool is_increment);
  void restored(bool has_increment);

  CopyUnderWay copy() const { return copy_; }

 private:
  void forget_copy();

  SnapshotStates& states_;
  bool is_open_ = false;  // by the driver
  std::set<std::uint32_t> waited_for_;
  CopyUnderWay copy_ = CopyUnderWay::none;
  std::set<std::uint32_t> under_way_, waits_amid_;
  std::map<std::uint32_t, PlaceInCopy> gathered_;    // that have arrived in a gathered copy
  std::optional<SnapshotEnd> ended_, taken_behind_;  // amid a gathered copy
  bool is_lost_ = false;                             // amid one
};

}  // namespace asterism
