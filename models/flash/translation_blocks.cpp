#include "flash/translation_blocks.h"

#include <algorithm>

namespace asterism {

TranslationBlocks::TranslationBlocks(const TranslationConfig& config, const FlashGeometry& geometry,
                                     std::uint32_t data_pages)
    : config_(config),
      per_plane_(geometry.blocks),
      plane_divisor_(per_plane_),
      data_pages_(data_pages),
      blocks_(geometry.all_blocks()),
      planes_(geometry.all_planes()),
      rings_(std::size_t{geometry.all_planes()} * (data_pages + 1), none) {
  for (Plane& plane : planes_) plane.erased.reserve(geometry.blocks);
}

void TranslationBlocks::clear() {
  std::ranges::fill(blocks_, Block{});
  std::ranges::fill(rings_, none);
  for (Plane& plane : planes_) {
    plane.erased.clear();
    plane.failed.clear();
    plane.good = 0;
    plane.garbage = 0;
    plane.level_at = config_.static_wear_difference;
  }
}

std::uint32_t TranslationBlocks::idle_failed_block(std::uint32_t plane) const {
  for (const std::uint32_t block : planes_[plane].failed)
    if (blocks_[block].pending == 0) return block;
  return none;
}

void TranslationBlocks::found(std::uint32_t block, State state, std::uint32_t erases) {
  Block& b = blocks_[block];
  b.erases = erases;
  b.state = state;
  if (state == State::bad) return;
  ++planes_[plane_of(block)].good;
}

bool TranslationBlocks::fills_later(std::uint32_t a, std::uint32_t b) const {
  if (config_.dynamic_wear_levelling && blocks_[a].erases != blocks_[b].erases)
    return blocks_[a].erases > blocks_[b].erases;
  return a > b;
}

void TranslationBlocks::add_erased(std::uint32_t block) {
  Block& b = blocks_[block];
  b.state = State::erased;
  b.valid = b.fill = 0;
  Plane& plane = planes_[plane_of(block)];
  plane.erased.push_back(block);
  std::ranges::push_heap(plane.erased, [this](auto x, auto y) { return fills_later(x, y); });
}

std::uint32_t TranslationBlocks::open(std::uint32_t plane_number, bool max_worn) {
  std::vector<std::uint32_t>& erased = planes_[plane_number].erased;
  const auto later = [this](auto x, auto y) { return fills_later(x, y); };
  if (max_worn) {
    const auto worn = std::ranges::max_element(
        erased, [this](auto x, auto y) { return blocks_[x].erases < blocks_[y].erases; });
    std::swap(*worn, erased.back());
  } else {
    std::ranges::pop_heap(erased, later);
  }
  const std::uint32_t block = erased.back();
  erased.pop_back();
  if (max_worn) std::ranges::make_heap(erased, later);
  blocks_[block].state = State::open;
  return block;
}

void TranslationBlocks::close(std::uint32_t block, std::uint64_t clock) {
  Block& b = blocks_[block];
  b.state = State::closed;
  b.closed_at = b.changed_at = clock;
  Plane& plane = planes_[plane_of(block)];
  plane.garbage += data_pages_ - b.valid;
  plane.level_at = std::min(plane.level_at, std::uint64_t{b.erases} + config_.static_wear_difference);
  link(block);
}

void TranslationBlocks::collect(std::uint32_t block) {
  Block& b = blocks_[block];
  Plane& plane = planes_[plane_of(block)];
  if (b.state == State::failed) {
    std::erase(plane.failed, block);
  } else {
    unlink(block);
    plane.garbage -= data_pages_ - b.valid;
  }
  b.state = State::collected;
}

void TranslationBlocks::put_back(std::uint32_t block, std::uint64_t clock) {
  if (!blocks_[block].has_failed) return close(block, clock);
  blocks_[block].state = State::failed;
  planes_[plane_of(block)].failed.push_back(block);
}

void TranslationBlocks::fail(std::uint32_t block) {
  Block& b = blocks_[block];
  if (b.has_failed) return;
  b.has_failed = true;
  b.state = State::failed;
  Plane& plane = planes_[plane_of(block)];
  --plane.good;
  plane.failed.push_back(block);
}

void TranslationBlocks::retire(std::uint32_t block) {
  Block& b = blocks_[block];
  if (!b.has_failed) --planes_[plane_of(block)].good;
  b.has_failed = true;
  b.state = State::bad;
}

void TranslationBlocks::take_valid(std::uint32_t block, std::uint64_t clock) {
  Block& b = blocks_[block];
  if (b.state != State::closed) {
    --b.valid;
    return;
  }
  unlink(block);
  --b.valid;
  b.changed_at = clock;
  link(block);
  ++planes_[plane_of(block)].garbage;
}

void TranslationBlocks::link(std::uint32_t block) {
  Block& b = blocks_[block];
  std::uint32_t& first = rings_[std::size_t{plane_of(block)} * (data_pages_ + 1) + b.valid];
  if (first == none) {
    first = b.next = b.prev = block;
    return;
  }
  b.next = first;
  b.prev = blocks_[first].prev;
  blocks_[b.prev].next = blocks_[first].prev = block;
}

void TranslationBlocks::unlink(std::uint32_t block) {
  const Block& b = blocks_[block];
  std::uint32_t& first = rings_[std::size_t{plane_of(block)} * (data_pages_ + 1) + b.valid];
  if (b.next == block) {
    first = none;
    return;
  }
  blocks_[b.prev].next = b.next;
  blocks_[b.next].prev = b.prev;
  if (first == block) first = b.next;
}

std::uint32_t TranslationBlocks::fewest_valid(std::uint32_t plane) const {
  const auto rings = rings_.begin() + static_cast<std::ptrdiff_t>(std::size_t{plane} * (data_pages_ + 1));
  const auto found =
      std::find_if(rings, rings + data_pages_, [](std::uint32_t first) { return first != none; });
  return found == rings + data_pages_ ? none : *found;
}

// cost_benefit compares (1 - u) * age / 2u, u being the valid share, as Rosenblum and Ousterhout weigh
// segments to clean.
bool TranslationBlocks::is_better(const Block& a, const Block& b, std::uint64_t clock) const {
  if (config_.garbage_policy == GarbagePolicy::oldest) return a.closed_at < b.closed_at;
  const auto gain = [&](const Block& x) {
    return static_cast<double>(data_pages_ - x.valid) * static_cast<double>(clock - x.changed_at + 1);
  };
  return gain(a) * b.valid > gain(b) * a.valid;
}

std::uint32_t TranslationBlocks::victim(std::uint32_t plane, std::uint64_t room, std::uint64_t clock) const {
  if (planes_[plane].garbage == 0) return none;
  const std::uint32_t least = fewest_valid(plane);
  if (least == none || blocks_[least].valid > room) return none;
  if (config_.garbage_policy == GarbagePolicy::greedy || blocks_[least].valid == 0) return least;
  std::uint32_t best = least;
  for (std::uint32_t block = plane * per_plane_; block < (plane + 1) * per_plane_; ++block) {
    const Block& b = blocks_[block];
    if (b.state != State::closed || b.valid == data_pages_ || b.valid > room) continue;
    if (is_better(b, blocks_[best], clock)) best = block;
  }
  return best;
}

std::uint32_t TranslationBlocks::resting_block(std::uint32_t worn) {
  const std::uint32_t plane_number = plane_of(worn);
  Plane& plane = planes_[plane_number];
  if (config_.static_wear_difference == 0 || blocks_[worn].erases < plane.level_at) return none;
  std::uint32_t least = none;
  for (std::uint32_t block = plane_number * per_plane_; block < (plane_number + 1) * per_plane_; ++block)
    if (blocks_[block].state == State::closed &&
        (least == none || blocks_[block].erases < blocks_[least].erases))
      least = block;
  if (least == none) return none;
  plane.level_at = std::uint64_t{blocks_[least].erases} + config_.static_wear_difference;
  return is_apart(least, worn) ? least : none;
}

}  // namespace asterism
