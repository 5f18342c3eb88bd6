// The blocks of a translation layer: whether they are erased, being filled, full or bad, the number of their
// valid pages, and which one to collect next. Pure bookkeeping, without time or flash operations.
//
// A block is identified by its number in the whole array, with the plane most significant; `none` is no
// block.
//
//   erased -> open -> closed -> collected -> erased        and from open, closed or collected:  failed -> bad
//
// Cost: all operations are O(1) or O(log blocks) of a heap, except once per collection: O(pages of a block)
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
    std::uint32_t valid = 0;    // pages in the mapping
    std::uint32_t fill = 0;     // pages allocated
    std::uint32_t pending = 0;  // programs under way
    std::uint32_t erases = 0;
    std::uint32_t next = 0, prev = 0;  // ring of closed blocks with as many valid pages
    std::uint64_t closed_at = 0;       // on the clock of write sequence numbers
    std::uint64_t changed_at = 0;      // when one of its pages last became invalid
  };

  // `data_pages` is the number of pages per block that can hold data.
  TranslationBlocks(const TranslationConfig& config, const FlashGeometry& geometry, std::uint32_t data_pages);

  // Resets all blocks to unknown.
  void clear();

  const Block& operator[](std::uint32_t block) const { return blocks_[block]; }
  Block& operator[](std::uint32_t block) { return blocks_[block]; }
  std::uint32_t plane_of(std::uint32_t block) const { return block / plane_divisor_; }

  std::uint32_t erased_blocks(std::uint32_t plane) const {
    return static_cast<std::uint32_t>(planes_[plane].erased.size());
  }
  // The number of blocks that are neither bad nor failed.
  std::uint32_t good_blocks(std::uint32_t plane) const { return planes_[plane].good; }
  // The number of invalid pages in closed blocks.
  std::uint64_t garbage(std::uint32_t plane) const { return planes_[plane].garbage; }
  // A block that has failed and has no program under way; `none` if there is none.
  std::uint32_t failed_block(std::uint32_t plane) const {
    return planes_[plane].failed.empty() ? none : idle_failed_block(plane);
  }

  // Registers a block after clear().
  void found(std::uint32_t block, State state, std::uint32_t erases);

  void add_erased(std::uint32_t block);
  // Opens the next block to fill; with `max_worn` the most worn one, for cold data. There must be an erased
  // block.
  std::uint32_t open(std::uint32_t plane, bool max_worn);
  void close(std::uint32_t block, std::uint64_t clock);
  // Selects a closed or failed block for collection; put_back() undoes it.
  void collect(std::uint32_t block);
  void put_back(std::uint32_t block, std::uint64_t clock);
  void fail(std::uint32_t block);
  void retire(std::uint32_t block);  // the block is bad from now on

  void add_valid(std::uint32_t block) { ++blocks_[block].valid; }
  void take_valid(std::uint32_t block, std::uint64_t clock);

  // The block to collect by the policy, among the closed blocks with garbage and at most `room` valid pages;
  // `none` if there is none.
  std::uint32_t victim(std::uint32_t plane, std::uint64_t room, std::uint64_t clock) const;
  // Whether the wear of a block with cold data and of one just erased differ by static wear levelling's
  // limit.
  bool is_apart(std::uint32_t resting, std::uint32_t worn) const {
    return config_.static_wear_difference != 0 &&
           blocks_[worn].erases >= std::uint64_t{blocks_[resting].erases} + config_.static_wear_difference;
  }
  // The block whose data static wear levelling should move to this one, which was just erased; `none` if
  // none.
  std::uint32_t resting_block(std::uint32_t worn);

 private:
  struct Plane {
    std::vector<std::uint32_t> erased;  // a heap with the next block to fill first
    std::vector<std::uint32_t> failed;
    std::uint32_t good = 0;
    std::uint64_t garbage = 0;
    std::uint64_t level_at = 0;  // erase count from which a search for cold data may succeed
  };

  std::uint32_t idle_failed_block(std::uint32_t plane) const;
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
  // For each plane and number of valid pages: the block that has been in the ring longest.
  std::vector<std::uint32_t> rings_;
};

}  // namespace asterism
