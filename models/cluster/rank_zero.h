// The state that rank 0 keeps of all ranks in an epoch: which ranks are complete or ready, and which copies
// were offered.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster/recovery_choice.h"

namespace asterism {

class RankZero {
 public:
  // Begins a new epoch.
  void begin(Rank ranks, bool has_storage);

  // Each of these takes a rank's message and returns true at most once for a version: when it was the last
  // one missing. Only a mutant passes `missing`: the number of ranks that need not be complete.
  bool complete(Rank rank, std::uint64_t version, std::size_t missing = 0);
  // True once in an epoch, when all ranks and storage have offered.
  bool offered(Rank rank, std::vector<Holding> holdings);
  bool ready(Rank rank, std::uint64_t version);

  const std::vector<std::vector<Holding>>& rank_offers() const { return rank_offers_; }
  const std::vector<Holding>& storage_offer() const { return storage_offer_; }

 private:
  // The version that each rank has confirmed last.
  struct Votes {
    std::vector<std::optional<std::uint64_t>> of_rank;
    std::optional<std::uint64_t> decided;
    bool cast(Rank rank, std::uint64_t version, std::size_t missing);
  };

  Votes complete_, ready_;
  std::vector<std::vector<Holding>> rank_offers_;
  std::vector<Holding> storage_offer_;
  std::vector<bool> has_offered_;  // by rank; storage is the last entry
  bool all_offered_ = false;
};

}  // namespace asterism
