// The data caches of a node's cores as tags: which lines of 64 bytes each holds, and which of them are dirty. Memory holds the
// data, so that a cache changes what the memory controller sees and when, and nothing else.
//
// Every core has an L1, all share an L2. Both allocate on loads and stores, write back, and drop what was used longest ago. A
// line is dirty in one cache at most. One that is dirty in an L1 is in no other L1; a core that loads it makes it clean there
// and dirty in the L2. Neither level includes the other.
//
//   TagCaches caches{config, cores};
//   const TagCaches::Traffic traffic = caches.access(core, address, is_store);   what goes to and from memory for that
//   for (Address line : caches.flush()) ...                                     all dirty lines are clean now
//
// reset: every kind empties all; statistics stay but for cold.
//
// Source: abeyratne2017 Table 5.1 (L1 data 32 KiB, 2 ways; L2 2 MiB, 8 ways; 64-byte lines), which has one core. The latency of
// the L2 is not published: 12 cycles at its 3 GHz.
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/enum_names.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "core/core_counts.h"

namespace asterism {

class Fields;

enum class CacheModel { none, tags };
constexpr auto enum_names(CacheModel) {
  return std::to_array<EnumName<CacheModel>>(
      {{CacheModel::none, "none", "loads and stores go to memory, and cpi stands for all"},
       {CacheModel::tags, "tags", "an L1 for the data of each core and an L2 of all, in front of memory"}});
}

struct TagCacheConfig {
  CacheModel model = CacheModel::none;
  Bytes l1 = 32_KiB;
  std::uint32_t l1_ways = 2;
  Bytes l2 = 2_MiB;
  std::uint32_t l2_ways = 8;
  Picoseconds l2_latency = 4_ns;
};
void describe(Fields& f, TagCacheConfig& config);

// One cache. Lines are numbers: addresses / 64.
class TagCache {
 public:
  static constexpr Bytes line{64};
  struct Line {
    std::uint64_t number = 0, used = 0;
    bool valid = false, dirty = false;
  };

  // A power of two of sets.
  TagCache(Bytes size, std::uint32_t ways);

  Line* find(std::uint64_t number) {
    Line* const set = set_of(number);
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (set[way].number == number && set[way].valid) return set + way;
    return nullptr;
  }
  void use(Line& found) { found.used = ++uses_; }
  // Puts a line in that is not there; what it displaces, if that was dirty.
  std::optional<std::uint64_t> insert(std::uint64_t number, bool dirty);
  std::span<Line> lines() { return lines_; }
  void clear();

 private:
  Line* set_of(std::uint64_t number) { return lines_.data() + (number & set_mask_) * ways_; }

  std::uint32_t ways_;
  std::uint64_t set_mask_;
  std::vector<Line> lines_;
  std::uint64_t uses_ = 0;
};

class TagCaches {
 public:
  enum class Level : std::uint8_t { l1, l2, memory };
  struct Traffic {
    Level found;  // in which level; memory: the line is filled from there
    boost::container::static_vector<Address, 2> written_back;
  };

  TagCaches(const TagCacheConfig& config, unsigned cores);

  // A load or store within one line.
  Traffic access(unsigned core, Address address, bool is_store);
  // The same where it is a hit in the L1 that changes no other cache; else nothing happens, and it is false.
  bool hit(unsigned core, Address address, bool is_store);
  // The dirty lines, ascending, each once.
  std::vector<Address> dirty();
  // These lines are clean now.
  void clean(std::span<const Address> lines);
  // Memory was written by somebody else: what is cached of it goes, dirty or not.
  void drop(AddressRange range);

  void reset(Reset kind);
  void report(Statistics& statistics) const;
  // What the loads and stores of one core have made: its accesses of the L2 are its misses in its L1; what displaces a line
  // writes it back.
  const CacheCounts& counts(unsigned core) const { return of_core_[core]; }

 private:
  void write_to_l2(std::uint64_t number, Traffic& traffic);
  void take_from_others(unsigned core, std::uint64_t number, bool is_store, Traffic& traffic);
  void evict(std::optional<std::uint64_t> number, Traffic& traffic);
  template <class F>
  void for_caches(F f);

  std::vector<TagCache> l1_;
  TagCache l2_;
  struct Counts {
    std::uint64_t l1_hits = 0, l1_misses = 0, l2_hits = 0, l2_misses = 0, write_backs = 0, flushed = 0,
                  dropped = 0;
  };
  Counts counts_;
  std::vector<CacheCounts> of_core_;
};

inline bool TagCaches::hit(unsigned core, Address address, bool is_store) {
  TagCache::Line* line = l1_[core].find(address.value() / TagCache::line.count());
  if (!line || (is_store && !line->dirty)) return false;
  ++counts_.l1_hits;
  ++of_core_[core].l1_accesses;
  l1_[core].use(*line);
  return true;
}

}  // namespace asterism
