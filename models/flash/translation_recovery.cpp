#include "flash/translation_recovery.h"

#include <algorithm>

namespace asterism {

TranslationRecovery::TranslationRecovery(NandArray& array, const TranslationList& list,
                                         std::uint32_t logical_pages)
    : array_(array),
      geometry_(array.geometry()),
      list_(list),
      logical_pages_(logical_pages),
      planes_(geometry_.all_planes()),
      blocks_(geometry_.all_blocks()),
      planes_left_(geometry_.all_planes()) {}

// ---- reading ----

void TranslationRecovery::start(Picoseconds now, NandArray::Tag tag) {
  tag_ = tag;
  for (std::uint32_t plane = 0; plane < planes_.size(); ++plane) next_block(now, plane);
  if (planes_left_ == 0) check_copies(now);
}

std::uint32_t TranslationRecovery::place_of(std::uint32_t plane, std::uint32_t page) const {
  return (plane * geometry_.blocks + planes_[plane].block) * geometry_.pages_per_block + page;
}

// Bad blocks hold no data: it was moved before they were marked.
void TranslationRecovery::next_block(Picoseconds now, std::uint32_t number) {
  Plane& plane = planes_[number];
  while (plane.block < geometry_.blocks && array_.image().is_bad({number, plane.block})) ++plane.block;
  if (plane.block == geometry_.blocks) {
    --planes_left_;
    return;
  }
  plane.step = Step::first_spare;
  plane.page = 0;
  plane.block_entries = plane.entries.size();
  array_.read_spare(now, {number, plane.block, 0}, tag_ + number);
}

void TranslationRecovery::read_done(Picoseconds now, std::uint32_t plane, const NandArray::Read& read) {
  const bool are_copies_known = planes_[plane].step == Step::copies;
  step(now, plane, read);
  if (planes_left_ == 0 && !are_copies_known) check_copies(now);
}

void TranslationRecovery::step(Picoseconds now, std::uint32_t plane, const NandArray::Read& read) {
  switch (planes_[plane].step) {
    case Step::first_spare:
      return first_spare_read(now, plane, read);
    case Step::list:
      return list_read(now, plane, read);
    case Step::spares:
      return spare_read(now, plane, read);
    case Step::copies:
      return copy_read(now, plane, read);
  }
}

void TranslationRecovery::first_spare_read(Picoseconds now, std::uint32_t number,
                                           const NandArray::Read& read) {
  Plane& plane = planes_[number];
  if (read.is_erased) return end_block(now, number, Shape::erased, 0);
  plane.step = Step::list;
  plane.page = list_.data_pages();
  array_.read(now, {number, plane.block, plane.page}, tag_ + number);
}

void TranslationRecovery::list_read(Picoseconds now, std::uint32_t number, const NandArray::Read& read) {
  Plane& plane = planes_[number];
  if (!read.is_readable || read.spare.kind != static_cast<std::uint32_t>(TranslationPage::list))
    return begin_spares(now, number);
  take_list(number, read.data);
  if (++plane.page == geometry_.pages_per_block)
    return end_block(now, number, Shape::full, list_.data_pages());
  array_.read(now, {number, plane.block, plane.page}, tag_ + number);
}

// An image without contents has no list; the spare areas hold its information.
void TranslationRecovery::take_list(std::uint32_t number, std::span<const std::byte> data) {
  Plane& plane = planes_[number];
  const std::uint32_t list_page = plane.page - list_.data_pages();
  const std::uint32_t first = list_.first_of(list_page);
  for (std::uint32_t page = first; page < list_.end_of(list_page); ++page) {
    if (!data.empty()) {
      const TranslationList::Entry entry = TranslationList::get(data, page - first);
      add(plane, number, page, entry.logical, entry.sequence);
      continue;
    }
    const FlashAddress at{number, plane.block, page};
    const PageSpare spare = array_.image().spare(at);
    if (array_.image().state(at) == FlashImage::PageState::programmed)
      add(plane, number, page, spare.logical, spare.sequence);
  }
}

void TranslationRecovery::begin_spares(Picoseconds now, std::uint32_t number) {
  Plane& plane = planes_[number];
  plane.entries.erase(plane.entries.begin() + static_cast<std::ptrdiff_t>(plane.block_entries),
                      plane.entries.end());
  plane.step = Step::spares;
  plane.page = 0;
  array_.read_spare(now, {number, plane.block, plane.page}, tag_ + number);
}

void TranslationRecovery::spare_read(Picoseconds now, std::uint32_t number, const NandArray::Read& read) {
  Plane& plane = planes_[number];
  if (read.is_erased) return end_block(now, number, Shape::partial, plane.page);
  if (read.is_readable) add(plane, number, plane.page, read.spare.logical, read.spare.sequence);
  if (++plane.page == list_.data_pages()) return end_block(now, number, Shape::full, list_.data_pages());
  array_.read_spare(now, {number, plane.block, plane.page}, tag_ + number);
}

void TranslationRecovery::add(Plane& plane, std::uint32_t number, std::uint32_t page, std::uint64_t logical,
                              std::uint64_t sequence) {
  if (logical >= logical_pages_) return;
  plane.entries.push_back({place_of(number, page), static_cast<std::uint32_t>(logical), sequence});
  Found& found = blocks_[number * geometry_.blocks + plane.block];
  found.newest = std::max(found.newest, sequence);
  newest_ = std::max(newest_, sequence);
}

void TranslationRecovery::end_block(Picoseconds now, std::uint32_t number, Shape shape, std::uint32_t fill) {
  Plane& plane = planes_[number];
  Found& found = blocks_[number * geometry_.blocks + plane.block];
  found.shape = shape;
  found.fill = fill;
  ++plane.block;
  next_block(now, number);
}

// ---- the decision ----

void TranslationRecovery::check_copies(Picoseconds now) {
  best_.assign(logical_pages_, 0);
  std::vector<std::uint32_t> copies(logical_pages_, 0);
  for (const Plane& plane : planes_)
    for (const Entry& entry : plane.entries) {
      if (entry.sequence > best_[entry.logical]) copies[entry.logical] = 0;
      best_[entry.logical] = std::max(best_[entry.logical], entry.sequence);
      copies[entry.logical] += is_newest(entry) ? 1 : 0;
    }
  for (Plane& plane : planes_) {
    for (std::size_t i = 0; i < plane.entries.size(); ++i)
      if (is_newest(plane.entries[i]) && copies[plane.entries[i].logical] > 1) plane.copies.push_back(i);
    plane.step = Step::copies;
  }
  planes_left_ = static_cast<std::uint32_t>(planes_.size());
  for (std::uint32_t plane = 0; plane < planes_.size(); ++plane) next_copy(now, plane);
}

void TranslationRecovery::next_copy(Picoseconds now, std::uint32_t number) {
  const Plane& plane = planes_[number];
  if (plane.copies.empty()) {
    --planes_left_;
    return;
  }
  const std::uint32_t place = plane.entries[plane.copies.back()].place;
  array_.read_spare(now, {number, block_of(place) % geometry_.blocks, place % geometry_.pages_per_block},
                    tag_ + number);
}

void TranslationRecovery::copy_read(Picoseconds now, std::uint32_t number, const NandArray::Read& read) {
  Plane& plane = planes_[number];
  plane.entries[plane.copies.back()].is_readable = read.is_readable;
  plane.copies.pop_back();
  next_copy(now, number);
}

std::vector<std::uint32_t> TranslationRecovery::resolve() {
  std::vector<std::uint32_t> places(logical_pages_, none);
  for (const bool is_readable : {true, false})
    for (const Plane& plane : planes_)
      for (const Entry& entry : plane.entries)
        if (is_newest(entry) && entry.is_readable == is_readable && places[entry.logical] == none)
          places[entry.logical] = entry.place;
  std::vector<std::uint32_t> valid(blocks_.size(), 0);
  for (const std::uint32_t place : places)
    if (place != none) ++valid[block_of(place)];
  for (std::uint32_t plane = 0; plane < planes_.size(); ++plane)
    if (needs_room(plane, valid)) discard_copies(plane, places);
  return places;
}

bool TranslationRecovery::needs_room(std::uint32_t plane, const std::vector<std::uint32_t>& valid) const {
  for (std::uint32_t block = plane * geometry_.blocks; block < (plane + 1) * geometry_.blocks; ++block) {
    if (blocks_[block].shape != Shape::bad && valid[block] == 0) return false;
  }
  return true;
}

// Finds a block whose valid pages can all be read from other blocks of the plane, too, and chooses the one
// with the fewest of them.
void TranslationRecovery::discard_copies(std::uint32_t plane, std::vector<std::uint32_t>& places) const {
  const std::uint32_t first_block = plane * geometry_.blocks;
  const auto block_in_plane = [&](const Entry& entry) { return block_of(entry.place) - first_block; };
  const auto counts = [&](const Entry& entry) { return is_newest(entry) && entry.is_readable; };
  std::vector<std::uint32_t> copies(logical_pages_, 0);
  for (const Entry& entry : entries(plane)) copies[entry.logical] += counts(entry) ? 1 : 0;
  std::vector<std::uint32_t> held(geometry_.blocks, 0), single(geometry_.blocks, 0);
  for (const Entry& entry : entries(plane)) {
    const std::uint32_t others = copies[entry.logical] - (counts(entry) ? 1 : 0);
    ++held[block_in_plane(entry)];
    if (places[entry.logical] == entry.place && others == 0) ++single[block_in_plane(entry)];
  }
  std::uint32_t discarded = none;
  for (std::uint32_t block = 0; block < geometry_.blocks; ++block)
    if (blocks_[first_block + block].shape != Shape::bad && single[block] == 0 &&
        (discarded == none || held[block] < held[discarded]))
      discarded = block;
  if (discarded == none) return;
  for (const Entry& entry : entries(plane))
    if (counts(entry) && block_in_plane(entry) != discarded &&
        block_of(places[entry.logical]) == first_block + discarded)
      places[entry.logical] = entry.place;
}

}  // namespace asterism
