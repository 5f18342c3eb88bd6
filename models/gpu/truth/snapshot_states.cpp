#include "gpu/truth/snapshot_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace asterism {
namespace {

std::string name_of(SnapshotEnd end, CopyUnderWay copy) {
  return fmt::format("end {} {}", to_text(end), to_text(copy));
}
std::string name_of_next(SnapshotEnd end, bool is_increment) {
  return fmt::format("next {} {}", to_text(end), is_increment ? "increment" : "full");
}
std::string name_of_behind(SnapshotEnd end) { return fmt::format("behind {}", to_text(end)); }
std::string name_of_restored(bool has_increment) {
  return has_increment ? "restored increment" : "restored full";
}
std::string name_of(CopyWrite write, PlaceInCopy place) {
  return fmt::format("write {} {}", to_text(write), to_text(place));
}

}  // namespace

SnapshotStates::SnapshotStates() {
  const auto add = [&](std::string name) { states_.push_back({std::move(name)}); };
  for (const auto& end : enum_names(SnapshotEnd{})) {
    for (const auto& copy : enum_names(CopyUnderWay{}))  // memory refuses what is copied
      if (end.value != SnapshotEnd::host_memory || copy.value != CopyUnderWay::none)
        add(name_of(end.value, copy.value));
    for (const bool is_increment : {false, true}) add(name_of_next(end.value, is_increment));
    add(name_of_behind(end.value));
  }
  for (const bool has_increment : {false, true}) add(name_of_restored(has_increment));
  for (const auto& write : enum_names(CopyWrite{}))
    for (const auto& place : enum_names(PlaceInCopy{})) add(name_of(write.value, place.value));
}

void SnapshotStates::count(const std::string& name) {
  const auto at = std::ranges::find(states_, name, &State::name);
  if (at == states_.end()) throw std::logic_error(fmt::format("a state that is not listed: {}", name));
  ++at->count;
}

void SnapshotStates::end(SnapshotEnd end, CopyUnderWay copy) { count(name_of(end, copy)); }
void SnapshotStates::next(SnapshotEnd end, bool is_increment) { count(name_of_next(end, is_increment)); }
void SnapshotStates::behind(SnapshotEnd end) { count(name_of_behind(end)); }
void SnapshotStates::restored(bool has_increment) { count(name_of_restored(has_increment)); }
void SnapshotStates::write(CopyWrite write, PlaceInCopy place) { count(name_of(write, place)); }

std::size_t SnapshotStates::listed() const { return states_.size(); }

std::vector<std::string> SnapshotStates::not_reached() const {
  std::vector<std::string> names;
  for (const State& state : states_)
    if (state.count == 0) names.push_back(state.name);
  return names;
}

}  // namespace asterism
