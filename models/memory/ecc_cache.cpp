#include "memory/ecc_cache.h"

namespace asterism {

namespace {

// Different for each block: no part has more bits in any DRAM (dram_config.h, dram_part.h).
std::uint64_t tag_of(const BlockLocation& block) {
  std::uint64_t tag = block.channel;
  tag = tag << 4 | block.rank;
  tag = tag << 6 | block.bank;
  tag = tag << 28 | block.row;
  tag = tag << 12 | block.column;
  return tag << 1;
}

}  // namespace

EccCache::EccCache(Bytes size, std::uint32_t ways)
    : tags_(size / (64_B * ways), ways), blocks_(tags_.slots()) {}

// The parity blocks of neighbouring data are in neighbouring columns, then banks, then ranks: an index that
// keeps those apart spreads a sweep over all sets.
std::size_t EccCache::set_of(const BlockLocation& block) const {
  const std::size_t sets = tags_.sets();
  const std::uint64_t sum =
      block.column + 8 * (block.bank + 8 * (std::uint64_t{block.rank} + 2 * std::uint64_t{block.channel})) +
      sets / 2 * block.row;
  return sum & (sets - 1);
}

EccCache::Use EccCache::use(const BlockLocation& parity_block, bool is_write) {
  ++uses_;
  if (tags_.sets() == 0) {
    ++misses_;
    return {false, is_write ? std::optional(parity_block) : std::nullopt};
  }
  const std::size_t set = set_of(parity_block);
  std::size_t slot = tags_.find_and_use(set, tag_of(parity_block));
  Use use{slot != Tags::no_slot, std::nullopt};
  ++(use.hit ? hits_ : misses_);
  if (!use.hit) {
    slot = tags_.victim(set);
    if (tags_.flags(slot) != 0) {
      use.written_back = blocks_[slot];
      ++write_backs_;
    }
    tags_.replace(slot, tag_of(parity_block));
    blocks_[slot] = parity_block;
  }
  if (is_write) tags_.set_flags(slot, 1);
  return use;
}

void EccCache::drop(const BlockLocation& parity_block) {
  if (tags_.sets() == 0) return;
  const std::size_t slot = tags_.find(set_of(parity_block), tag_of(parity_block));
  if (slot != Tags::no_slot) tags_.drop(slot);
}

void EccCache::reset(Reset kind) {
  tags_.clear();
  if (kind == Reset::cold) uses_ = hits_ = misses_ = write_backs_ = 0;
}

void EccCache::report(Statistics& statistics) const {
  statistics.add("uses", uses_);
  statistics.add("hits", hits_);
  statistics.add("misses", misses_);
  statistics.add("write_backs", write_backs_);
}

}  // namespace asterism
