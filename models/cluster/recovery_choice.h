// Chooses the version that a cluster restores: the newest one for which every rank's state is held by the
// rank itself, by its buddy or by the global store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/copy_store.h"

namespace asterism {

// The data of a `restore` message: a byte of these flags for each rank.
namespace restore_flag {
constexpr std::byte lacks_state{1};   // the rank has no copy of its own state
constexpr std::byte lacks_copy{2};    // its buddy has no copy
constexpr std::byte from_storage{4};  // neither has: its state comes from the global store
}  // namespace restore_flag

struct RecoveryChoice {
  std::uint64_t version = 0;
  std::vector<std::byte> flags;  // by rank
};

// `rank_offers` is indexed by rank. nullopt if there is no such version.
std::optional<RecoveryChoice> choose_recovery(const std::vector<std::vector<Holding>>& rank_offers,
                                              const std::vector<Holding>& storage_offer);

// The reason why no version can be restored; it names the ranks of which no copy exists at all.
std::string why_not_recoverable(const std::vector<std::vector<Holding>>& rank_offers,
                                const std::vector<Holding>& storage_offer);

}  // namespace asterism
