// Which of many caches of the same shape may hold a line, by digests of the lines in all of their ways
// (byte_digests.h). A node of hundreds of cores asks for that at each access to a line that they share.
//
//   LineDigests digests(sets, caches * ways);
//   digests.set(set, cache * ways + way, line);         the way has got this line; empty(): none
//   digests.for_candidates(set, line, [&](std::size_t place) { ... });
//
// A candidate has the line, or another one with the same digest.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/byte_digests.h"

namespace asterism {

class LineDigests {
 public:
  LineDigests(std::size_t sets, std::size_t places)
      : stride_((places + digests_at_once - 1) / digests_at_once * digests_at_once),
        digests_(sets * stride_) {}

  std::size_t sets() const { return digests_.size() / stride_; }

  void set(std::size_t set, std::size_t place, std::uint64_t line) {
    digests_[set * stride_ + place] = digest_of(line);
  }
  void empty(std::size_t set, std::size_t place) { digests_[set * stride_ + place] = no_digest; }
  void clear() { std::ranges::fill(digests_, no_digest); }

  // f(place) for each place of the set that may have the line, ascending. It may change the set: places that
  // it empties may still come, and those that it sets need not.
  template <class F>
  void for_candidates(std::size_t set, std::uint64_t line, F f) const {
    const std::uint8_t* const row = digests_.data() + set * stride_;
    const std::uint8_t wanted = digest_of(line);
    for (std::size_t first = 0; first < stride_; first += digests_at_once)
      for (std::uint32_t found = equal_digests(row + first, wanted); found != 0; found &= found - 1)
        f(first + static_cast<std::size_t>(std::countr_zero(found)));
  }

 private:
  std::size_t stride_;
  std::vector<std::uint8_t> digests_;
};

}  // namespace asterism
