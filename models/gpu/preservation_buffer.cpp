#include "gpu/preservation_buffer.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace asterism {

PreservationBuffer::PreservationBuffer(Address first, Bytes size, Bytes zone)
    : first_(first), size_(size), zone_(zone) {}

std::array<PreservationBuffer::Gap, 2> PreservationBuffer::gaps(const Extent* last) const {
  // Extents without zones occupy no space.
  for (auto extent = chain_.rbegin(); last == nullptr && extent != chain_.rend(); ++extent)
    if (extent->size != 0_B) last = &*extent;
  if (last == nullptr) return {Gap{first_, size_}};
  const Address end = last->first + last->size;
  const Address oldest = chain_.front().first;
  if (last->first < oldest) return {Gap{end, oldest - end}};
  return {Gap{end, first_ + size_ - end}, Gap{first_, oldest - first_}};
}

std::optional<Address> PreservationBuffer::place(const Extent* last, Bytes size) const {
  for (const Gap& gap : gaps(last))
    if (size <= gap.size) return gap.first;
  return std::nullopt;
}

std::optional<Address> PreservationBuffer::open(bool full, std::uint32_t zones) {
  if (open_) throw std::logic_error("two snapshots of a GPU are open in its preservation buffer");
  if (!full && chain_.empty()) throw std::logic_error("an increment is kept without a full snapshot");
  const Bytes size = zone_ * zones;
  const auto at = place(nullptr, size);
  if (!at) return std::nullopt;
  Extent extent{*at, size, full, {}};
  if (!full && !place(&extent, size)) return std::nullopt;
  open_ = std::move(extent);
  return at;
}

void PreservationBuffer::arrived(std::span<const Zone> zones) {
  if (!open_ || zone_ * (open_->zones.size() + zones.size()) > open_->size)
    throw std::logic_error("zones arrive for which there is no space in the preservation buffer");
  open_->zones.insert(open_->zones.end(), zones.begin(), zones.end());
}

void PreservationBuffer::complete() {
  if (!open_) throw std::logic_error("no snapshot is open in the preservation buffer");
  open_->size = zone_ * open_->zones.size();
  if (open_->full) chain_.clear();
  chain_.push_back(std::move(*open_));
  open_.reset();
}

void PreservationBuffer::give_up() { open_.reset(); }

std::vector<PreservationBuffer::Copy> PreservationBuffer::image() const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Copy> newest;
  for (const Extent& extent : chain_) {
    Address at = extent.first;
    for (const Zone zone : extent.zones) {
      newest[{zone.index, zone.channel}] = {zone, at};
      at += zone_;
    }
  }
  std::vector<Copy> image;
  image.reserve(newest.size());
  for (const auto& [number, copy] : newest) image.push_back(copy);
  std::ranges::sort(image, {}, &Copy::at);
  return image;
}

Bytes PreservationBuffer::free() const { return std::ranges::max(gaps(nullptr), {}, &Gap::size).size; }

}  // namespace asterism
