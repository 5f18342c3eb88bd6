#include "cluster/rank_zero.h"

#include <algorithm>
#include <utility>

namespace asterism {

void RankZero::begin(Rank ranks, bool has_storage) {
  complete_ = ready_ = {std::vector<std::optional<std::uint64_t>>(ranks), std::nullopt};
  rank_offers_.assign(ranks, {});
  storage_offer_.clear();
  has_offered_.assign(ranks + 1, false);
  has_offered_[ranks] = !has_storage;
  all_offered_ = false;
}

bool RankZero::Votes::cast(Rank rank, std::uint64_t version, std::size_t missing) {
  if (rank >= of_rank.size()) return false;
  of_rank[rank] = version;
  const auto agreed =
      static_cast<std::size_t>(std::ranges::count(of_rank, std::optional<std::uint64_t>(version)));
  if (decided == version || agreed + missing < of_rank.size()) return false;
  decided = version;
  return true;
}

bool RankZero::complete(Rank rank, std::uint64_t version, std::size_t missing) {
  return complete_.cast(rank, version, missing);
}

bool RankZero::ready(Rank rank, std::uint64_t version) { return ready_.cast(rank, version, 0); }

bool RankZero::offered(Rank rank, std::vector<Holding> holdings) {
  const std::size_t ranks = rank_offers_.size(), index = rank == storage_rank ? ranks : rank;
  if (index > ranks || all_offered_) return false;
  (index == ranks ? storage_offer_ : rank_offers_[index]) = std::move(holdings);
  has_offered_[index] = true;
  all_offered_ = std::ranges::all_of(has_offered_, [](bool offered) { return offered; });
  return all_offered_;
}

}  // namespace asterism
