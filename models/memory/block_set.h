// Sets of block numbers whose cost grows with the number of ranges, not of blocks: blocks are mostly written
// and lost in sweeps.
#pragma once

#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace asterism {

class BlockSet {
 public:
  bool empty() const { return ranges_.empty(); }
  std::uint64_t size() const { return ranges_.size(); }
  bool contains(std::uint64_t block) const { return ranges_.find(block) != ranges_.end(); }
  void insert(std::uint64_t block) { ranges_.insert(Range(block, block + 1)); }
  void erase(std::uint64_t block) { ranges_.erase(Range(block, block + 1)); }

  // The first block of the set from `block` on; the last one up to `block`.
  std::optional<std::uint64_t> next(std::uint64_t block) const;
  std::optional<std::uint64_t> previous(std::uint64_t block) const;
  // The first block from `block` on that is not in the set; the last one up to `block`.
  std::uint64_t next_outside(std::uint64_t block) const;
  std::optional<std::uint64_t> previous_outside(std::uint64_t block) const;

 private:
  using Range = boost::icl::right_open_interval<std::uint64_t>;
  boost::icl::interval_set<std::uint64_t, std::less, Range> ranges_;
};

// The bytes that were written of blocks that are partly written.
class BlockPieces {
 public:
  // Records a write of bytes [first, first + count) of the block. Returns true, and forgets the block, if all
  // 64 bytes are written now.
  bool complete(std::uint64_t block, unsigned first, unsigned count);

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> written_;  // one bit per byte
};

}  // namespace asterism
