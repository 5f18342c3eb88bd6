// The tags of a set-associative array: which line each way of each set holds, and which one is to be
// replaced. What else a line has is the user's, by slot.
//
//   SetAssociative<std::uint64_t> tags(sets, ways);
//   std::size_t slot = tags.find(set, tag);      no_slot: a miss
//   tags.use(slot);                              the line was used
//   slot = tags.victim(set);                     an empty way, or the one to replace
//   tags.replace(slot, tag);                     another line in the victim, which was used, too
//
// Whatever the replacement, a second use of the line of a set that was used last changes nothing.
//
// `flag_bits` low bits of an entry belong to the user, for flags that are tested with the tag: tags have them
// clear, replace() clears them, and find() ignores them.
//
// Of four ways and more, only those whose tag has the wanted digest are looked at (byte_digests.h).
//
// With entries of 32 bits a set is one cache line of the host, whose ways are compared at once; the
// replacement is lru. With `timed` it is lru, too, by the time of each way's last use instead of a list for
// each set: for more than 16 ways, or for few, with which it is faster.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <boost/align/aligned_allocator.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/byte_digests.h"
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

template <class Entry, unsigned flag_bits = 0, bool timed = false>
class SetAssociative {
  static constexpr bool is_host_line = sizeof(Entry) == 4;
  static_assert(!(is_host_line && timed));
  static constexpr bool may_have_digests = !is_host_line && !timed;

 public:
  static constexpr std::uint32_t max_ways = timed ? 1024 : 16;
  static constexpr std::size_t no_slot = ~std::size_t{0};
  static constexpr Entry flags_mask = (Entry{1} << flag_bits) - 1;
  static constexpr Entry no_tag = static_cast<Entry>(~flags_mask);  // of an empty way

  // 1 to max_ways ways; a power of two with tree_plru.
  SetAssociative(std::size_t sets, std::uint32_t ways, Replacement replacement = Replacement::lru)
      : ways_(ways),
        last_(4 * (ways - 1)),
        shift_(static_cast<unsigned>(std::bit_width(ways - 1))),
        replacement_(replacement) {
    if (ways == 0 || ways > max_ways)
      throw std::invalid_argument("a set has 1 to " + std::to_string(max_ways) + " ways");
    if ((is_host_line || timed) && replacement != Replacement::lru)
      throw std::invalid_argument("this array has only lru");
    if (replacement == Replacement::tree_plru && !std::has_single_bit(ways))
      throw std::invalid_argument("a tree needs a power of two of ways");
    if (!timed) order_mask_ = ~std::uint64_t{0} >> (60 - last_);
    entries_.resize(sets << shift());
    orders_.resize(timed ? entries_.size() : sets);
    if (may_have_digests && ways >= least_for_digests) digests_.resize(entries_.size() + digests_at_once);
    clear();
  }

  std::size_t sets() const { return entries_.size() >> shift(); }
  std::uint32_t ways() const { return ways_; }
  std::size_t slots() const { return entries_.size(); }  // some of which are not ways
  std::size_t slot_at(std::size_t set, std::uint32_t way) const { return (set << shift()) + way; }
  std::size_t set_of(std::size_t slot) const { return slot >> shift(); }

  std::size_t find(std::size_t set, Entry tag) const {
    const std::size_t first = set << shift();
    if constexpr (is_host_line) {
      const std::uint32_t way_and_1 = find_at_once(&entries_[first], tag);
      return way_and_1 == 0 ? no_slot : first + (way_and_1 - 1);
    }
    if (may_have_digests && !digests_.empty()) return find_by_digest(first, tag);
    for (std::uint32_t way = 0; way < ways_; ++way)
      if ((entries_[first + way] & no_tag) == tag) return first + way;
    return no_slot;
  }
  // Finds a line, and uses it.
  std::size_t find_and_use(std::size_t set, Entry tag) {
    if constexpr (is_host_line) {
      const std::uint32_t way_and_1 = find_at_once(&entries_[set << shift()], tag);
      if (way_and_1 == 0) return no_slot;
      make_first(orders_[set], way_and_1 - 1);
      return slot_at(set, way_and_1 - 1);
    }
    const std::size_t slot = find(set, tag);
    if (slot != no_slot) use(slot);
    return slot;
  }
  void prefetch(std::size_t set) const { __builtin_prefetch(&entries_[set << shift()]); }
  // Whether the line is this one and has all of the flags.
  bool has(std::size_t slot, Entry tag, Entry flags) const {
    return (entries_[slot] & (no_tag | flags)) == (tag | flags);
  }
  bool is_present(std::size_t slot) const { return tag(slot) != no_tag; }
  Entry tag(std::size_t slot) const { return entries_[slot] & no_tag; }
  Entry flags(std::size_t slot) const { return entries_[slot] & flags_mask; }
  void set_flags(std::size_t slot, Entry flags) { entries_[slot] |= flags; }
  void clear_flags(std::size_t slot, Entry flags) { entries_[slot] &= static_cast<Entry>(~flags); }
  void clear_flags(Entry flags) {  // of all lines
    for (Entry& entry : entries_) entry &= static_cast<Entry>(~flags);
  }

