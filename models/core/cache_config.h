// The caches of a node's cores: for each core an L1 for data and, where it is modelled, one for instructions;
// an L2 for each group of neighbouring cores; and a last level for all, where the node has one.
//
//   "caches": {
//     "model": "tags",
//     "l1d": { "size": "64KiB", "ways": 4, "latency": "1.6ns" },
//     "l2": { "size": "1MiB", "ways": 8, "latency": "5.4ns", "cores": 1 },
//     "llc": { "size": "32MiB", "ways": 16, "latency": "28.8ns", "inclusion": "exclusive" }
//   }
//
// Source of the defaults: abeyratne2017 Table 5.1 (L1 data 32 KiB, 2 ways; L2 2 MiB, 8 ways; 64-byte lines),
// which has one core at 3 GHz. Its latencies are not published: 4 and 16 cycles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/enum_names.h"
#include "base/set_associative.h"
#include "base/units.h"

namespace asterism {

class Fields;

enum class CacheModel { none, tags, checked };
constexpr auto enum_names(CacheModel) {
  return std::to_array<EnumName<CacheModel>>(
      {{CacheModel::none, "none", "no caches: loads and stores go to memory, and their time is part of cpi"},
       {CacheModel::tags, "tags", "caches as tags: memory gets their fills and write-backs"},
       {CacheModel::checked, "checked",
        "the same, beside a second set of tags that sees every access; a difference is an internal error, "
        "and "
        "the simulator is slow"}});
}

// What a cache does with the lines of the caches in front of it.
enum class Inclusion { none, inclusive, exclusive };
constexpr auto enum_names(Inclusion) {
  return std::to_array<EnumName<Inclusion>>(
      {{Inclusion::none, "none", "evicts a line alone, whether or not those caches have it"},
       {Inclusion::inclusive, "inclusive", "has all of them: a line that it evicts leaves those caches, too"},
       {Inclusion::exclusive, "exclusive", "gets what those caches evict, and gives a line back to them"}});
}

enum class WritePolicy { back, through };
constexpr auto enum_names(WritePolicy) {
  return std::to_array<EnumName<WritePolicy>>(
      {{WritePolicy::back, "back", "a store makes its line dirty, which is written when it is evicted"},
       {WritePolicy::through, "through",
        "a store is also made in the next cache, and does not fill a line that is not there"}});
}

constexpr Bytes cache_line{64};

struct L1Config {
  Bytes size = 32_KiB;
  std::uint32_t ways = 2;
  Picoseconds latency{1333};
  Replacement replacement = Replacement::lru;
  WritePolicy write = WritePolicy::back;
};
void describe(Fields& f, L1Config& config);

struct SharedCacheConfig {
  Bytes size = 2_MiB;
  std::uint32_t ways = 8;
  Picoseconds latency{5333};
  Replacement replacement = Replacement::lru;
  Inclusion inclusion = Inclusion::none;
  std::uint32_t cores = 0;  // that share one; 0: all
};
void describe(Fields& f, SharedCacheConfig& config);

// Lines that the L2 gets before a core's L1 for data asks for them (stride_prefetcher.h).
struct PrefetchConfig {
  std::uint32_t streams = 16;   // of a core
  std::uint32_t distance = 16;  // strides
  std::uint32_t buffers = 32;   // of an L2
};
void describe(Fields& f, PrefetchConfig& config);

// The translations of a core's loads and stores that take no time.
struct TlbConfig {
  std::uint32_t entries = 512;
  std::uint32_t ways = 4;
  Picoseconds walk = 20_ns;
};
void describe(Fields& f, TlbConfig& config);

struct CachesConfig {
  CacheModel model = CacheModel::none;
  L1Config l1d = {};
  std::optional<L1Config> l1i = {};
  std::optional<SharedCacheConfig> l2 = SharedCacheConfig{};
  std::optional<SharedCacheConfig> llc = {};
  std::optional<PrefetchConfig> prefetch = {};
  std::optional<TlbConfig> tlb = {};
  Picoseconds snoop = 4_ns;  // for what another core's caches have
};
void describe(Fields& f, CachesConfig& config);

}  // namespace asterism
