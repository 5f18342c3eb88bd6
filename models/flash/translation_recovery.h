// The recovery of a translation layer after power-up: it reads the list of every block that has one and the
// spare areas of the others, all planes in parallel, and then decides which copy of each logical page is
// valid.
//
// For each block it reads the spare area of the first page (if that is erased, the whole block is), then the
// list at the end and, if there is none, the spare areas of the pages up to the first erased one. A page
// named in a list need not be readable: it counts all the same, so that a lost page is reported as lost and
// not replaced by an older copy. In a block without a list an unreadable page cannot be distinguished from
// one that a power failure has torn, and does not count. Several copies of one write (of a collection that
// was interrupted before it erased the originals) are checked, too: a readable one is preferred.
//
// In a plane without an erased block, a collection that had taken the last one was interrupted. That block
// only holds copies of pages that the collected block still holds. These copies are then discarded, so that
// the block can be erased and repeated power failures do not use up the plane.
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
    full,     // is not filled any further, even if it holds nothing valid
  };
  struct Found {
    Shape shape = Shape::bad;
    std::uint32_t fill = 0;    // data pages in use
    std::uint64_t newest = 0;  // the highest sequence number in the block
  };
  struct Entry {
    std::uint32_t place;  // page of the whole array
    std::uint32_t logical;
    std::uint64_t sequence;
    bool is_readable = true;  // unless a check found otherwise
  };

  TranslationRecovery(NandArray& array, const TranslationList& list, std::uint32_t logical_pages);

  // The operations on the array have the tag `tag` + plane.
  void start(Picoseconds now, NandArray::Tag tag);
  void read_done(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  bool done() const { return planes_left_ == 0; }

  // After done(): the place of each logical page; `none` for pages without a copy.
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
    std::size_t block_entries = 0;  // number of entries before this block
    std::vector<Entry> entries;
    std::vector<std::size_t> copies;  // entries with other copies of their write, still to be checked
  };

  void step(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void next_block(Picoseconds now, std::uint32_t plane);
  void first_spare_read(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void list_read(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void spare_read(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void copy_read(Picoseconds now, std::uint32_t plane, const NandArray::Read& read);
  void check_copies(Picoseconds now);
  void next_copy(Picoseconds now, std::uint32_t plane);
  void begin_spares(Picoseconds now, std::uint32_t plane);
  void end_block(Picoseconds now, std::uint32_t plane, Shape shape, std::uint32_t fill);
  void add(Plane& plane, std::uint32_t plane_number, std::uint32_t page, std::uint64_t logical,
           std::uint64_t sequence);
  void take_list(std::uint32_t plane, std::span<const std::byte> data);
  std::uint32_t block_of(std::uint32_t place) const { return place / geometry_.pages_per_block; }
  std::uint32_t place_of(std::uint32_t plane, std::uint32_t page) const;
  bool is_newest(const Entry& entry) const { return entry.sequence == best_[entry.logical]; }
  void discard_copies(std::uint32_t plane, std::vector<std::uint32_t>& places) const;
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