  void use(std::size_t slot) {
    if constexpr (timed) return void(orders_[slot] = ++time_);
    std::uint64_t& order = orders_[set_of(slot)];
    if (is_lru()) {
      if (is_host_line || (order & 15) != way_of(slot)) make_first(order, way_of(slot));
    } else if (replacement_ == Replacement::tree_plru) {
      point_away(order, way_of(slot));
    }
  }
  std::size_t victim(std::size_t set) {
    const std::size_t first = set << shift();
    if constexpr (timed) return oldest_from(first);
    if (is_lru()) return first | (orders_[set] >> last_ & 15);
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (!is_present(first + way)) return first + way;
    return first + (replacement_ == Replacement::random ? random_.next() % ways_ : pointed_at(orders_[set]));
  }
  // The slot is that of a victim.
  void replace(std::size_t slot, Entry tag) {
    entries_[slot] = tag;
    if (may_have_digests && !digests_.empty()) digests_[slot] = digest_of(tag);
    if (timed || !is_lru()) return use(slot);
    std::uint64_t& order = orders_[set_of(slot)];
    order = (order & ~order_mask_) | (order << 4 & order_mask_) | way_of(slot);
  }
  // Empties the way, which is the next victim of its set.
  void drop(std::size_t slot) {
    clear(slot);
    if constexpr (timed)
      orders_[slot] = 0;
    else if (is_lru())
      make_last(orders_[set_of(slot)], way_of(slot));
  }
  // Empties the way; with lru it keeps its place in the order of use.
  void clear(std::size_t slot) { entries_[slot] = no_tag; }
  void clear() {
    std::ranges::fill(entries_, no_tag);
    std::ranges::fill(orders_, !timed && is_lru() ? 0xFEDC'BA98'7654'3210 : 0);
  }

 private:
  bool is_lru() const { return is_host_line || replacement_ == Replacement::lru; }
  // Of sets in slots: their ways are a power of two apart.
  unsigned shift() const { return is_host_line ? 4 : shift_; }
  std::uint64_t way_of(std::size_t slot) const { return slot & ((std::size_t{1} << shift()) - 1); }

  // The number of the way, from 1; 0: none. Compares four of them at a time.
  static std::uint32_t find_at_once(const Entry* set, Entry tag) {
    typedef std::uint32_t Four __attribute__((vector_size(16)));
    typedef std::uint64_t Two __attribute__((vector_size(16)));
    const Four wanted = {tag, tag, tag, tag};
    Four number = {1, 2, 3, 4}, found = {};
    for (std::uint32_t way = 0; way < 16; way += 4, number += 4) {
      Four ways;
      std::memcpy(&ways, set + way, sizeof ways);
      found |= ((ways & no_tag) == wanted) & number;
    }
    const Two halves = reinterpret_cast<Two>(found);
    const std::uint64_t half = halves[0] | halves[1];
    return static_cast<std::uint32_t>(half | half >> 32);
  }
  std::size_t find_by_digest(std::size_t first, Entry tag) const {
    const std::uint32_t ways = (1u << ways_) - 1;
    for (std::uint32_t found = equal_digests(&digests_[first], digest_of(tag)) & ways; found != 0;
         found &= found - 1) {
      const std::size_t slot = first + static_cast<std::size_t>(std::countr_zero(found));
      if ((entries_[slot] & no_tag) == tag) return slot;
    }
    return no_slot;
  }
  std::size_t oldest_from(std::size_t first) const {
    std::size_t oldest = first;
    std::uint64_t time = orders_[first];
    for (std::size_t slot = first + 1; slot < first + ways_; ++slot) {  // without branches
      const bool is_older = orders_[slot] < time;
      oldest = is_older ? slot : oldest;
      time = is_older ? orders_[slot] : time;
    }
    return oldest;
  }
  void make_first(std::uint64_t& order, std::uint64_t way) const {
    const std::uint64_t newer = (std::uint64_t{1} << place_of(order, way)) - 1;
    order = (order & ~(newer << 4 | 15)) | (order & newer) << 4 | way;
  }
  void make_last(std::uint64_t& order, std::uint64_t way) const {
    const std::uint64_t newer = (std::uint64_t{1} << place_of(order, way)) - 1;
    order =
        (order & newer) | (order >> 4 & order_mask_ >> 4 & ~newer) | way << last_ | (order & ~order_mask_);
  }
  // The bit at which the order of a set has a way.
  static int place_of(std::uint64_t order, std::uint64_t way) {
    constexpr std::uint64_t ones = 0x1111'1111'1111'1111;
    const std::uint64_t differs = order ^ ones * way;  // its four bits are 0
    return __builtin_ctzll((differs - ones) & ~differs & ones * 8) & ~3;
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
  std::uint32_t ways_;
  unsigned last_;  // the bit at which an order has the last way
  unsigned shift_;
  Replacement replacement_;
  Random random_{0};
  std::uint64_t time_ = 0;
  std::uint64_t order_mask_ = 0;  // the bits of an order that have the ways
  std::vector<Entry, boost::alignment::aligned_allocator<Entry, 64>> entries_;
  // For each set: with lru, the order of use, a way in four bits, the newest in the lowest; ways that the
  // array does not have are last, and stay there. With tree_plru, the bits of the tree. With `timed`, for
  // each slot: the time of its last use; 0: it is empty.
  std::vector<std::uint64_t> orders_;
  // Of the tag that each slot got last, which it may have no more. Empty: there are too few ways.
  static constexpr std::uint32_t least_for_digests = 4;
  std::vector<std::uint8_t> digests_;
};

}  // namespace asterism
