// The part of a GPU's L2 in front of one channel: write back, lines of 128 bytes in sectors of 32, each valid
// or dirty on its own; the least recently used line of a set is evicted. Lines are numbers: offset in the
// channel / 128; the set is the number modulo the number of sets, which need not be a power of two.
//
//   const L2Slice::Place place = slice.place_of(line);
//   std::size_t slot = slice.find(place);   no_slot: a miss
//   slot = slice.victim(place);             the line to evict for it: write back slice.dirty(slot)
//   slice.replace(slot, place);             no sector of it is valid
//
// Contents, if they are kept, are those of the whole line.
//
// The ways of a set are one cache line of the host: this bounds ways and tags, and makes the model fast.
#pragma once

#include <algorithm>
#include <bit>
#include <boost/align/aligned_allocator.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/units.h"

namespace asterism {

class L2Slice {
 public:
  static constexpr Bytes line{128}, sector{32};
  static constexpr std::uint32_t max_ways = 16;
  static constexpr std::uint8_t all_sectors = 0xF;
  static unsigned count(std::uint8_t sectors) { return 0x4332'3221'3221'2110u >> 4 * sectors & 15; }
  static constexpr std::uint32_t no_line = 0xFFFF'FFFF;
  static constexpr std::size_t no_slot = ~std::size_t{0};
  // The number of lines of memory that map to one set.
  static constexpr std::uint32_t max_lines_per_set = (1u << 24) - 1;

  // The size is a whole number of sets.
  L2Slice(Bytes size, std::uint32_t ways, bool keeps_contents);

  // The place of a line: its set, and its tag within the set.
  class Place {
   public:
    bool operator==(const Place&) const = default;

   private:
    friend L2Slice;
    std::uint32_t set = 0, tag = 0;
  };
  // number / sets and the remainder; Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019.
  Place place_of(std::uint32_t number) const {
    __extension__ typedef unsigned __int128 Wide;
    Place place;
    place.tag = count_ == 1 ? number : static_cast<std::uint32_t>(Wide{reciprocal_} * number >> 64);
    place.set = number - place.tag * count_;
    return place;
  }
  // The place of the next line.
  Place next(Place place) const {
    if (++place.set == count_) [[unlikely]] {
      place.set = 0;
      ++place.tag;
    }
    return place;
  }

  // Makes the line the most recently used.
  std::size_t find(Place place) {
    const std::uint32_t way = way_and_1(&entries_[slot_of(place.set, 0)], place.tag);
    if (way == 0) return no_slot;
    use(place.set, way - 1);
    return slot_of(place.set, way - 1);
  }
  // Without marking it as used.
  std::size_t peek(std::uint32_t number) const {
    const Place place = place_of(number);
    const std::uint32_t way = way_and_1(&entries_[slot_of(place.set, 0)], place.tag);
    return way == 0 ? no_slot : slot_of(place.set, way - 1);
  }
  std::size_t victim(Place place) const {
    return slot_of(place.set, static_cast<std::uint32_t>(orders_[place.set] >> oldest_shift_) & 15);
  }
  // The slot is that of a victim.
  void replace(std::size_t slot, Place place) {
    entries_[slot] = place.tag << tag_shift;
    std::uint64_t& order = orders_[place.set];
    order = (order & ~in_order_) | (order << 4 & in_order_) | slot % max_ways;
  }
  void drop(std::size_t slot) { entries_[slot] = no_tag; }
  // Prefetches consecutive lines, up to the last set.
  void prefetch(std::uint32_t first, std::uint32_t lines) const {
    const std::uint32_t set = place_of(first).set, end = std::min(set + lines, count_);
    for (std::uint32_t i = set; i < end; ++i) __builtin_prefetch(&entries_[slot_of(i, 0)]);
  }

  std::uint32_t line_at(std::size_t slot) const {
    const std::uint32_t tag = entries_[slot] >> tag_shift;
    return tag == no_tag >> tag_shift
               ? no_line
               : static_cast<std::uint32_t>(std::size_t{tag} * count_ + slot / max_ways);
  }
  // The line in a slot that is a victim for `place`.
  std::uint32_t line_at(std::size_t slot, Place place) const {
    return (entries_[slot] >> tag_shift) * count_ + place.set;
  }
  // Masks of sectors.
  std::uint8_t valid(std::size_t slot) const { return entries_[slot] >> valid_shift & all_sectors; }
  std::uint8_t dirty(std::size_t slot) const { return entries_[slot] >> dirty_shift & all_sectors; }
  void fetched(std::size_t slot, std::uint8_t sectors) {
    entries_[slot] |= static_cast<std::uint32_t>(sectors) << valid_shift;
  }
  void written(std::size_t slot, std::uint8_t sectors) {
    entries_[slot] |= static_cast<std::uint32_t>(sectors) * (1u << valid_shift | 1u << dirty_shift);
  }
  void cleaned(std::size_t slot) { entries_[slot] &= ~(std::uint32_t{all_sectors} << dirty_shift); }
  std::span<std::byte, 128> data(std::size_t slot) {
    return std::span<std::byte, 128>(&data_[slot * line.count()], 128);
  }
  std::span<const std::byte, 128> data(std::size_t slot) const {
    return std::span<const std::byte, 128>(&data_[slot * line.count()], 128);
  }

  // Calls f(slot) for every line that is present, set by set.
  template <class F>
  void for_lines(F f) {
    for (std::size_t slot = 0; slot < entries_.size(); ++slot)
      if (line_at(slot) != no_line) f(slot);
  }
  void clear();

 private:
  // A way: the number of its line / sets, masks of valid and of dirty sectors.
  static constexpr unsigned tag_shift = 8, valid_shift = 4, dirty_shift = 0;
  static constexpr std::uint32_t no_tag = 0xFFFF'FF00;
  typedef std::uint32_t Four __attribute__((vector_size(16)));

  static std::size_t slot_of(std::uint32_t set, std::uint32_t way) {
    return std::size_t{set} * max_ways + way;
  }

  // 0: none. Compares four ways at a time.
  static std::uint32_t way_and_1(const std::uint32_t* set, std::uint32_t tag) {
    const Four wanted = {tag, tag, tag, tag};
    Four place = {1, 2, 3, 4}, found = {};
    for (std::uint32_t way = 0; way < max_ways; way += 4, place += 4) {
      Four ways;
      std::memcpy(&ways, set + way, sizeof ways);
      found |= ((ways >> tag_shift) == wanted) & place;
    }
    typedef std::uint64_t Two __attribute__((vector_size(16)));
    const Two halves = reinterpret_cast<Two>(found);
    const std::uint64_t half = halves[0] | halves[1];
    return static_cast<std::uint32_t>(half | half >> 32);
  }
  void use(std::size_t set, std::uint32_t way) {
    constexpr std::uint64_t ones = 0x1111'1111'1111'1111;
    std::uint64_t& order = orders_[set];
    const std::uint64_t differs = order ^ ones * way;  // the group of bits at its position is 0
    const int place = std::countr_zero((differs - ones) & ~differs & ones * 8) & ~3;
    const std::uint64_t newer = (std::uint64_t{1} << place) - 1;
    order = (order & ~(newer << 4 | 15)) | (order & newer) << 4 | way;
  }

  // Sets of max_ways.
  std::vector<std::uint32_t, boost::alignment::aligned_allocator<std::uint32_t, 64>> entries_;
  // For each set, the order of use: a way in four bits, the newest in the lowest. Ways that the cache does
  // not have are last, and stay there.
  std::vector<std::uint64_t> orders_;
  unsigned oldest_shift_;
  std::uint64_t in_order_;  // the initial order of the ways
  std::uint32_t count_;     // the number of sets
  std::uint64_t reciprocal_;
  std::vector<std::byte> data_;
};

}  // namespace asterism
