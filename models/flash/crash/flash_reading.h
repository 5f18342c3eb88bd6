// The contents of a flash as read from its image alone. The code shares nothing with the translation layer,
// which is checked against it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flash/flash_image.h"

namespace asterism {

class FlashReading {
 public:
  // The kinds of pages in spare areas.
  enum Kind : std::uint32_t { data = 1, list = 2, lost = 3 };

  struct Copy {
    FlashAddress at;
    PageSpare spare;
    bool is_readable;
  };
  struct Changes {
    std::vector<FlashAddress> programmed, torn;
    std::vector<FlashBlock> erased, became_bad, torn_by_erase;
  };

  FlashReading(const FlashImage& image, std::uint32_t correctable_bits);

  std::uint32_t list_pages() const { return list_pages_; }
  std::uint32_t data_pages() const { return image_.geometry().pages_per_block - list_pages_; }

  bool is_readable(FlashAddress at) const;
  bool is_erased(FlashBlock block) const { return image_.next_page(block) == 0; }
  // Whether every page of the block's list can be read.
  bool has_list(FlashBlock block) const;
  // Whether such a list names the page. A page that a recovery could not read has no entry in the list
  // written after it.
  bool is_listed(FlashAddress at) const;
  // Whether in some plane every block that is not bad holds something.
  bool is_without_erased_block() const;

  // All data pages and marks that were completely programmed, whether they can be read or not.
  std::vector<Copy> copies() const;
  // Another copy of the same write, preferably a readable one.
  std::optional<Copy> other_copy(FlashAddress at) const;

  // The changes since the last call; after a power failure also the blocks that an erase has torn.
  Changes changes(bool is_power_failure);

  std::vector<FlashBlock> blocks() const;

 private:
  struct Block {
    std::uint32_t next = 0, erases = 0;
    bool bad = false, has_sound_page = false;
  };

  std::uint64_t index(FlashBlock block) const {
    return std::uint64_t{block.plane} * image_.geometry().blocks + block.block;
  }
  bool has_sound_page(FlashBlock block) const;

  const FlashImage& image_;
  std::uint32_t correctable_bits_;
  std::uint32_t list_pages_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace asterism
