// A channel's part of the transfer buffer: copies of zones on their way to the host, first in, first out. Of
// the part a transfer takes its room until it is sent.
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
  // For one more that leaves half of it free.
  bool has_room_in_half() const { return 2 * (used_ + zone_) <= size_; }
  Bytes filled() const { return zone_ * copies_.size(); }  // without what is being sent
  Bytes used() const { return used_; }

  // Contents empty where none are kept, and of a zone that reads as 0 as nothing was ever written to it.
  void put(std::uint32_t zone, std::vector<std::byte> contents) {
    copies_.push_back({zone, std::move(contents)});
    used_ += zone_;
  }
  // The oldest copies, up to so many bytes but one at least, go to f(zone, contents).
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
