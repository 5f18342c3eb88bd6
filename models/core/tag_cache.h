// The data caches of a node's cores, as tags: which lines of 64 bytes each cache holds, and which of them are
// dirty. The data stay in memory, so that a cache only changes which accesses the memory controller gets, and
// when.
//
// Each core has an L1, and all share an L2. Both allocate on loads and stores, write back, and replace the
// least recently used line. A line is dirty in at most one cache. A line that is dirty in an L1 is in no
// other L1: when another core loads it, it becomes clean there and dirty in the L2; when another core stores
// to it, it moves there by way of the L2. Neither level includes the other.
//
//   TagCaches caches{config, cores};
//   const TagCaches::Traffic traffic = caches.access(core, address, is_store, now);
//
// Contention. Cores execute one after the other, each ahead of simulated time by its quantum. If two cores
// use one line at the same time, their accesses are therefore simulated as two long sequences, between which
// the line moves to another L1 once, while in a real machine it would move at almost every access. To account
// for this, a line becomes contended when a core takes it from the L1 of a core that has used it at later
// times: if the other core has made n accesses after the present time (as many as an even rate gives), the
// next n accesses of the taking core before the last of these times count as taken from the other L1, too.
//
// reset: every kind empties all caches; a cold reset clears the statistics, too.
//
// Source: abeyratne2017 Table 5.1 (L1 data 32 KiB, 2 ways; L2 2 MiB, 8 ways; 64-byte lines), which has one
// core. The latency of the L2 is not published: 12 cycles at its 3 GHz.
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
#include "core/cache_maintenance.h"
#include "core/core_counts.h"

namespace asterism {

class Fields;

enum class CacheModel { none, tags };
constexpr auto enum_names(CacheModel) {
  return std::to_array<EnumName<CacheModel>>(
      {{CacheModel::none, "none", "no caches: loads and stores go to memory, and their time is part of cpi"},
       {CacheModel::tags, "tags",
        "an L1 data cache for each core, and an L2 shared by all, in front of memory"}});
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

// One cache. A line has a number: its address / 64.
class TagCache {
 public:
  static constexpr Bytes line{64};
  struct Line {
    std::uint64_t number = 0, used = 0;
    bool valid = false, dirty = false;
    // In an L1, since the line was filled: how often the core has used it, and when for the first and the
    // last time.
    std::uint32_t uses = 0;
    Picoseconds first{}, last{};
    // The next `contended` accesses of the core before this time count as taken from another L1.
    Picoseconds contended_until{};
    std::uint64_t contended = 0;
  };

  // The number of sets is a power of two.
  TagCache(Bytes size, std::uint32_t ways);

  Line* find(std::uint64_t number) {
    Line* const set = set_of(number);
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (set[way].number == number && set[way].valid) return set + way;
    return nullptr;
  }
  void use(Line& found) { found.used = ++uses_; }
  // Inserts a line that is not present. Returns the evicted line, if that was dirty.
  std::optional<std::uint64_t> insert(std::uint64_t number, bool dirty);
  std::span<Line> lines() { return lines_; }
  Line& at(std::uint64_t set, std::uint32_t way) { return lines_[(set & set_mask_) * ways_ + way]; }
  void clear();

 private:
  Line* set_of(std::uint64_t number) { return lines_.data() + (number & set_mask_) * ways_; }

  std::uint32_t ways_;
  std::uint64_t set_mask_;
  std::vector<Line> lines_;
  std::uint64_t uses_ = 0;
};

// Counts of one core.
struct LineCounts {
  // Dirty lines taken from another core's L1, including those of contended accesses.
  std::uint64_t taken = 0;
  std::uint64_t invalidated = 0;  // lines in its L1, by stores of other cores
  std::uint64_t cleaned = 0;      // dirty lines, by its maintenance operations
  std::uint64_t dropped = 0;      // lines in all caches, by its maintenance operations
  std::uint64_t uncached = 0;     // accesses that bypassed the caches
  bool operator==(const LineCounts&) const = default;
};

class TagCaches {
 public:
  enum class Level : std::uint8_t { l1, l2, memory };
  struct Traffic {
    Level found;  // where the line was found; memory: it is filled from there
    boost::container::static_vector<Address, 2> written_back;
    // How often the core waits for the L2: for a line that it finds there, for a line that another L1 writes
    // there first, and for the invalidation of copies in other L1s.
    unsigned l2_accesses = 0;
  };

  TagCaches(const TagCacheConfig& config, unsigned cores);

  // A load or store within one line.
  Traffic access(unsigned core, Address address, bool is_store, Picoseconds now = {});
  // As access() for a hit in the L1 that changes no other cache. Otherwise returns false and changes nothing.
  bool hit(unsigned core, Address address, bool is_store, Picoseconds now = {});
  // An access that is not cached.
  void count_uncached(unsigned core) { ++lines_of_core_[core].uncached; }
  // Executes a maintenance operation: by address on all caches, by set on one level of the core. Returns the
  // lines to write back.
  boost::container::static_vector<Address, 2> maintain(unsigned core, const CacheMaintenance& what);
  // The dirty lines, ascending.
  std::vector<Address> dirty();
  // Makes these lines clean.
  void clean(std::span<const Address> lines);
  // Memory was written by another master: its lines are invalidated, dirty or not.
  void drop(AddressRange range);

  void reset(Reset kind);
  void report(Statistics& statistics) const;
  // What the loads and stores of one core have caused. Its L2 accesses are its L1 misses. A write-back counts
  // for the core whose access evicts the line.
  const CacheCounts& counts(unsigned core) const { return of_core_[core]; }
  const LineCounts& line_counts(unsigned core) const { return lines_of_core_[core]; }

 private:
  // The state of a line in other L1s.
  struct Others {
    bool had_it = false;
    std::uint64_t contended = 0;
    Picoseconds contended_until{};
  };
  bool find_contended(unsigned core, TagCache::Line& line, Picoseconds now, Traffic& traffic);
  void fill(unsigned core, std::uint64_t number, Traffic& traffic);
  void write_to_l2(std::uint64_t number, Traffic& traffic);
  Others take_from_others(unsigned core, std::uint64_t number, bool is_store, Picoseconds now,
                          Traffic& traffic);
  void maintain_by_address(unsigned core, CacheMaintenance::Kind kind, std::uint64_t number,
                           Traffic& traffic);
  void maintain_by_set(unsigned core, const CacheMaintenance& what, Traffic& traffic);
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
  std::vector<LineCounts> lines_of_core_;
};

inline bool TagCaches::hit(unsigned core, Address address, bool is_store, Picoseconds now) {
  TagCache::Line* line = l1_[core].find(address.value() / TagCache::line.count());
  if (!line || (is_store && !line->dirty) || line->contended != 0) return false;
  ++line->uses;
  line->last = now;
  ++counts_.l1_hits;
  ++of_core_[core].l1_accesses;
  l1_[core].use(*line);
  return true;
}

}  // namespace asterism
