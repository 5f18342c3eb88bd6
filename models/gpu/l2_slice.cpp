#include "gpu/l2_slice.h"

#include <algorithm>

namespace asterism {

L2Slice::L2Slice(Bytes size, std::uint32_t ways, bool keeps_contents)
    : sets_(size / (line * ways)),
      orders_(sets_.size()),
      oldest_shift_(4 * (ways - 1)),
      in_order_(~std::uint64_t{0} >> (64 - 4 * ways)),
      count_(static_cast<std::uint32_t>(sets_.size())),
      reciprocal_(~std::uint64_t{0} / sets_.size() + 1),
      data_(keeps_contents ? sets_.size() * most_ways * line.count() : 0) {
  clear();
}

void L2Slice::clear() {
  for (Set& set : sets_) set.ways.fill(no_tag);
  std::ranges::fill(orders_, 0xFEDC'BA98'7654'3210);
}

}  // namespace asterism
