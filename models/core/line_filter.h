// The lines of a core's L1 data cache that were used last in their sets, for the fast path of its engine.
// Such a line is not moved by another access to it, so that an access that finds its line here needs to be
// counted, and nothing else: hits, misses, evictions and write-backs are those of a cache that sees every
// access.
//
// The filter is direct-mapped by virtual address. The engine looks up and installs lines (a64/memory.h), and
// removes those whose translation or permission has changed. The cache removes a line when it is not the
// set's last one any more, or when it is not the core's alone any more (cache_hierarchy.h). A store may be
// filtered if its line is dirty.
//
// Behind it, there may be the line that was used in the set before it, which loops over two arrays need that
// begin in the same set.
//
// Hits, and which of the two was used last, are taken by the cache before it looks at the set.
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
    std::uint32_t set = 0;        // of the cache
    bool behind_is_last = false;  // used last
  };

  explicit LineFilter(std::size_t sets)
      : count_(std::bit_ceil(std::clamp(sets, min_entries, max_entries))), places_(sets) {
    for (auto& level : entries_) level.resize(2 * count_);
    clear();
  }
  LineFilter(const LineFilter&) = delete;
  LineFilter& operator=(const LineFilter&) = delete;

  // ---- for the engine ----

  // Of an exception level; the entry of an address is that at address / line & mask(), and behind_of() it
  // the line behind it.
  Entry* entries(unsigned level) { return entries_[level].data(); }
  std::uint64_t mask() const { return count_ - 1; }
  static Entry& behind_of(Entry& entry, std::uint64_t mask) { return (&entry)[mask + 1]; }

  // Of an entry, or of the one behind it: whether there is a line that may be loaded from, or stored to.
  bool permits(const Entry& entry, std::uint64_t address, bool is_store) const {
    return (is_store ? entry.store_line : entry.load_line) != nowhere(address / line & mask());
  }
  void forget(std::uint64_t address, Entry& entry) const {
    entry.load_line = entry.store_line = nowhere(address / line & mask());
  }
  // The line that was just accessed is the last one of its set.
  void install(unsigned level, std::uint64_t address, const LinePermission& permission, std::uint8_t* host,
               std::uint8_t* dirty) {
    const std::size_t at = address / line & mask();
    Entry& entry = entries_[level][at];
    Place& before = places_[entry.set];
    if (before.first.entry == &entry) {
      before.behind_is_last = entry.behind_is_last;
      carry(before.behind);
      carry(before.first);
    }
    const std::uint64_t first = address & ~(line - 1);
    entry = {permission.loads ? first : nowhere(at),
             permission.stores ? first : nowhere(at),
             host,
             dirty,
             0,
             permission.set,
             false};
    Place& place = places_[permission.set];
    place.first.entry = &entry;
    place.first.slot = permission.slot;
    if (is_left_by(permission, entry)) {
      Entry& behind = behind_of(entry, mask());
      behind = left_.entry;
      place.behind.entry = &behind;
      place.behind.slot = left_.slot;
    }
    left_.place = nullptr;
  }
  // Makes a hit as the engine does: whether the line of an address is here for such an access.
  bool find(unsigned level, std::uint64_t address, CacheAccess what) {
    Entry& entry = entries_[level][address / line & mask()];
    Entry& behind = behind_of(entry, mask());
    const auto is_in = [&](const Entry& each) {
      return (what == CacheAccess::store ? each.store_line : each.load_line) == (address & ~(line - 1));
    };
    if (!is_in(entry) && !is_in(behind)) return false;
    entry.behind_is_last = !is_in(entry);
    ++(entry.behind_is_last ? behind : entry).hits;
    return true;
  }
  // Removes the lines of a block of 2^span bytes. Bits 63 to 56 of addresses are ignored.
  void drop_block(std::uint64_t number, unsigned span) {
    left_.place = nullptr;
    const auto is_in = [&](std::uint64_t address) {
      return (address & ~std::uint64_t{0} >> 8) >> span == number;
    };
    const auto drop_at = [&](Entry& entry, std::size_t at) {
      if (is_in(entry.load_line)) entry.load_line = nowhere(at);
      if (is_in(entry.store_line)) entry.store_line = nowhere(at);
    };
    // Successive lines have successive entries.
    const std::size_t first = number << span >> line_bits,
                      lines = std::size_t{1}
                              << (std::clamp(span, line_bits, line_bits + max_bits) - line_bits),
                      count = std::min(lines, count_);
    for (auto& level : entries_)
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = (first + i) & mask();
        drop_at(level[at], at);
        drop_at(behind_of(level[at], mask()), at);
      }
  }
  void clear() {
    left_.place = nullptr;
    for (auto& level : entries_)
      for (std::size_t at = 0; at < level.size(); ++at)
        level[at].load_line = level[at].store_line = nowhere(at);
  }
  // Only the permission to store, of lines whose `dirty` byte is in a range.
  void refuse_stores(const std::uint8_t* first_dirty, std::size_t count) {
    left_.place = nullptr;
    for (auto& level : entries_)
      for (std::size_t at = 0; at < level.size(); ++at)
        if (static_cast<std::size_t>(level[at].dirty - first_dirty) < count)
          level[at].store_line = nowhere(at);
  }
  void refuse_stores() {
    left_.place = nullptr;
    for (auto& level : entries_)
      for (std::size_t at = 0; at < level.size(); ++at) level[at].store_line = nowhere(at);
  }

  // ---- for the cache ----

  // Removes the lines of a set, and returns their hits since the last call, and their slots.
  struct Hits {
    std::uint64_t count;
    std::uint32_t slot;
  };
  struct HitsOfSet {
    Hits first, behind;
    bool behind_is_last;
  };
  HitsOfSet drop(std::uint32_t set) {
    Place& place = places_[set];
    if (left_.place == &place) left_.place = nullptr;
    return take(place);
  }
  // The same before the core accesses another line of the set. The last one used may be behind that.
  HitsOfSet leave(std::uint32_t set) {
    Place& place = places_[set];
    left_.place = nullptr;
    if (Entry* const entry = place.first.entry) {
      const Line& last = entry->behind_is_last ? place.behind : place.first;
      left_ = {&place, entry, *last.entry, last.slot};
      left_.entry.hits = 0;
    }
    return take(place);
  }
  // A slot that the core's access needs for its own line.
  void evict(std::uint32_t slot) {
    if (left_.slot == slot) left_.place = nullptr;
  }
  // All hits that drop() has not returned yet.
  std::uint64_t hits() const {
    std::uint64_t sum = 0;
    for (const Place& place : places_)
      for (const Line& each : {place.first, place.behind})
        sum += each.carried + (each.entry ? each.entry->hits : 0);
    return sum;
  }

 private:
  // Where a line is; its slot in the cache; hits that its entry has no more.
  struct Line {
    Entry* entry = nullptr;
    std::uint32_t slot = 0;
    std::uint64_t carried = 0;
  };
  // Of a set. Without an entry of the first line, there is none of that behind it.
  struct Place {
    Line first, behind;
    bool behind_is_last = false;  // without an entry
  };
  // What leave() has removed, and from where, until the next call.
  struct Left {
    Place* place = nullptr;
    const Entry* from = nullptr;
    Entry entry{};
    std::uint32_t slot = 0;
  };
  static constexpr std::size_t min_entries = 8, max_entries = 512;
  static constexpr unsigned line_bits = std::countr_zero(line), max_bits = std::countr_zero(max_entries);
  void forget(Entry& entry) const { entry.load_line = entry.store_line = nowhere(index_of(entry)); }
  HitsOfSet take(Place& place) {
    const bool is_last = place.first.entry ? place.first.entry->behind_is_last : place.behind_is_last;
    place.behind_is_last = false;
    return {take(place.first), take(place.behind), is_last};
  }
  Hits take(Line& which) {
    Hits hits{std::exchange(which.carried, 0), which.slot};
    if (Entry* const entry = std::exchange(which.entry, nullptr)) {
      hits.count += std::exchange(entry->hits, 0);
      forget(*entry);
    }
    return hits;
  }
  // The entry is needed for another set.
  void carry(Line& which) {
    Entry* const entry = std::exchange(which.entry, nullptr);
    if (!entry) return;
    which.carried += std::exchange(entry->hits, 0);
    forget(*entry);
  }
  // Whether the line that was left can be behind this one.
  bool is_left_by(const LinePermission& permission, const Entry& entry) const {
    return left_.place == &places_[permission.set] && left_.slot != permission.slot && left_.from == &entry;
  }
  // Neither this line nor the one before maps to the entry.
  std::uint64_t nowhere(std::size_t at) const { return ((at + count_ / 2) & mask()) * line; }
  std::size_t index_of(const Entry& entry) const {
    const std::size_t at = static_cast<std::size_t>(&entry - entries_[0].data());
    return at < 2 * count_ ? at : static_cast<std::size_t>(&entry - entries_[1].data());
  }

  std::size_t count_;
  std::array<std::vector<Entry>, 2> entries_;  // by exception level
  std::vector<Place> places_;                  // by set of the cache
  Left left_;
};

}  // namespace asterism
