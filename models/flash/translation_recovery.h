// How a translation layer finds out after power-up what is in flash: reads the list of every block that has
// one and the spare areas of the others, plane by plane at the same time, then decides which copy of each
// logical page counts.
//
// Of each block in turn: the spare area of its first page (erased: all of it is), the list at its end, and
// without one the spare areas of its pages up to the first erased one. A page named in a list need not be
// readable any more: it counts all the same, so that a lost page is reported lost rather than replaced by an
// older copy. Of a block without a list an unreadable page cannot be told from one that a power cut has torn,
// and does not count. Copies of one write (a collection was cut off before it erased their originals) are
// looked at, too: a readable one counts first.
//
// A plane without an erased block was cut off in the middle of a collection that had taken the last one. All
// that is in that block is a copy of what the collected block still holds; the copies are then given up, so
// that the block can be erased and cuts without end do not use up the plane.
#pragma once

#include <cstdint>
#include <vector>

#include "flash/nand_array.h"
#include "flash/translation_list.h"

namespace asterism {

class TranslationRecovery {
 public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  enum class Shape : std::uint8_t {
    bad,
    erased,
    partial,  // pages from `fill` on are erased
    full,     // not to be filled any further; holds what it holds, perhaps nothing
  };
  struct Found {
    Shape shape = Shape::bad;
    std::uint32_t fill = 0;    // data pages in use
    std::uint64_t newest = 0;  // highest sequence number in it
  };
  struct Entry {
    std::uint32_t place;  // page over the whole array
    std::uint32_t logical;
    std::uint64_t sequence;
    bool is_readable = true;  // as far as looked at
  };

  TranslationRecovery(NandArray& array, const TranslationList& list, std::uint32_t logical_pages);

  // Operations of the array have the tag `tag` + plane.
  void start(Picoseconds now, NandArray::Tag tag);
  void read_done(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  bool done() const { return planes_left_ == 0; }

  // When done: where each logical page is, `none` for those that are nowhere.
  std::vector<std::uint32_t> resolve();
  const Found& found(std::uint32_t block) const { return blocks_[block]; }
  const std::vector<Entry>& entries(std::uint32_t plane) const { return planes_[plane].entries; }
  std::uint64_t newest() const { return newest_; }

 private:
  enum class Step : std::uint8_t { first_spare, list, spares, copies };
  struct Plane {
    std::uint32_t block = 0;
    std::uint32_t page = 0;  // being read
    Step step = Step::first_spare;
    std::size_t block_entries = 0;  // entries before this block's
    std::vector<Entry> entries;
    std::vector<std::size_t> copies;  // entries, one of several of their write, still to be looked at
  };

  void step(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void next_block(Picoseconds now, std::uint32_t plane);
  void first_spare_read(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void list_read(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void spare_read(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void copy_read(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void look_at_copies(Picoseconds now);
  void next_copy(Picoseconds now, std::uint32_t plane);
  void begin_spares(Picoseconds now, std::uint32_t plane);
  void end_block(Picoseconds now, std::uint32_t plane, Shape shape, std::uint32_t fill);
  void add(Plane& plane, std::uint32_t plane_number, std::uint32_t page, std::uint64_t logical,
           std::uint64_t sequence);
  void take_list(std::uint32_t plane, std::span<const std::byte> data);
  std::uint32_t block_of(std::uint32_t place) const { return place / geometry_.pages_per_block; }
  std::uint32_t place_of(std::uint32_t plane, std::uint32_t page) const;
  bool is_newest(const Entry& entry) const { return entry.sequence == best_[entry.logical]; }
  void give_up_copies(std::uint32_t plane, std::vector<std::uint32_t>& places) const;
  bool needs_room(std::uint32_t plane, const std::vector<std::uint32_t>& valid) const;

  NandArray& array_;
  FlashGeometry geometry_;
  TranslationList list_;
  std::uint32_t logical_pages_;
  NandArray::Tag tag_ = 0;
  std::vector<Plane> planes_;
  std::vector<Found> blocks_;
  std::uint32_t planes_left_;
  std::uint64_t newest_ = 0;
  std::vector<std::uint64_t> best_;  // newest sequence number of each logical page
};

}  // namespace asterism
