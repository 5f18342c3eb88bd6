// The lines of a core's L1 data cache that were used last in their sets, for the fast path of its engine.
// Such a line is not moved by another access to it, so that an access that finds its line here needs to be
// counted, and nothing else: hits, misses, evictions and write-backs are those of a cache that sees every
// access.
//
// The filter is direct-mapped by virtual address, and has at most one line of each set. The engine looks up
// and installs lines (a64/memory.h), and removes those whose translation or permission has changed. The cache
// removes a line when it is not the set's last one any more, or when it is not the core's alone any more
// (cache_hierarchy.h). A store may be filtered if its line is dirty.
//
// Hits are counted with the line, and taken by the cache before it looks at the set.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace asterism {

// What an access to a core's caches is for.
enum class CacheAccess : std::uint8_t { load, store, fetch };

// Whether further accesses to the line that was just accessed may be filtered; its set and slot in the L1.
struct LinePermission {
  std::uint32_t set = 0, slot = 0;
  bool loads = false, stores = false;
};

class LineFilter {
 public:
  static constexpr std::uint64_t line = 64;

  struct alignas(64) Entry {
    std::uint64_t load_line,
        store_line;                 // virtual; an address that never maps to this entry if not permitted
    std::uint8_t* host = nullptr;   // of the line
    std::uint8_t* dirty = nullptr;  // the byte that a store sets
    std::uint64_t hits = 0;
    std::uint32_t set = 0;  // of the cache
  };

  explicit LineFilter(std::size_t sets)
      : count_(std::bit_ceil(std::clamp(sets, min_entries, max_entries))), places_(sets) {
    for (auto& level : entries_) level.resize(count_);
    clear();
  }
  LineFilter(const LineFilter&) = delete;
  LineFilter& operator=(const LineFilter&) = delete;

  // ---- for the engine ----

  // Of an exception level; the entry of an address is that at address / line & mask().
  Entry* entries(unsigned level) { return entries_[level].data(); }
  std::uint64_t mask() const { return count_ - 1; }

  // The line that was just accessed is the last one of its set.
  void install(unsigned level, std::uint64_t address, const LinePermission& permission, std::uint8_t* host,
               std::uint8_t* dirty) {
    const std::size_t at = address / line & mask();
    Entry& entry = entries_[level][at];
    Place& before = places_[entry.set];
    if (before.entry == &entry) {
      before.carried += entry.hits;
      before.entry = nullptr;
    }
    const std::uint64_t first = address & ~(line - 1);
    entry = {permission.loads ? first : nowhere(at),
             permission.stores ? first : nowhere(at),
             host,
             dirty,
             0,
             permission.set};
    places_[permission.set].entry = &entry;
    places_[permission.set].slot = permission.slot;
  }
  // Makes a hit as the engine does: whether the line of an address is here for such an access.
  bool find(unsigned level, std::uint64_t address, CacheAccess what) {
    Entry& entry = entries_[level][address / line & mask()];
    if ((what == CacheAccess::store ? entry.store_line : entry.load_line) != (address & ~(line - 1)))
      return false;
    ++entry.hits;
    return true;
  }
  // Removes the lines of a block of 2^span bytes. Bits 63 to 56 of addresses are ignored.
  void drop_block(std::uint64_t number, unsigned span) {
    const auto is_in = [&](std::uint64_t address) {
      return (address & ~std::uint64_t{0} >> 8) >> span == number;
    };
    for (auto& level : entries_)
      for (std::size_t at = 0; at < count_; ++at) {
        if (is_in(level[at].load_line)) level[at].load_line = nowhere(at);
        if (is_in(level[at].store_line)) level[at].store_line = nowhere(at);
      }
  }
  void clear() {
    for (auto& level : entries_)
      for (std::size_t at = 0; at < count_; ++at) level[at].load_line = level[at].store_line = nowhere(at);
  }
  // Only the permission to store, of lines whose `dirty` byte is in a range.
  void refuse_stores(const std::uint8_t* first_dirty, std::size_t count) {
    for (auto& level : entries_)
      for (std::size_t at = 0; at < count_; ++at)
        if (static_cast<std::size_t>(level[at].dirty - first_dirty) < count)
          level[at].store_line = nowhere(at);
  }
  void refuse_stores() {
    for (auto& level : entries_)
      for (std::size_t at = 0; at < count_; ++at) level[at].store_line = nowhere(at);
  }

  // ---- for the cache ----

  // Removes the line of a set, and returns its hits since the last call, and its slot.
  struct Hits {
    std::uint64_t count;
    std::uint32_t slot;
  };
  Hits drop(std::uint32_t set) {
    Place& place = places_[set];
    Hits hits{std::exchange(place.carried, 0), place.slot};
    if (Entry* const entry = std::exchange(place.entry, nullptr)) {
      entry->load_line = entry->store_line = nowhere(index_of(*entry));
      hits.count += std::exchange(entry->hits, 0);
    }
    return hits;
  }
  // All hits that drop() has not returned yet.
  std::uint64_t hits() const {
    std::uint64_t sum = 0;
    for (const Place& place : places_) sum += place.carried + (place.entry ? place.entry->hits : 0);
    return sum;
  }

 private:
  // Where the line of a set is; its slot in the cache; hits that its entry has no more.
  struct Place {
    Entry* entry = nullptr;
    std::uint32_t slot = 0;
    std::uint64_t carried = 0;
  };
  static constexpr std::size_t min_entries = 8, max_entries = 512;
  // Neither this line nor the one before maps to the entry.
  std::uint64_t nowhere(std::size_t at) const { return (at + count_ / 2) % count_ * line; }
  std::size_t index_of(const Entry& entry) const {
    const std::size_t at = static_cast<std::size_t>(&entry - entries_[0].data());
    return at < count_ ? at : static_cast<std::size_t>(&entry - entries_[1].data());
  }

  std::size_t count_;
  std::array<std::vector<Entry>, 2> entries_;  // by exception level
  std::vector<Place> places_;                  // by set of the cache
};

}  // namespace asterism
