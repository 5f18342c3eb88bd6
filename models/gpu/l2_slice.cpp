#include "gpu/l2_slice.h"

#include <algorithm>

namespace asterism {

L2Slice::L2Slice(Bytes size, std::uint32_t ways, bool keeps_contents)
    : entries_(size / (line * ways) * max_ways),
      orders_(entries_.size() / max_ways),
      oldest_shift_(4 * (ways - 1)),
      in_order_(~std::uint64_t{0} >> (64 - 4 * ways)),
      count_(static_cast<std::uint32_t>(orders_.size())),
      reciprocal_(~std::uint64_t{0} / orders_.size() + 1),
      data_(keeps_contents ? entries_.size() * line.count() : 0) {
  clear();
}

void L2Slice::clear() {
  std::ranges::fill(entries_, no_tag);
  std::ranges::fill(orders_, 0xFEDC'BA98'7654'3210);
}

}  // namespace asterism
