#include "cluster/recovery_choice.h"

#include <algorithm>
#include <functional>
#include <set>

namespace asterism {

namespace {

bool has(const std::vector<Holding>& holdings, Rank owner, std::uint64_t version) {
  return std::ranges::find(holdings, Holding{owner, version}) != holdings.end();
}

bool has_any(const std::vector<Holding>& holdings, Rank owner) {
  return std::ranges::any_of(holdings, [&](const Holding& h) { return h.owner == owner; });
}

// The flags for this version; empty if the state of some rank is held nowhere.
std::vector<std::byte> flags_of(const std::vector<std::vector<Holding>>& rank_offers,
                                const std::vector<Holding>& storage_offer, std::uint64_t version) {
  std::vector<std::byte> flags;
  for (Rank rank = 0; rank < rank_offers.size(); ++rank) {
    const bool itself = has(rank_offers[rank], rank, version);
    const bool buddy = has(rank_offers[(rank + 1) % rank_offers.size()], rank, version);
    if (!itself && !buddy && !has(storage_offer, rank, version)) return {};
    std::byte flag{};
    if (!itself) flag |= restore_flag::lacks_state;
    if (!buddy) flag |= restore_flag::lacks_copy;
    if (!itself && !buddy) flag |= restore_flag::from_storage;
    flags.push_back(flag);
  }
  return flags;
}

}  // namespace

std::optional<RecoveryChoice> choose_recovery(const std::vector<std::vector<Holding>>& rank_offers,
                                              const std::vector<Holding>& storage_offer) {
  std::set<std::uint64_t, std::greater<>> versions;
  for (const auto& holdings : rank_offers)
    for (const Holding& holding : holdings) versions.insert(holding.version);
  for (const Holding& holding : storage_offer) versions.insert(holding.version);
  for (const std::uint64_t version : versions)
    if (auto flags = flags_of(rank_offers, storage_offer, version); !flags.empty())
      return RecoveryChoice{version, std::move(flags)};
  return std::nullopt;
}

std::string why_not_recoverable(const std::vector<std::vector<Holding>>& rank_offers,
                                const std::vector<Holding>& storage_offer) {
  std::string without;
  for (Rank rank = 0; rank < rank_offers.size(); ++rank)
    if (!has_any(rank_offers[rank], rank) && !has_any(rank_offers[(rank + 1) % rank_offers.size()], rank) &&
        !has_any(storage_offer, rank))
      without += (without.empty() ? "" : ", ") + std::to_string(rank);
  return "no checkpoint is left of every rank" + (without.empty() ? "" : ": none at all of rank " + without);
}

}  // namespace asterism
