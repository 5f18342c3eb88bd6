// The writes of a channel that wait for their zones, in order of arrival: sectors of a line each, with their
// bytes. Those of one zone leave together and in order, so that a later write never overtakes one to the same
// bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"

namespace asterism {

struct WaitingWrite {
  Picoseconds since;
  std::uint32_t zone;    // in the channel
  std::uint32_t line;    // of 128 bytes, in the channel
  std::uint8_t sectors;  // mask
  std::array<std::byte, 128> data;
};

class WriteQueue {
 public:
  explicit WriteQueue(std::uint32_t places) : places_(places) {}

  bool full() const { return !writes_.empty() && writes_.size() == places_; }
  bool empty() const { return writes_.empty(); }
  std::size_t size() const { return writes_.size(); }
  void push(const WaitingWrite& write) { writes_.push_back(write); }
  // The time since which the oldest write waits.
  std::optional<Picoseconds> oldest() const {
    if (writes_.empty()) return std::nullopt;
    return std::ranges::min(writes_, {}, &WaitingWrite::since).since;
  }

  // Calls f(write) for the writes of this zone, or for all, and removes them.
  template <class F>
  void release(std::uint32_t zone, F f) {
    std::erase_if(writes_, [&](const WaitingWrite& write) {
      if (write.zone != zone) return false;
      f(write);
      return true;
    });
  }
  template <class F>
  void release_all(F f) {
    for (const WaitingWrite& write : writes_) f(write);
    writes_.clear();
  }
  void clear() { writes_.clear(); }

  // A mask of the sectors of a line that wait.
  std::uint8_t sectors_of(std::uint32_t line) const {
    std::uint8_t sectors = 0;
    for (const WaitingWrite& write : writes_)
      if (write.line == line) sectors |= write.sectors;
    return sectors;
  }
  // Overlays the waiting writes of a line on its bytes in memory.
  void overlay(std::uint32_t line, std::span<std::byte, 128> data) const {
    for (const WaitingWrite& write : writes_) {
      if (write.line != line) continue;
      for (std::ptrdiff_t sector = 0; sector < 4; ++sector)
        if ((write.sectors >> sector & 1) != 0)
          std::copy_n(write.data.begin() + 32 * sector, 32, data.begin() + 32 * sector);
    }
  }

 private:
  std::uint32_t places_;
  std::vector<WaitingWrite> writes_;
};

}  // namespace asterism
