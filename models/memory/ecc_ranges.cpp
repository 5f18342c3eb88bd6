#include "memory/ecc_ranges.h"

#include <algorithm>

namespace asterism {

RangeProblem EccRanges::problem(unsigned index, const EccRange& range) const {
  const Address first = range.offsets.first;
  const Bytes size = range.offsets.size;
  if (static_cast<unsigned>(range.mode) >= enum_names(EccMode{}).size()) return RangeProblem::reserved_mode;
  if (range.mode == EccMode::strong && !has_strong_) return RangeProblem::reserved_mode;
  if (everywhere_else_ == EccMode::none || range.mode == EccMode::none) return RangeProblem::no_code;
  if (size == Bytes(0) || size % page != Bytes(0) || Bytes(first.value()) % page != Bytes(0))
    return RangeProblem::unaligned;
  if (!AddressRange{Address(0), memory_}.contains(first, size)) return RangeProblem::outside;
  if (range.mode == EccMode::strong && ranks_ < 2) return RangeProblem::one_rank;
  if (range.mode == EccMode::strong && !room_for_parity_) return RangeProblem::no_room;
  for (unsigned other = 0; other < capacity; ++other)
    if (other != index && entries_[other] && entries_[other]->offsets.overlaps(range.offsets))
      return RangeProblem::overlap;
  return RangeProblem::none;
}

EccMode EccRanges::mode_by_table(Bytes offset) const {
  for (const auto& entry : entries_)
    if (entry && entry->offsets.contains(Address(offset.count()))) return entry->mode;
  return everywhere_else_;
}

AddressRange EccRanges::uniform_range(Bytes offset) const {
  const Address at(offset.count());
  Address first(0), end(memory_.count());
  for (const auto& entry : entries_) {
    if (!entry) continue;
    if (entry->offsets.contains(at)) return entry->offsets;
    const Address entry_end = entry->offsets.first + entry->offsets.size;
    if (entry_end <= at)
      first = std::max(first, entry_end);
    else
      end = std::min(end, entry->offsets.first);
  }
  return {first, end - first};
}

void EccRanges::reset(Reset kind) {
  if (kind == Reset::warm) return;
  entries_ = {};
  used_ = 0;
}

}  // namespace asterism
