// The memory-zone monitor of one channel of a GPU's memory. It decides for every write whether it may proceed
// while a snapshot is being saved, and notes which zones the next snapshot has to save.
//
// A zone is a run of bytes that lie together in the channel. The memory-zone table holds two bits for each
// zone, as two vectors in the channel's own memory:
//
//   previous   the zone belongs to the open snapshot and is not preserved yet: a write to it must wait
//   next       the zone was written since that snapshot: the next increment has to save it
//
// The monitor reads the table through a small sectored cache: a line has a tag and, for 256 zones, a sector
// of 32 bytes of each vector (32 bytes is the smallest access of a channel). A sector is fetched when it is
// first needed; a changed sector of `next` is written back when its line is evicted. Of the lines of a set,
// one without a tag is used first, then the least recently used one is evicted.
//
// Table and cache are conservative (section 4.1.4): a zone to which they allow writes is preserved, but a
// zone to which they refuse writes need not be unpreserved. A sector of `previous` may be older than the
// table, from which preserve() has removed zones since it was fetched; the monitor then stalls writes that
// need not wait, but never lets a write proceed that must wait. The cache is to be updated after the table,
// by refresh(); a delay only costs time. A Gpu (models/gpu) does it at once, so none of its writes waits
// longer than necessary.
//
// A write to a zone (section 4.3.2):
//
//   previous  next
//      0       -     proceeds; next is set
//      1       0     waits, and is the first to do so: the offloader is notified, or a duplicate is made;
//                    next is set
//      1       1     waits
//
// While no snapshot is open (the register `complete`) `previous` is ignored. With tracking off `next` is
// ignored too, except for writes that wait: these are noted to detect the first one, until begin() clears
// them.
//
//   monitor.expose(zone)...    for a full snapshot the driver sets the bits of `previous` of all zones in use
//   monitor.begin()            the present content of the memory is the snapshot: previous |= next, next = 0
//   monitor.preserve(zone)...  the zone has been copied, and writes cannot change the copy
//   monitor.complete()         all zones have been preserved; waiting writes may proceed
//
// reset: every kind empties table and cache, sets `complete` and turns tracking off. Statistics are kept.
//
// Source: lee2019 sections 4.1.2 to 4.1.4, 4.2.3, 4.3.2, figure 5 (2 KB of cache for a channel, sectors of 32
// bytes). The number of ways and that both vectors share a line are not published, nor how the cache is
// updated (refresh() drops sectors) and how begin() moves the vectors: the only sectors that the channel
// moves for it are those of the cache. rtl/mzm is its RTL counterpart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/reset.h"
#include "base/set_associative.h"
#include "base/statistics.h"
#include "base/units.h"

namespace asterism {

class Fields;
class ZoneMonitorHook;

struct ZoneMonitorConfig {
  Bytes cache = 2_KiB;  // without tags: lines of 64 bytes, a power of two of them; section 4.1.4
  // A power of two, at most the number of lines. Assumed: not published; a small number, as every write
  // compares all of a set.
  std::uint32_t ways = 4;
};
void describe(Fields& f, ZoneMonitorConfig& config);

class ZoneMonitor {
 public:
  static constexpr std::uint32_t zones_per_sector = 256;
  static constexpr std::uint32_t max_zones = 1u << 24;
  static constexpr Bytes sector{32};

  enum class Answer : std::uint8_t { proceed, first_stall, stall };
  struct Check {
    Answer answer;
    std::uint8_t sectors;  // sectors of the table that the channel moved for it: fetched or written back
    bool operator==(const Check&) const = default;
  };
  // Counts of lookups in a vector.
  struct Lookups {
    std::uint64_t hits = 0, misses = 0;
    bool operator==(const Lookups&) const = default;
  };
  struct Counts {
    std::uint64_t writes = 0;
    std::uint64_t unchecked = 0;  // of these, with `complete` set and tracking off
    std::uint64_t first_stalls = 0, stalls = 0;
    Lookups previous = {}, next = {};
    std::uint64_t fetches = 0, writebacks = 0;  // of sectors

    Counts& operator+=(const Counts& other);
    bool operator==(const Counts&) const = default;
    void report(Statistics& statistics) const;
  };

