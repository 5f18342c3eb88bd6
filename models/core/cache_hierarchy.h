// The caches of a node's cores, as tags: which lines of 64 bytes each cache holds, and which of them are
// dirty. The data stay in memory, so that caches only change which accesses memory gets, and when.
//
// Every core has an L1 for data and, where it is modelled, one for instructions. A cache has one next cache,
// which it shares with its neighbours or has for itself; the last one is in front of memory (cache_config.h).
// A line that misses is filled into each cache on its way from where it is found, except exclusive ones.
//
// Coherence. A dirty line is in one cache of the path of one core, and in no cache off that path. When
// another core loads it, it becomes clean there and dirty in the first cache that both share (without one, it
// is written to memory); when another core stores to it, it leaves the caches of the first. A store also
// makes the core's own later copies clean, because the copy in the L1 is the newer one. Instruction caches
// are not coherent.
//
//   CacheHierarchy caches{config, cores};
//   const CacheHierarchy::Traffic traffic = caches.access(core, address, CacheAccess::load, now);
//
// Time: an access that finds its line in a cache takes the latency of this cache instead of that of the L1;
// the difference is the wait. In a fill from memory it is that of the last cache, and memory's time comes in
// addition. What other cores' caches have to do takes `snoop`.
//
// Contention. Cores execute one after the other, each ahead of simulated time by its quantum. If two cores
// use one line at the same time, their accesses are therefore simulated as two long sequences, between which
// the line moves to another L1 once, while in a real machine it would move at almost every access. To account
// for this, a line becomes contended when a core takes it from the L1 of a core that is ahead of it in time:
// if the other core has made n accesses after the present time (as many as an even rate since it got the line
// gives), the next n accesses of the taking core before the other's time count as taken from the other L1,
// too.
//
// Prefetches. By the strides in which a core's L1 for data misses (stride_prefetcher.h), its L2 gets lines
// before they are asked for, unless other cores' caches may have them. A load that comes before the line
// waits for the rest of its time.
//
// Speed. The engine of a core makes most of its hits by itself, in the core's filter (line_filter.h), and
// calls access() for the rest; all counts are as if it had called it every time. Of fetches, it makes only
// those of lines that are not the last ones used of their sets; each instruction counts as an access.
//
// reset: every kind empties all caches; a cold reset clears the statistics, too.
#pragma once

#include <array>
#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/reset.h"
#include "base/set_associative.h"
#include "base/statistics.h"
#include "base/units.h"
#include "core/cache_config.h"
#include "core/cache_maintenance.h"
#include "core/core_counts.h"
#include "core/line_digests.h"
#include "core/line_filter.h"
#include "core/stride_prefetcher.h"

namespace asterism {

// Counts of one core.
struct LineCounts {
  // Dirty lines taken from another core's caches, including those of contended accesses.
  std::uint64_t taken = 0;
  std::uint64_t invalidated = 0;  // lines in its L1, by stores of other cores
  std::uint64_t cleaned = 0;      // dirty lines, by its maintenance operations
  std::uint64_t dropped = 0;      // lines in all caches, by its maintenance operations
  std::uint64_t uncached = 0;     // accesses that bypassed the caches
  bool operator==(const LineCounts&) const = default;
};

class CacheHierarchy {
 public:
  static constexpr Bytes line = cache_line;
  // The end of a prefetch that is under way.
  static constexpr Picoseconds not_yet{std::numeric_limits<std::uint64_t>::max()};
  using Kind = CacheAccess;
  using Lines = boost::container::static_vector<Address, 16>;
  struct Traffic {
    bool is_filled = false;  // from memory
    Lines written_back;
    Lines prefetched;  // from memory
    Picoseconds wait{};
    Picoseconds not_before{};    // the end of a prefetch of the line; `not_yet`
    LinePermission filter = {};  // whether the engine may filter further accesses to the line
    void clear() {
      is_filled = false;
      written_back.clear(), prefetched.clear();
      wait = not_before = Picoseconds(0);
      filter = {};
    }
    bool reaches_memory() const { return is_filled || !written_back.empty() || !prefetched.empty(); }
    bool is_none() const { return is_as({}); }
    // But for `filter`.
    bool is_as(const Traffic& other) const {
      return is_filled == other.is_filled && written_back == other.written_back &&
             prefetched == other.prefetched && wait == other.wait && not_before == other.not_before;
    }
  };

  CacheHierarchy(const CachesConfig& config, unsigned cores);
  ~CacheHierarchy();

  // The time of a core, which may be ahead of the one that accesses. Without it, that of its last access.
  std::function<Picoseconds(unsigned core)> time_of;

  // Called when lines leave an L1 for instructions, unless others that the core fetches replace them.
  std::function<void(unsigned core, AddressRange)> fetched_line_left;

