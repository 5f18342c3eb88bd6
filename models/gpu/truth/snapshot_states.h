// The states that trials of GPU snapshots by a driver should reach, each with its count: what failed while
// zones with waiting writes were copied together, and what followed. A state that no trial has reached makes
// a test fail, which names it.
//
//   end       how a snapshot ended early, and what was being copied
//   next      the snapshot taken after one that ended early during a gathered copy: by what ended it, and
//             what was requested after that; the increment that builds on it
//   restored  a GPU that was lost during a gathered copy
//   write     a write to a zone of a gathered copy, and the position of the zone in it
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"

namespace asterism {

enum class SnapshotEnd : std::uint8_t { abort, watchdog, host_memory, loss };
constexpr auto enum_names(SnapshotEnd) {
  using enum SnapshotEnd;
  return std::to_array<EnumName<SnapshotEnd>>({{abort, "abort"},
                                               {watchdog, "watchdog"},
                                               {host_memory, "host_memory", "it refuses"},
                                               {loss, "loss", "of the GPU"}});
}

enum class CopyUnderWay : std::uint8_t { none, in_order, one_zone, gathered, gathered_whole };
constexpr auto enum_names(CopyUnderWay) {
  using enum CopyUnderWay;
  return std::to_array<EnumName<CopyUnderWay>>({{none, "none"},
                                                {in_order, "in_order", "of zones for which no write waits"},
                                                {one_zone, "one_zone", "for which a write waits"},
                                                {gathered, "gathered", "several such zones"},
                                                {gathered_whole, "gathered_whole", "as many as fit"}});
}
constexpr bool is_gathered(CopyUnderWay copy) {
  return copy == CopyUnderWay::gathered || copy == CopyUnderWay::gathered_whole;
}

enum class CopyWrite : std::uint8_t { waited_before, waits_amid, goes_on, comes_behind };
constexpr auto enum_names(CopyWrite) {
  using enum CopyWrite;
  return std::to_array<EnumName<CopyWrite>>({{waited_before, "waited_before"},
                                             {waits_amid, "waits_amid", "comes while the zone is copied"},
                                             {goes_on, "goes_on", "the zone is preserved"},
                                             {comes_behind, "comes_behind", "a new one, at once"}});
}

enum class PlaceInCopy : std::uint8_t { first, middle, last };
constexpr auto enum_names(PlaceInCopy) {
  using enum PlaceInCopy;
  return std::to_array<EnumName<PlaceInCopy>>({{first, "first"}, {middle, "middle"}, {last, "last"}});
}

class SnapshotStates {
 public:
  SnapshotStates();

  void end(SnapshotEnd end, CopyUnderWay copy);
  void next(SnapshotEnd end, bool is_increment);
  void behind(SnapshotEnd end);
  void restored(bool has_increment);
  void write(CopyWrite write, PlaceInCopy place);

  std::vector<std::string> not_reached() const;
  std::size_t listed() const;

 private:
  struct State {
    std::string name;
    std::uint64_t count = 0;
  };
  void count(const std::string& name);

  std::vector<State> states_;
};

}  // namespace asterism
