#include "memory/block_set.h"

#include <algorithm>

namespace asterism {

std::optional<std::uint64_t> BlockSet::next(std::uint64_t block) const {
  const auto range = ranges_.lower_bound(Range(block, block + 1));  // the first that does not end before
  if (range == ranges_.end()) return std::nullopt;
  return std::max(block, range->lower());
}

std::optional<std::uint64_t> BlockSet::previous(std::uint64_t block) const {
  const auto range = ranges_.upper_bound(Range(block, block + 1));  // the first that begins behind
  if (range == ranges_.begin()) return std::nullopt;
  return std::min(block, std::prev(range)->upper() - 1);
}

std::uint64_t BlockSet::next_outside(std::uint64_t block) const {
  const auto range = ranges_.find(block);
  return range == ranges_.end() ? block : range->upper();
}

std::optional<std::uint64_t> BlockSet::previous_outside(std::uint64_t block) const {
  const auto range = ranges_.find(block);
  if (range == ranges_.end()) return block;
  return range->lower() == 0 ? std::nullopt : std::optional(range->lower() - 1);
}

bool BlockPieces::complete(std::uint64_t block, unsigned first, unsigned count) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  const std::uint64_t piece = count == 64 ? all : ((std::uint64_t{1} << count) - 1) << first;
  if (piece != all) {
    std::uint64_t& written = written_[block];
    written |= piece;
    if (written != all) return false;
  }
  written_.erase(block);
  return true;
}

}  // namespace asterism
