#include "memory/ecc_cache.h"

#include <algorithm>

namespace asterism {

EccCache::EccCache(Bytes size, std::uint32_t ways) : ways_(ways), lines_(size / 64_B) {}

// The parity blocks of neighbouring data are in neighbouring columns, then banks, then ranks: an index that
// keeps those apart spreads a sweep over all sets.
std::span<EccCache::Line> EccCache::set_of(const BlockLocation& block) {
  const std::uint64_t sets = lines_.size() / ways_;
  const std::uint64_t sum =
      block.column + 8 * (block.bank + 8 * (std::uint64_t{block.rank} + 2 * std::uint64_t{block.channel})) +
      sets / 2 * block.row;
  return std::span(lines_).subspan((sum & (sets - 1)) * ways_, ways_);
}

EccCache::Use EccCache::use(const BlockLocation& parity_block, bool is_write) {
  ++uses_;
  if (lines_.empty()) {
    ++misses_;
    return {false, is_write ? std::optional(parity_block) : std::nullopt};
  }
  const std::span<Line> set = set_of(parity_block);
  Line* line = find(set, parity_block);
  Use use{line != nullptr, std::nullopt};
  if (line) {
    ++hits_;
  } else {
    ++misses_;
    // An invalid line was never used: its 0 is less than any other number.
    line = &*std::min_element(set.begin(), set.end(),
                              [](const Line& a, const Line& b) { return a.used < b.used; });
    if (line->valid && line->dirty) {
      use.written_back = line->block;
      ++write_backs_;
    }
    *line = {parity_block, true, false, 0};
  }
  line->used = uses_;
  line->dirty = line->dirty || is_write;
  return use;
}

void EccCache::drop(const BlockLocation& parity_block) {
  if (lines_.empty()) return;
  if (Line* line = find(set_of(parity_block), parity_block)) *line = {};
}

EccCache::Line* EccCache::find(std::span<Line> set, const BlockLocation& block) {
  const auto line = std::find_if(set.begin(), set.end(), [&](const Line& candidate) {
    return candidate.valid && candidate.block == block;
  });
  return line == set.end() ? nullptr : &*line;
}

void EccCache::reset(Reset kind) {
  std::fill(lines_.begin(), lines_.end(), Line{});
  if (kind == Reset::cold) uses_ = hits_ = misses_ = write_backs_ = 0;
}

void EccCache::report(Statistics& statistics) const {
  statistics.add("uses", uses_);
  statistics.add("hits", hits_);
  statistics.add("misses", misses_);
  statistics.add("write_backs", write_backs_);
}

}  // namespace asterism
