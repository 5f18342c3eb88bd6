// Observes the snapshots that a driver takes of one GPU, from outside of both: which zones are being copied,
// for which of them a write waits, and how both end. Counts SnapshotStates.
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

// Zones are given by their numbers (gpu_config.h).
class GatheredWatch {
 public:
  explicit GatheredWatch(SnapshotStates& states) : states_(states) {}

  void began(bool by_driver);
  void wrote(std::uint32_t zone, bool waits);
  void preserved(std::uint32_t zone);
  // Call it after every event, and before anything is done to the GPU.
  void observe(const Gpu& gpu);
  // In the order of the copy.
  void arrived(std::span<const std::uint32_t> zones);

  void ended(SnapshotEnd end);
  // What was requested, and what was taken.
  void taken(bool asks_increment, bool is_increment);
  void restored(bool has_increment);

  CopyUnderWay copy() const { return copy_; }

 private:
  void forget_copy();

  SnapshotStates& states_;
  bool is_open_ = false;  // taken by the driver
  std::set<std::uint32_t> waited_for_;
  CopyUnderWay copy_ = CopyUnderWay::none;
  std::set<std::uint32_t> under_way_, waits_amid_;
  std::map<std::uint32_t, PlaceInCopy> gathered_;    // those that have arrived in a gathered copy
  std::optional<SnapshotEnd> ended_, taken_behind_;  // during a gathered copy
  bool is_lost_ = false;                             // during a gathered copy
};

}  // namespace asterism
