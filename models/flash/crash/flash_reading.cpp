#include "flash/crash/flash_reading.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace asterism {

FlashReading::FlashReading(const FlashImage& image, std::uint32_t correctable_bits)
    : image_(image), correctable_bits_(correctable_bits), blocks_(image.geometry().all_blocks()) {
  // An entry is 12 bytes.
  const std::uint64_t entries_of_a_page = image.geometry().page.count() / 12;
  while (list_pages_ * entries_of_a_page < image.geometry().pages_per_block - list_pages_) ++list_pages_;
}

bool FlashReading::is_readable(FlashAddress at) const {
  return image_.state(at) == FlashImage::PageState::programmed && image_.bit_errors(at) <= correctable_bits_;
}

bool FlashReading::has_list(FlashBlock block) const {
  for (std::uint32_t page = data_pages(); page < image_.geometry().pages_per_block; ++page)
    if (!is_readable({block.plane, block.block, page})) return false;
  return true;
}

bool FlashReading::is_listed(FlashAddress at) const {
  if (!has_list(at.whole_block())) return false;
  const auto per_page = static_cast<std::uint32_t>(image_.geometry().page.count() / 12);
  const auto list = image_.page({at.plane, at.block, data_pages() + at.page / per_page});
  std::uint32_t logical = 0;  // little-endian
  for (std::size_t byte = 4; byte-- > 0;)
    logical =
        logical << 8 | std::to_integer<std::uint32_t>(list[at.page % per_page * std::size_t{12} + byte]);
  return logical == image_.spare(at).logical;
}

std::vector<FlashBlock> FlashReading::blocks() const {
  std::vector<FlashBlock> all;
  const FlashGeometry& g = image_.geometry();
  for (std::uint32_t plane = 0; plane < g.all_planes(); ++plane)
    for (std::uint32_t block = 0; block < g.blocks; ++block) all.push_back({plane, block});
  return all;
}

bool FlashReading::is_without_erased_block() const {
  std::vector<bool> has_one(image_.geometry().all_planes(), false);
  for (const FlashBlock block : blocks())
    if (!image_.is_bad(block) && is_erased(block)) has_one[block.plane] = true;
  return std::ranges::find(has_one, false) != has_one.end();
}

std::vector<FlashReading::Copy> FlashReading::copies() const {
  std::vector<Copy> all;
  for (const FlashBlock block : blocks()) {
    if (image_.is_bad(block)) continue;
    for (std::uint32_t page = 0; page < std::min(image_.next_page(block), data_pages()); ++page) {
      const FlashAddress at{block.plane, block.block, page};
      if (image_.state(at) == FlashImage::PageState::programmed)
        all.push_back({at, image_.spare(at), is_readable(at)});
    }
  }
  return all;
}

std::optional<FlashReading::Copy> FlashReading::other_copy(FlashAddress at) const {
  const PageSpare spare = image_.spare(at);
  const FlashGeometry& g = image_.geometry();
  std::optional<Copy> found;
  for (FlashAddress other{}; other.plane < g.all_planes(); ++other.plane)
    for (other.block = 0; other.block < g.blocks; ++other.block) {
      const std::uint32_t end = image_.is_bad(other.whole_block())
                                    ? 0
                                    : std::min(image_.next_page(other.whole_block()), data_pages());
      for (other.page = 0; other.page < end; ++other.page) {
        const PageSpare of_other = image_.spare(other);
        if (of_other.logical != spare.logical || of_other.sequence != spare.sequence || other == at ||
            image_.state(other) != FlashImage::PageState::programmed)
          continue;
        if (!found || is_readable(other)) found = Copy{other, of_other, is_readable(other)};
      }
    }
  return found;
}

bool FlashReading::has_sound_page(FlashBlock block) const {
  for (std::uint32_t page = 0; page < image_.next_page(block); ++page)
    if (image_.state({block.plane, block.block, page}) == FlashImage::PageState::programmed) return true;
  return false;
}

FlashReading::Changes FlashReading::changes(bool is_power_failure) {
  Changes changes;
  for (const FlashBlock block : blocks()) {
    Block& known = blocks_[index(block)];
    if (image_.erase_count(block) != known.erases) {
      changes.erased.push_back(block);
      known.next = 0;
    }
    const bool was_sound = known.has_sound_page && known.next != 0;
    for (std::uint32_t page = known.next; page < image_.next_page(block); ++page) {
      const FlashAddress at{block.plane, block.block, page};
      const bool is_torn = image_.state(at) == FlashImage::PageState::torn;
      (is_torn ? changes.torn : changes.programmed).push_back(at);
    }
    if (is_power_failure && was_sound && !has_sound_page(block)) changes.torn_by_erase.push_back(block);
    if (image_.is_bad(block) && !known.bad) changes.became_bad.push_back(block);
    if (is_power_failure || known.next != image_.next_page(block))
      known.has_sound_page = has_sound_page(block);
    known.next = image_.next_page(block);
    known.erases = image_.erase_count(block);
    known.bad = image_.is_bad(block);
  }
  return changes;
}

}  // namespace asterism
