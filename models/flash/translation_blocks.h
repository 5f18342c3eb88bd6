// The blocks of a translation layer: which are erased, being filled, full or bad, how many of their pages are
// valid, and which one to collect next. Bookkeeping alone: no time, no flash operation.
//
// A block is named by its number over the whole array, plane first in significance; `none` is no block.
//
//   erased -> open -> closed -> collected -> erased        and from open, closed or collected:  failed -> bad
//
// Cost: all is O(1) or a heap's O(log blocks), but for what is done once per collection: O(pages of a block)
// with the greedy policy, O(blocks of a plane) with the others.
#pragma once

#include <cstdint>
#include <vector>

#include "flash/divisor.h"
#include "flash/flash_config.h"
#include "flash/translation_config.h"

namespace asterism {

class TranslationBlocks {
 public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  enum class State : std::uint8_t { unknown, erased, open, closed, collected, failed, bad };

  struct Block {
    State state = State::unknown;
    bool has_failed = false;
    std::uint32_t valid = 0;    // pages that the mapping names
    std::uint32_t fill = 0;     // pages given out
    std::uint32_t pending = 0;  // programs under way
    std::uint32_t erases = 0;
    std::uint32_t next = 0, prev = 0;  // ring of closed blocks with as many valid pages
    std::uint64_t closed_at = 0;       // on the clock of write sequence numbers
    std::uint64_t changed_at = 0;      // when a page of it was last made invalid
  };

  // `data_pages` of a block's pages can hold data.
  TranslationBlocks(const TranslationConfig& config, const FlashGeometry& geometry, std::uint32_t data_pages);

  // Forgets all.
  void clear();

  const Block& operator[](std::uint32_t block) const { return blocks_[block]; }
  Block& operator[](std::uint32_t block) { return blocks_[block]; }
  std::uint32_t plane_of(std::uint32_t block) const { return block / plane_divisor_; }

  std::uint32_t erased_blocks(std::uint32_t plane) const {
    return static_cast<std::uint32_t>(planes_[plane].erased.size());
  }
  // Neither bad nor failed.
  std::uint32_t good_blocks(std::uint32_t plane) const { return planes_[plane].good; }
  // Pages of closed blocks that hold nothing valid.
  std::uint64_t garbage(std::uint32_t plane) const { return planes_[plane].garbage; }
  // A block that failed, with no program under way; `none` when there is none.
  std::uint32_t failed_block(std::uint32_t plane) const {
    return planes_[plane].failed.empty() ? none : settled_failed_block(plane);
  }

  // First sight of a block, after clear().
  void found(std::uint32_t block, State state, std::uint32_t erases);

  void add_erased(std::uint32_t block);
  // The next block to fill, open from now on; `max_worn` for data that rests. There must be an erased one.
  std::uint32_t open(std::uint32_t plane, bool max_worn);
  void close(std::uint32_t block, std::uint64_t clock);
  // Takes a closed or failed block out for collection; put_back() undoes it.
  void collect(std::uint32_t block);
  void put_back(std::uint32_t block, std::uint64_t clock);
  void fail(std::uint32_t block);
  void retire(std::uint32_t block);  // bad from now on

  void add_valid(std::uint32_t block) { ++blocks_[block].valid; }
  void take_valid(std::uint32_t block, std::uint64_t clock);

  // What to collect, by the policy, of the closed blocks that hold garbage and at most `room` valid pages;
  // `none` when there is none.
  std::uint32_t victim(std::uint32_t plane, std::uint64_t room, std::uint64_t clock) const;
  // By static wear levelling's measure; one whose data rests, and one just erased.
  bool is_apart(std::uint32_t resting, std::uint32_t worn) const {
    return config_.static_wear_difference != 0 &&
           blocks_[worn].erases >= std::uint64_t{blocks_[resting].erases} + config_.static_wear_difference;
  }
  // The block whose data should move to this one, just erased, by static wear levelling; `none` when none
  // should.
  std::uint32_t resting_block(std::uint32_t worn);

 private:
  struct Plane {
    std::vector<std::uint32_t> erased;  // heap, next to be filled first
    std::vector<std::uint32_t> failed;
    std::uint32_t good = 0;
    std::uint64_t garbage = 0;
    std::uint64_t level_at = 0;  // erase count from which on a look for resting data pays
  };

  std::uint32_t settled_failed_block(std::uint32_t plane) const;
  void link(std::uint32_t block);
  void unlink(std::uint32_t block);
  std::uint32_t fewest_valid(std::uint32_t plane) const;
  bool fills_later(std::uint32_t a, std::uint32_t b) const;
  bool is_better(const Block& a, const Block& b, std::uint64_t clock) const;

  TranslationConfig config_;
  std::uint32_t per_plane_;
  Divisor plane_divisor_;
  std::uint32_t data_pages_;
  std::vector<Block> blocks_;
  std::vector<Plane> planes_;
  // Of each plane, by valid pages: the block that has been in the ring longest.
  std::vector<std::uint32_t> rings_;
};

}  // namespace asterism
