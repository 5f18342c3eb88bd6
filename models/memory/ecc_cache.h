// The ECC cache: holds blocks of third parity symbols near the controller, so that strong ECC does not double
// every access (abeyratne2017 section 4.4.2, after Virtual ECC). It is set-associative with LRU replacement
// and write-back. Only the tags are modelled, as the symbols follow from the data.
//
// reset: every kind empties the cache; only cold clears statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/reset.h"
#include "base/set_associative.h"
#include "base/statistics.h"
#include "base/units.h"
#include "memory/address_mapping.h"

namespace asterism {

class EccCache {
 public:
  // `size` is a multiple of ways * 64 bytes with a power of two of sets. 0: there is no cache, and every use
  // misses.
  EccCache(Bytes size, std::uint32_t ways);

  struct Use {
    bool hit;
    std::optional<BlockLocation> written_back;
  };
  // Reads or writes a parity block; a write makes it dirty. A miss fetches the block, and the evicted block
  // is written back if it is dirty. Without a cache a write is written back itself.
  Use use(const BlockLocation& parity_block, bool is_write);
  // Removes a block that turned out to be unusable, without writing it back.
  void drop(const BlockLocation& parity_block);

  void reset(Reset kind);
  void report(Statistics& statistics) const;

 private:
  using Tags = SetAssociative<std::uint64_t, 1, true>;  // with a flag for dirty blocks
  std::size_t set_of(const BlockLocation& block) const;

  Tags tags_;
  std::vector<BlockLocation> blocks_;  // by slot
  std::uint64_t uses_ = 0, hits_ = 0, misses_ = 0, write_backs_ = 0;
};

}  // namespace asterism
