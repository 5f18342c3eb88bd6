// Which translations a core's TLB holds, for models of time: pages or blocks of any size, by address and
// ASID. The software TLB of the engine (memory.h) is another matter.
//
// A set replaces its translations in the order in which they came, so that a hit changes nothing, and is not
// looked up as long as nothing has left (line_filter.h). Translations of the upper half of the address space
// are those of all ASIDs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/iss.h"

namespace asterism::a64 {

class TimedTlb {
 public:
  // Without entries it holds everything.
  explicit TimedTlb(TlbShape shape = {})
      : sets_(shape.ways == 0 ? 0 : shape.entries / shape.ways),
        ways_(shape.ways),
        entries_(sets_ * ways_),
        next_(sets_) {}

  struct Translation {
    std::uint64_t number = none;  // of the page or block: its address / 2^span
    std::uint16_t asid = 0;
    std::uint8_t span = 0;
    bool operator==(const Translation&) const = default;
  };

  // Without translation, all addresses are one block.
  static Translation of(std::uint64_t address, std::uint8_t span, std::uint16_t asid) {
    span = std::min<std::uint8_t>(span, 63);
    const bool is_upper = (address >> 55 & 1) != 0;
    return {(address & address_mask) >> span, is_upper ? std::uint16_t{0} : asid, span};
  }
  bool is_modelled() const { return sets_ != 0; }
  bool holds(const Translation& translation) const {
    if (sets_ == 0) return true;
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(set_of(translation) * ways_);
    return std::find(first, first + static_cast<std::ptrdiff_t>(ways_), translation) !=
           first + static_cast<std::ptrdiff_t>(ways_);
  }
  // Returns the one that had to leave.
  std::optional<Translation> insert(const Translation& translation) {
    const std::size_t set = set_of(translation);
    Translation& oldest = entries_[set * ways_ + next_[set]];
    next_[set] = (next_[set] + 1) % ways_;
    const Translation left = std::exchange(oldest, translation);
    return left.number == none ? std::nullopt : std::optional(left);
  }
  void clear() { std::ranges::fill(entries_, Translation{}); }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0}, address_mask = ~std::uint64_t{0} >> 8;
  std::size_t set_of(const Translation& translation) const { return translation.number % sets_; }

  std::size_t sets_, ways_;
  std::vector<Translation> entries_;
  std::vector<std::size_t> next_;  // by set: the way of the oldest one
};

}  // namespace asterism::a64
