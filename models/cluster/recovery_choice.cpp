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

// Empty: some rank's state is nowhere.
std::vector<std::byte> flags_of(const std::vector<std::vector<Holding>>& of_ranks,
                                const std::vector<Holding>& of_storage, std::uint64_t version) {
  std::vector<std::byte> flags;
  for (Rank rank = 0; rank < of_ranks.size(); ++rank) {
    const bool itself = has(of_ranks[rank], rank, version);
    const bool buddy = has(of_ranks[(rank + 1) % of_ranks.size()], rank, version);
    if (!itself && !buddy && !has(of_storage, rank, version)) return {};
    std::byte flag{};
    if (!itself) flag |= restore_flag::lacks_state;
    if (!buddy) flag |= restore_flag::lacks_copy;
    if (!itself && !buddy) flag |= restore_flag::from_storage;
    flags.push_back(flag);
  }
  return flags;
}

}  // namespace

std::optional<RecoveryChoice> choose_recovery(const std::vector<std::vector<Holding>>& of_ranks,
                                              const std::vector<Holding>& of_storage) {
  std::set<std::uint64_t, std::greater<>> versions;
  for (const auto& holdings : of_ranks)
    for (const Holding& holding : holdings) versions.insert(holding.version);
  for (const Holding& holding : of_storage) versions.insert(holding.version);
  for (const std::uint64_t version : versions)
    if (auto flags = flags_of(of_ranks, of_storage, version); !flags.empty())
      return RecoveryChoice{version, std::move(flags)};
  return std::nullopt;
}

std::string why_not_recoverable(const std::vector<std::vector<Holding>>& of_ranks,
                                const std::vector<Holding>& of_storage) {
  std::string without;
  for (Rank rank = 0; rank < of_ranks.size(); ++rank)
    if (!has_any(of_ranks[rank], rank) && !has_any(of_ranks[(rank + 1) % of_ranks.size()], rank) &&
        !has_any(of_storage, rank))
      without += (without.empty() ? "" : ", ") + std::to_string(rank);
  return "no checkpoint is left of every rank" + (without.empty() ? "" : ": none at all of rank " + without);
}

}  // namespace asterism
