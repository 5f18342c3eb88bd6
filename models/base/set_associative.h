// The tags of a set-associative array: which line each way of each set holds, and which one is to be
// replaced. What else a line has is the user's, by slot.
//
//   SetAssociative<std::uint64_t> tags(sets, ways);
//   std::size_t slot = tags.find(set, tag);      no_slot: a miss
//   tags.use(slot);                              the line was used
//   slot = tags.victim(set);                     an empty way, or the one to replace
//   tags.replace(slot, tag);                     another line, which was used, too
//
// Whatever the replacement, a second use of the line of a set that was used last changes nothing.
//
// `flag_bits` low bits of an entry belong to the user, for flags that are tested with the tag: tags have them
// clear, replace() clears them, and find() ignores them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/enum_names.h"
#include "base/random.h"

namespace asterism {

enum class Replacement { lru, tree_plru, random };
constexpr auto enum_names(Replacement) {
  return std::to_array<EnumName<Replacement>>(
      {{Replacement::lru, "lru", "the line that was not used for the longest time"},
       {Replacement::tree_plru, "tree_plru",
        "nearly that: a binary tree for each set points away from the lines used; the ways are a power of "
        "two"},
       {Replacement::random, "random", "any line, from a sequence that is the same in each run"}});
}

template <class Entry, unsigned flag_bits = 0>
class SetAssociative {
 public:
  static constexpr std::uint32_t max_ways = 16;
  static constexpr std::size_t no_slot = ~std::size_t{0};
  static constexpr Entry flags_mask = (Entry{1} << flag_bits) - 1;
  static constexpr Entry no_tag = static_cast<Entry>(~flags_mask);  // of an empty way

  // 1 to max_ways ways; a power of two with tree_plru.
  SetAssociative(std::size_t sets, std::uint32_t ways, Replacement replacement = Replacement::lru)
      : ways_(ways), shift_(static_cast<unsigned>(std::bit_width(ways - 1))), replacement_(replacement) {
    if (ways == 0 || ways > max_ways) throw std::invalid_argument("a set has 1 to 16 ways");
    if (replacement == Replacement::tree_plru && !std::has_single_bit(ways))
      throw std::invalid_argument("a tree needs a power of two of ways");
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

  void use(std::size_t slot) {
    std::uint64_t& order = orders_[slot >> shift_];
    const std::uint64_t way = slot & ((std::size_t{1} << shift_) - 1);
    if (replacement_ == Replacement::lru) {
      if ((order & 15) != way) make_first(order, way);
    } else if (replacement_ == Replacement::tree_plru) {
      point_away(order, way);
    }
  }
  std::size_t victim(std::size_t set) {
    const std::size_t first = set << shift_;
    if (replacement_ == Replacement::lru) return first + (orders_[set] >> 4 * (ways_ - 1) & 15);
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (!is_present(first + way)) return first + way;
    return first + (replacement_ == Replacement::random ? random_.next() % ways_ : pointed_at(orders_[set]));
  }
  void replace(std::size_t slot, Entry tag) {
    entries_[slot] = tag;
    use(slot);
  }
  // Empties the way. An empty way is the next victim of its set.
  void drop(std::size_t slot) {
    entries_[slot] = no_tag;
    if (replacement_ == Replacement::lru)
      make_last(orders_[slot >> shift_], slot & ((std::size_t{1} << shift_) - 1));
  }
  void clear() {
    entries_.assign(entries_.size(), no_tag);
    orders_.assign(orders_.size(), replacement_ == Replacement::lru ? 0xFEDC'BA98'7654'3210 : 0);
  }

 private:
  void make_first(std::uint64_t& order, std::uint64_t way) const {
    const int place = place_of(order, way);
    const std::uint64_t newer = (std::uint64_t{1} << place) - 1;
    order = (order & ~(newer << 4 | 15)) | (order & newer) << 4 | way;
  }
  void make_last(std::uint64_t& order, std::uint64_t way) const {
    const int place = place_of(order, way), last = static_cast<int>(4 * (ways_ - 1));
    const std::uint64_t newer = (std::uint64_t{1} << place) - 1;
    const std::uint64_t ways = ~std::uint64_t{0} >> (60 - last);
    order = (order & newer) | (order >> 4 & ways >> 4 & ~newer) | way << last | (order & ~ways);
  }
  // Node n of the tree has the nodes 2n and 2n + 1 below it; its bit says in which of them the victim is.
  void point_away(std::uint64_t& tree, std::uint64_t way) const {
    for (std::uint64_t node = ways_ + way; node > 1; node /= 2) {
      const std::uint64_t bit = std::uint64_t{1} << node / 2;
      tree = node % 2 == 0 ? tree | bit : tree & ~bit;
    }
  }
  std::uint64_t pointed_at(std::uint64_t tree) const {
    std::uint64_t node = 1;
    while (node < ways_) node = 2 * node + (tree >> node & 1);
    return node - ways_;
  }
  // The bit at which the order of a set has a way.
  static int place_of(std::uint64_t order, std::uint64_t way) {
    constexpr std::uint64_t ones = 0x1111'1111'1111'1111;
    const std::uint64_t differs = order ^ ones * way;  // its four bits are 0
    return std::countr_zero((differs - ones) & ~differs & ones * 8) & ~3;
  }

  std::uint32_t ways_;
  unsigned shift_;  // of sets in slots: their ways are a power of two apart
  Replacement replacement_;
  Random random_{0};
  std::vector<Entry> entries_;
  // For each set: with lru, the order of use, a way in four bits, the newest in the lowest; ways that the
  // array does not have are last, and stay there. With tree_plru, the bits of the tree.
  std::vector<std::uint64_t> orders_;
};

}  // namespace asterism