  bool has_instruction_caches() const { return !l1i_.empty(); }
  // An access within one line. A fetch needs an L1 for instructions. The traffic is valid until the next one.
  const Traffic& access(unsigned core, Address address, Kind kind, Picoseconds now = {});
  // When a line of Traffic::prefetched has come, or comes; at first `not_yet`, if that is not known at once.
  void prefetched(unsigned core, Address address, Picoseconds at);
  LineFilter& filter(unsigned core) { return *filters_[core]; }
  // An access that is not cached.
  void count_uncached(unsigned core) { ++lines_of_core_[core].uncached; }
  // The lines of a range (one, or all) leave the L1s for instructions.
  void invalidate_fetched(AddressRange range);
  // Executes a maintenance operation: by address on all caches for data, by set on one level of the core.
  // Returns the lines to write back.
  Lines maintain(unsigned core, const CacheMaintenance& what);
  // Of a line in a cache, whose name is that of report(): "l2". nullopt: it is not there.
  std::optional<bool> is_dirty(std::string_view cache, Address address) const;
  // The dirty lines, ascending.
  std::vector<Address> dirty() const;
  // Makes these lines clean.
  void clean(std::span<const Address> lines);
  // Memory was written by another master: its lines are invalidated, dirty or not.
  void drop(AddressRange range);

  // The time that a maintenance operation needs to reach the last cache.
  Picoseconds time_to_last_cache() const;

  void reset(Reset kind);
  // `instructions`: how many each core has executed.
  void report(Statistics& statistics, std::span<const std::uint64_t> instructions) const;
  // What the loads and stores of one core have caused. A write-back counts for the core whose access evicts
  // the line.
  CacheCounts counts(unsigned core) const;
  const LineCounts& line_counts(unsigned core) const { return lines_of_core_[core]; }

 private:
  class Cache;
  class Copies;
  class Level;
  // How a core has used a line of its L1 since it was filled.
  struct Use {
    std::uint64_t count = 0;
    Picoseconds first{};
    // The next `contended` accesses of the core before this time count as taken from another L1.
    Picoseconds contended_until{};
    std::uint64_t contended = 0;
  };
  // What the access that is in progress does.
  struct InProgress {
    unsigned core = 0;
    Kind kind = Kind::load;
    Picoseconds now{};
    Picoseconds lookup{};  // in the last cache that was asked for the line
    Traffic traffic{};
  };

  void count_filtered_hits(unsigned core, const LineFilter::HitsOfSet& hits);
  void count_filtered_hits_of(const Cache& cache, std::uint64_t number);
  Picoseconds time(unsigned core) const { return time_of ? time_of(core) : last_access_[core]; }
  // The line in caches off the core's path: whether one had it, and what contends with it.
  struct Contention {
    bool had_it = false;
    std::uint64_t accesses = 0;
    Picoseconds until{};
  };
  void fetch(std::uint64_t number, InProgress& access);
  void load_or_store(std::uint64_t number, InProgress& access);
  void prefetch(std::uint64_t number, InProgress& access);
  static bool may_replace(const Cache& cache, std::uint64_t number, std::uint64_t other);
  bool is_elsewhere(std::uint64_t number, unsigned core) const;
  void use_prefetched(Cache& cache, std::size_t slot, InProgress& access);
  static Cache* for_copies(Cache* cache);
  static void count(Cache& cache, bool hits, Kind kind);
  bool find_contended(Use& use, InProgress& access);
  std::size_t fill(Cache& cache, std::uint64_t number, InProgress& access);
  bool take_from(Cache* cache, std::uint64_t number, InProgress& access);
  static void clean_from(Cache* cache, std::uint64_t number);
  std::size_t insert(Cache& cache, std::uint64_t number, bool is_dirty, Lines& written_back);
  void write_to(Cache* cache, std::uint64_t number, bool is_dirty, Lines& written_back);
  bool drop_in_front_of(Cache& cache, std::uint64_t number);
  void forget_fetched(const Cache& l1i, AddressRange range);
  Contention snoop(std::uint64_t number, InProgress& access);
  bool is_on_path(const Cache& cache, unsigned core) const;
  void take_from_other(Cache& cache, std::size_t slot, InProgress& access, Contention& found);
  void store_through(Cache& l1, std::uint64_t number, InProgress& access);
  template <class F>
  void for_caches_with(std::uint64_t number, F f);

  const CachesConfig config_;
  std::unique_ptr<Copies> copies_;
  std::vector<std::unique_ptr<Cache>> caches_;  // those behind others first
  std::vector<std::unique_ptr<Level>> levels_;  // of data, the last one first
  std::vector<Cache*> l1d_, l1i_;
  std::vector<std::vector<Use>> uses_;  // of each L1 for data, by slot
  std::vector<std::unique_ptr<LineFilter>> filters_;
  std::vector<StridePrefetcher> prefetchers_;  // by core, if there are any
  InProgress access_;
  std::vector<Picoseconds> last_access_;
  std::vector<CacheCounts> of_core_;
  std::vector<LineCounts> lines_of_core_;
  std::uint64_t flushed_ = 0, dropped_ = 0;
};

}  // namespace asterism
