// The pending events in order of time. Events at the same time are ordered by kind, then by zone.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "gpu/gpu_config.h"

namespace asterism {

template <class Kind>
class EventHeap {
 public:
  struct Entry {
    Picoseconds at;
    Kind kind;
    Zone zone;
    bool operator>(const Entry& other) const {
      const auto key = [](const Entry& e) { return std::tuple(e.at, e.kind, e.zone.channel, e.zone.index); };
      return key(*this) > key(other);
    }
  };

  std::optional<Picoseconds> next() const {
    return entries_.empty() ? std::nullopt : std::optional(entries_.front().at);
  }
  void push(Picoseconds at, Kind kind, Zone zone = {}) {
    entries_.push_back({at, kind, zone});
    std::ranges::push_heap(entries_, std::greater{});
  }
  Entry pop() {
    std::ranges::pop_heap(entries_, std::greater{});
    const Entry first = entries_.back();
    entries_.pop_back();
    return first;
  }
  // Removes all events before this kind, in its order.
  void keep_from(Kind kind) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.kind < kind; });
    std::ranges::make_heap(entries_, std::greater{});
  }
  // Removes all events of this kind.
  void drop(Kind kind) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.kind == kind; });
    std::ranges::make_heap(entries_, std::greater{});
  }
  void clear() { entries_.clear(); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace asterism
