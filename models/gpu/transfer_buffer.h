// A channel's part of the transfer buffer: copies of zones on their way to the host, first in, first out. A
// transfer occupies its space until it has been sent.
//
// Source: lee2019 section 4.3.1 (each zone monitor has its partition, half of which fills while the other is
// sent).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/units.h"

namespace asterism {

class TransferBuffer {
 public:
  TransferBuffer(Bytes size, Bytes zone) : size_(size), zone_(zone) {}

  bool has_room() const { return used_ + zone_ <= size_; }
  // Whether there is space for one more that leaves half of it free.
  bool has_space_in_half() const { return 2 * (used_ + zone_) <= size_; }
  Bytes filled() const { return zone_ * copies_.size(); }  // without what is being sent
  Bytes used() const { return used_; }

  // Contents are empty if none are kept, and for a zone that was never written and reads as 0.
  void put(std::uint32_t zone, std::vector<std::byte> contents) {
    copies_.push_back({zone, std::move(contents)});
    used_ += zone_;
  }
  // Passes the oldest copies, up to that many bytes but at least one copy, to f(zone, contents).
  template <class F>
  void take(Bytes most, F f) {
    const std::uint64_t zones = std::max<std::uint64_t>(most / zone_, 1);
    for (std::uint64_t taken = 0; taken < zones && !copies_.empty(); ++taken, copies_.pop_front())
      f(copies_.front().zone, std::move(copies_.front().contents));
  }
  void sent(Bytes size) { used_ -= size; }
  void clear() {
    copies_.clear();
    used_ = {};
  }

 private:
  struct Copy {
    std::uint32_t zone;
    std::vector<std::byte> contents;
  };

  Bytes size_, zone_, used_{};
  std::deque<Copy> copies_;
};

}  // namespace asterism
