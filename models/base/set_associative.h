// The tags of a set-associative array with replacement of the least recently used way: which line each way of
// each set holds, and in which order the ways were used. What else a line has is the user's, by slot.
//
//   SetAssociative<std::uint64_t> tags(sets, ways);
//   std::size_t slot = tags.find(set, tag);      no_slot: a miss
//   tags.use(slot);                              the most recently used of its set
//   slot = tags.victim(set);                     an empty way, or the least recently used one
//   tags.replace(slot, tag);                     the most recently used one, too
//
// `flag_bits` low bits of an entry belong to the user, for flags that are tested with the tag: tags have them
// clear, replace() clears them, and find() ignores them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace asterism {

template <class Entry, unsigned flag_bits = 0>
class SetAssociative {
 public:
  static constexpr std::uint32_t max_ways = 16;
  static constexpr std::size_t no_slot = ~std::size_t{0};
  static constexpr Entry flags_mask = (Entry{1} << flag_bits) - 1;
  static constexpr Entry no_tag = static_cast<Entry>(~flags_mask);  // of an empty way

  // 1 to max_ways ways.
  SetAssociative(std::size_t sets, std::uint32_t ways)
      : ways_(ways), shift_(static_cast<unsigned>(std::bit_width(ways - 1))) {
    if (ways == 0 || ways > max_ways) throw std::invalid_argument("a set has 1 to 16 ways");
    entries_.resize(sets << shift_);
    orders_.resize(sets);
    clear();
  }

  std::size_t sets() const { return orders_.size(); }
  std::uint32_t ways() const { return ways_; }
  std::size_t slots() const { return entries_.size(); }  // some of which are not ways
  std::size_t slot_at(std::size_t set, std::uint32_t way) const { return (set << shift_) + way; }
  std::size_t set_of(std::size_t slot) const { return slot >> shift_; }

  std::size_t find(std::size_t set, Entry tag) const {
    const std::size_t first = set << shift_;
    for (std::uint32_t way = 0; way < ways_; ++way)
      if ((entries_[first + way] & no_tag) == tag) return first + way;
    return no_slot;
  }
  bool is_present(std::size_t slot) const { return tag(slot) != no_tag; }
  Entry tag(std::size_t slot) const { return entries_[slot] & no_tag; }
  Entry flags(std::size_t slot) const { return entries_[slot] & flags_mask; }
  void set_flags(std::size_t slot, Entry flags) { entries_[slot] |= flags; }
  void clear_flags(std::size_t slot, Entry flags) { entries_[slot] &= static_cast<Entry>(~flags); }

  // The most recently used way of a set, which may be empty.
  std::size_t newest(std::size_t set) const { return (set << shift_) + (orders_[set] & 15); }
  void use(std::size_t slot) {
    std::uint64_t& order = orders_[slot >> shift_];
    const std::uint64_t way = slot & ((std::size_t{1} << shift_) - 1);
    if ((order & 15) == way) return;
    const int place = place_of(order, way);
    const std::uint64_t newer = (std::uint64_t{1} << place) - 1;
    order = (order & ~(newer << 4 | 15)) | (order & newer) << 4 | way;
  }
  std::size_t victim(std::size_t set) const {
    return (set << shift_) + (orders_[set] >> 4 * (ways_ - 1) & 15);
  }
  void replace(std::size_t slot, Entry tag) {
    entries_[slot] = tag;
    use(slot);
  }
  // Empties the way, which is then the next victim of its set.
  void drop(std::size_t slot) {
    entries_[slot] = no_tag;
    std::uint64_t& order = orders_[slot >> shift_];
    const std::uint64_t way = slot & ((std::size_t{1} << shift_) - 1);
    const int place = place_of(order, way), last = static_cast<int>(4 * (ways_ - 1));
    const std::uint64_t newer = (std::uint64_t{1} << place) - 1;
    const std::uint64_t ways = ~std::uint64_t{0} >> (60 - last);
    order = (order & newer) | (order >> 4 & ways >> 4 & ~newer) | way << last | (order & ~ways);
  }
  void clear() {
    entries_.assign(entries_.size(), no_tag);
    orders_.assign(orders_.size(), 0xFEDC'BA98'7654'3210);
  }

 private:
  // The bit at which the order of a set has a way.
  static int place_of(std::uint64_t order, std::uint64_t way) {
    constexpr std::uint64_t ones = 0x1111'1111'1111'1111;
    const std::uint64_t differs = order ^ ones * way;  // its four bits are 0
    return std::countr_zero((differs - ones) & ~differs & ones * 8) & ~3;
  }

  std::uint32_t ways_;
  unsigned shift_;  // of sets in slots: their ways are a power of two apart
  std::vector<Entry> entries_;
  // For each set, the order of use: a way in four bits, the newest in the lowest. Ways that the array does
  // not have are last, and stay there.
  std::vector<std::uint64_t> orders_;
};

}  // namespace asterism
