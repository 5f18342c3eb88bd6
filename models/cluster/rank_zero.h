// What rank 0 knows of all ranks in an epoch: who is complete, what is offered, who is ready.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster/recovery_choice.h"

namespace asterism {

class RankZero {
 public:
  // A new epoch.
  void begin(Rank ranks, bool has_storage);

  // The version is to be committed: all ranks but `missing` are complete, for the first time.
  bool complete(Rank rank, std::uint64_t version, std::size_t missing = 0);
  // All have offered, for the first time.
  bool offered(Rank rank, std::vector<Holding> holdings);
  bool ready(Rank rank, std::uint64_t version);

  const std::vector<std::vector<Holding>>& rank_offers() const { return rank_offers_; }
  const std::vector<Holding>& storage_offer() const { return storage_offer_; }

 private:
  // Each rank's word on a version.
  struct Votes {
    std::vector<std::optional<std::uint64_t>> of_rank;
    std::optional<std::uint64_t> decided;
    bool cast(Rank rank, std::uint64_t version, std::size_t missing);
  };

  Votes complete_, ready_;
  std::vector<std::vector<Holding>> rank_offers_;
  std::vector<Holding> storage_offer_;
  std::vector<bool> has_offered_;  // by rank, storage last
  bool all_offered_ = false;
};

}  // namespace asterism
