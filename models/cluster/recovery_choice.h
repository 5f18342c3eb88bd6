// Which version a cluster goes back to: the newest of which every rank's state is held by itself, by its buddy or by the global
// store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/copy_store.h"

namespace asterism {

// The data of `restore`, a byte a rank.
namespace restore_flag {
constexpr std::byte lacks_state{1};  // the rank has no copy of its own
constexpr std::byte lacks_copy{2};   // its buddy has none
constexpr std::byte from_storage{4};
}  // namespace restore_flag

struct RecoveryChoice {
  std::uint64_t version = 0;
  std::vector<std::byte> flags;  // by rank
};

// What each rank has offered, by rank, and storage. nullopt: there is no such version.
std::optional<RecoveryChoice> choose_recovery(const std::vector<std::vector<Holding>>& rank_offers,
                                              const std::vector<Holding>& storage_offer);

// Why there is none: the ranks of which there is no copy at all.
std::string why_not_recoverable(const std::vector<std::vector<Holding>>& rank_offers,
                                const std::vector<Holding>& storage_offer);

}  // namespace asterism
