// The metadata of a translation layer in flash: the kind of a page in its spare area, and a list of the pages
// of every block at its end.
//
// List: little-endian, an entry of 12 bytes for each data page of the block (logical page 4, sequence number
// 8), as many as fit in a page. A block ends with as many list pages as it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.h"

namespace asterism {

enum class TranslationPage : std::uint32_t {
  data = 1,
  list = 2,
  // Replaces a page that garbage collection could not read, so that no older copy takes its place.
  lost = 3,
};

class TranslationList {
 public:
  static constexpr std::uint32_t no_page = 0xffff'ffff;  // torn or failed: no logical page
  struct Entry {
    std::uint32_t logical = no_page;
    std::uint64_t sequence = 0;
  };

  constexpr TranslationList(Bytes page, std::uint32_t pages_per_block)
      : per_page_(static_cast<std::uint32_t>(page.count() / entry_bytes)),
        pages_((pages_per_block + per_page_) / (per_page_ + 1)),
        data_pages_(pages_per_block - pages_) {}

  constexpr std::uint32_t pages() const { return pages_; }  // list pages of a block
  constexpr std::uint32_t data_pages() const { return data_pages_; }

  static void put(std::span<std::byte> list, std::uint32_t index, const Entry& entry);
  static Entry get(std::span<const std::byte> list, std::uint32_t index);
  constexpr std::uint32_t first_of(std::uint32_t list_page) const { return list_page * per_page_; }
  constexpr std::uint32_t end_of(std::uint32_t list_page) const {
    const std::uint32_t end = (list_page + 1) * per_page_;
    return end < data_pages_ ? end : data_pages_;
  }

 private:
  static constexpr std::uint32_t entry_bytes = 12;
  std::uint32_t per_page_, pages_, data_pages_;
};

}  // namespace asterism
