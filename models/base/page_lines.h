// Lines of memory: the granularity in which writes are tracked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace asterism {

inline constexpr Bytes tracked_page{4096}, tracked_line{64};

// Some lines of a 4 KiB page: bit i of `lines` is the line of 64 bytes at page + 64 * i.
struct PageLines {
  Address page;
  std::uint64_t lines = 0;
  bool operator==(const PageLines&) const = default;
};

constexpr Address page_of(Address at) { return Address(at.value() & ~(tracked_page.count() - 1)); }

// The lines of the first page of a range that the range touches. The range is not empty.
constexpr PageLines first_page_lines(AddressRange range) {
  static_assert(tracked_page / tracked_line == 64);
  const Address page = page_of(range.first);
  const Address last = std::min(range.last(), page + tracked_page - Bytes(1));
  const std::uint64_t lowest = (range.first - page) / tracked_line, highest = (last - page) / tracked_line;
  return {page, ~std::uint64_t{0} >> (63 - highest) & ~std::uint64_t{0} << lowest};
}
constexpr PageLines line_at(Address at) { return first_page_lines({at, Bytes(1)}); }

}  // namespace asterism
