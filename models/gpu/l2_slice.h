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
// Entries of 32 bits make the model fast (base/set_associative.h), and bound ways and tags.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/set_associative.h"
#include "base/units.h"

namespace asterism {

class L2Slice {
  // Flags: masks of valid and of dirty sectors.
  static constexpr unsigned tag_shift = 8, valid_shift = 4, dirty_shift = 0;
  using Tags = SetAssociative<std::uint32_t, tag_shift>;

 public:
  static constexpr Bytes line{128}, sector{32};
  static constexpr std::uint32_t max_ways = Tags::max_ways;
  static constexpr std::uint8_t all_sectors = 0xF;
  static unsigned count(std::uint8_t sectors) { return 0x4332'3221'3221'2110u >> 4 * sectors & 15; }
  static constexpr std::uint32_t no_line = 0xFFFF'FFFF;
  static constexpr std::size_t no_slot = Tags::no_slot;
  // The number of lines of memory that map to one set.
  static constexpr std::uint32_t max_lines_per_set = (1u << 24) - 1;

  // The size is a whole number of sets.
  L2Slice(Bytes size, std::uint32_t ways, bool keeps_contents)
      : tags_(size / (line * ways), ways),
        count_(static_cast<std::uint32_t>(tags_.sets())),
        reciprocal_(~std::uint64_t{0} / count_ + 1),
        data_(keeps_contents ? tags_.slots() * line.count() : 0) {}

  // The place of a line: its set, and its tag, number / sets.
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
    const auto quotient = count_ == 1 ? number : static_cast<std::uint32_t>(Wide{reciprocal_} * number >> 64);
    Place place;
    place.tag = quotient << tag_shift;
    place.set = number - quotient * count_;
    return place;
  }
  // The place of the next line.
  Place next(Place place) const {
    if (++place.set == count_) [[unlikely]] {
      place.set = 0;
      place.tag += 1u << tag_shift;
    }
    return place;
  }

  // Makes the line the most recently used.
  std::size_t find(Place place) { return tags_.find_and_use(place.set, place.tag); }
  // Without marking it as used.
  std::size_t peek(std::uint32_t number) const {
    const Place place = place_of(number);
    return tags_.find(place.set, place.tag);
  }
  std::size_t victim(Place place) { return tags_.victim(place.set); }
  // The slot is that of a victim.
  void replace(std::size_t slot, Place place) { tags_.replace(slot, place.tag); }
  // The way keeps its place in the order of use: an empty way is not replaced before others.
  void drop(std::size_t slot) { tags_.clear(slot); }
  // Prefetches consecutive lines, up to the last set.
  void prefetch(std::uint32_t first, std::uint32_t lines) const {
    const std::uint32_t set = place_of(first).set, end = std::min(set + lines, count_);
    for (std::uint32_t i = set; i < end; ++i) tags_.prefetch(i);
  }

  std::uint32_t line_at(std::size_t slot) const {
    return tags_.is_present(slot)
               ? static_cast<std::uint32_t>(std::size_t{tags_.tag(slot) >> tag_shift} * count_ +
                                            tags_.set_of(slot))
               : no_line;
  }
  // The line in a slot that is a victim for `place`.
  std::uint32_t line_at(std::size_t slot, Place place) const {
    return (tags_.tag(slot) >> tag_shift) * count_ + place.set;
  }
  // Masks of sectors.
  std::uint8_t valid(std::size_t slot) const {
    return static_cast<std::uint8_t>(tags_.flags(slot)) >> valid_shift;
  }
  std::uint8_t dirty(std::size_t slot) const { return tags_.flags(slot) >> dirty_shift & all_sectors; }
  void fetched(std::size_t slot, std::uint8_t sectors) {
    tags_.set_flags(slot, static_cast<std::uint32_t>(sectors) << valid_shift);
  }
  void written(std::size_t slot, std::uint8_t sectors) {
    tags_.set_flags(slot, static_cast<std::uint32_t>(sectors) * (1u << valid_shift | 1u << dirty_shift));
  }
  void cleaned(std::size_t slot) { tags_.clear_flags(slot, std::uint32_t{all_sectors} << dirty_shift); }
  std::span<std::byte, 128> data(std::size_t slot) {
    return std::span<std::byte, 128>(&data_[slot * line.count()], 128);
  }
  std::span<const std::byte, 128> data(std::size_t slot) const {
    return std::span<const std::byte, 128>(&data_[slot * line.count()], 128);
  }

  // Calls f(slot) for every line that is present, set by set.
  template <class F>
  void for_lines(F f) {
    for (std::size_t slot = 0; slot < tags_.slots(); ++slot)
      if (tags_.is_present(slot)) f(slot);
  }
  void clear() { tags_.clear(); }

 private:
  Tags tags_;
  std::uint32_t count_;  // the number of sets
  std::uint64_t reciprocal_;
  std::vector<std::byte> data_;
};

}  // namespace asterism