  // Zone numbers are below `zones` (1 to max_zones) everywhere. Throws std::invalid_argument for other
  // counts, and for an invalid cache.
  ZoneMonitor(const ZoneMonitorConfig& config, std::uint32_t zones);

  std::uint32_t zones() const { return zones_; }
  Bytes table_size() const;  // both vectors, in whole sectors

  // Whether writes are noted in `next`. Turning it on or off clears `next`.
  void track(bool on);
  bool tracking() const { return tracking_; }

  Check write(std::uint32_t zone) {
    if (hook_ != nullptr) [[unlikely]]
      return write_with_hook(zone);
    // The most frequent case: a zone that has been noted already, in the line that was used last.
    if (!open_ && tracking_ && tags_.has(newest_, tag_of(zone), has_next) && has(next_, zone)) {
      ++counts_.writes;
      ++counts_.next.hits;
      return {Answer::proceed, 0};
    }
    return check(zone);
  }
  // What write() would return, without noting anything.
  Answer peek(std::uint32_t zone) const;

  // expose() and begin() have no effect while a snapshot is open.
  void expose(std::uint32_t zone);
  // Writes the changed sectors of the cache to the table and empties the cache. Returns the number of sectors
  // that the channel moved for that.
  std::uint32_t begin();
  bool open() const { return open_; }
  void preserve(std::uint32_t zone);
  // Drops what the cache has of `previous`, which is fetched from the table again.
  void refresh();
  void complete();

  // The state of the table.
  bool is_unpreserved(std::uint32_t zone) const { return has(previous_, zone); }
  // Includes what the cache has not written back.
  bool is_dirty(std::uint32_t zone) const { return has(next_, zone); }
  std::uint32_t unpreserved() const { return unpreserved_; }  // zones
  // The first unpreserved zone at or after `from`; does not wrap around.
  std::optional<std::uint32_t> next_unpreserved(std::uint32_t from) const;

  // Attaches RTL that answers in place of the model, or in lockstep with it (zone_monitor_hook.h); nullptr
  // detaches it.
  void attach_hook(ZoneMonitorHook* hook) { hook_ = hook; }

  void reset(Reset kind);
  const Counts& counts() const { return counts_; }
  void report(Statistics& statistics) const { counts_.report(statistics); }

 private:
  static constexpr std::uint32_t words_per_sector = zones_per_sector / 64;
  // Flags of a line: which sectors it has, and whether that of `next` has changed.
  enum : std::uint64_t { has_previous = 1, has_next = 2, changed = 4 };
  using Tags = SetAssociative<std::uint64_t, 3, true>;
  using Vector = std::vector<std::uint64_t>;
  using Sector = std::array<std::uint64_t, words_per_sector>;

  static std::uint64_t bit(std::uint32_t zone) { return std::uint64_t{1} << zone % 64; }
  static bool has(const Vector& vector, std::uint32_t zone) { return (vector[zone / 64] & bit(zone)) != 0; }
  static std::uint64_t tag_of(std::uint32_t zone) { return std::uint64_t{zone / zones_per_sector} << 3; }
  std::size_t set_of(std::uint32_t zone) const { return zone / zones_per_sector & set_mask_; }

  Check check(std::uint32_t zone);
  Check write_with_hook(std::uint32_t zone);
  std::size_t line_of(std::uint32_t zone, std::uint32_t& sectors);
  bool is_set(std::size_t line, std::uint32_t zone) const;
  bool previous_of(std::size_t line, std::uint32_t zone, std::uint32_t& sectors);
  bool note(std::size_t line, std::uint32_t zone, std::uint32_t& sectors);

  std::uint32_t zones_;
  std::uint32_t set_mask_;
  // Every reader of `next` goes through the cache or calls is_dirty(), so that one vector holds it, cached or
  // not.
  Vector previous_, next_;
  Tags tags_;
  std::vector<Sector> cached_;  // of `previous`, by slot
  std::size_t newest_ = 0;      // the slot that was used last
  bool tracking_ = false, open_ = false;
  std::uint32_t unpreserved_ = 0;
  ZoneMonitorHook* hook_ = nullptr;
  Counts counts_;
};

}  // namespace asterism
