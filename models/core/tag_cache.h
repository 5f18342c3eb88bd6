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
// for this, a line becomes contended when a core takes it from the L1 of a core that is ahead of it in time:
// if the other core has made n accesses after the present time (as many as an even rate since it got the line
// gives), the next n accesses of the taking core before the other's time count as taken from the other L1,
// too.
//
// Speed. The engine of a core makes most of its hits by itself, in the core's filter (line_filter.h), and
// calls access() for the rest; all counts are as if it had called it every time.
//
// reset: every kind empties all caches; a cold reset clears the statistics, too.
//
// Source: abeyratne2017 Table 5.1 (L1 data 32 KiB, 2 ways; L2 2 MiB, 8 ways; 64-byte lines), which has one
// core. The latency of the L2 is not published: 12 cycles at its 3 GHz.
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/enum_names.h"
#include "base/reset.h"
#include "base/set_associative.h"
#include "base/statistics.h"
#include "base/units.h"
#include "core/cache_maintenance.h"
#include "core/core_counts.h"
#include "core/line_filter.h"

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
  static constexpr std::size_t no_slot = SetAssociative<std::uint64_t>::no_slot;

  // The number of sets is a power of two; at most 16 ways.
  TagCache(Bytes size, std::uint32_t ways);

  std::uint32_t set_of(std::uint64_t number) const { return static_cast<std::uint32_t>(number & set_mask_); }
  std::size_t find(std::uint64_t number) const { return tags_.find(number & set_mask_, tag_of(number)); }
  std::uint64_t number(std::size_t slot) const { return tags_.tag(slot) / line.count(); }
  bool is_present(std::size_t slot) const { return tags_.is_present(slot); }
  bool is_dirty(std::size_t slot) const { return tags_.flags(slot) != 0; }
  // Returns whether it was dirty.
  bool clean(std::size_t slot) {
    const bool was_dirty = is_dirty(slot);
    tags_.clear_flags(slot, 1);
    return was_dirty;
  }
  void dirty(std::size_t slot) { tags_.set_flags(slot, 1); }
  void use(std::size_t slot) { tags_.use(slot); }
  std::size_t newest(std::uint32_t set) const { return tags_.newest(set); }
  // Inserts a line that is not present, and makes it the last one used.
  struct Inserted {
    std::size_t slot;
    std::optional<std::uint64_t> displaced;  // a dirty line
  };
  Inserted insert(std::uint64_t number, bool is_dirty);
  void drop(std::size_t slot) { tags_.drop(slot); }
  std::size_t slot_at(std::size_t set, std::uint32_t way) const {
    return tags_.slot_at(set & set_mask_, way);
  }
  std::size_t sets() const { return tags_.sets(); }
  std::size_t slots() const { return tags_.slots(); }
  void clear() { tags_.clear(); }

 private:
  static std::uint64_t tag_of(std::uint64_t number) { return number * line.count(); }

  std::uint64_t set_mask_;
  SetAssociative<std::uint64_t, 6> tags_;  // addresses, with a flag for dirty lines
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
    LinePermission filter = {};  // whether the engine may filter further accesses to the line
    bool is_none() const { return found == Level::l1 && written_back.empty() && l2_accesses == 0; }
  };

  TagCaches(const TagCacheConfig& config, unsigned cores);

  // The time of a core, which may be ahead of the one that accesses. Without it, that of its last access.
  std::function<Picoseconds(unsigned core)> time_of;

  // A load or store within one line.
  Traffic access(unsigned core, Address address, bool is_store, Picoseconds now = {});
  LineFilter& filter(unsigned core) { return *filters_[core]; }
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
  CacheCounts counts(unsigned core) const;
  const LineCounts& line_counts(unsigned core) const { return lines_of_core_[core]; }

 private:
  // How a core has used a line of its L1 since it was filled.
  struct Use {
    std::uint64_t count = 0;
    Picoseconds first{};
    // The next `contended` accesses of the core before this time count as taken from another L1.
    Picoseconds contended_until{};
    std::uint64_t contended = 0;
  };
  // The state of a line in other L1s.
  struct Others {
    bool had_it = false;
    std::uint64_t contended = 0;
    Picoseconds contended_until{};
  };
  void count_filtered_hits(unsigned core, std::uint32_t set);
  Picoseconds time(unsigned core) const { return time_of ? time_of(core) : last_access_[core]; }
  bool find_contended(unsigned core, Use& use, Picoseconds now, Traffic& traffic);
  std::size_t fill(unsigned core, std::uint64_t number, Traffic& traffic);
  void write_to_l2(std::uint64_t number, Traffic& traffic);
  Others take_from_others(unsigned core, std::uint64_t number, bool is_store, Picoseconds now,
                          Traffic& traffic);
  void maintain_by_address(unsigned core, CacheMaintenance::Kind kind, std::uint64_t number,
                           Traffic& traffic);
  void maintain_by_set(unsigned core, const CacheMaintenance& what, Traffic& traffic);
  void evict(std::optional<std::uint64_t> number, Traffic& traffic);
  template <class F>
  void for_caches_with(std::uint64_t number, F f);

  std::vector<TagCache> l1_;
  std::vector<std::vector<Use>> uses_;  // of each L1, by slot
  std::vector<std::unique_ptr<LineFilter>> filters_;
  std::vector<Picoseconds> last_access_;
  TagCache l2_;
  struct Counts {
    std::uint64_t l1_hits = 0, l1_misses = 0, l2_hits = 0, l2_misses = 0, write_backs = 0, flushed = 0,
                  dropped = 0;
  };
  Counts counts_;
  std::vector<CacheCounts> of_core_;
  std::vector<LineCounts> lines_of_core_;
};

}  // namespace asterism
