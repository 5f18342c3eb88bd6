// The memory-zone monitor of one channel of a GPU's memory: says of every write whether it may go ahead while a snapshot is
// taken away, and notes what the next one has to take.
//
// A zone is a run of bytes that lie together in the channel. The memory-zone table holds two bits for each, as two vectors in
// the channel's own memory:
//
//   previous   the zone belongs to the snapshot that is open and is not preserved yet: a write to it must wait
//   next       the zone was written to since that snapshot: the next increment has to take it
//
// The monitor reads the table through a small sectored cache: a line has a tag and, of 256 zones, a sector of 32 bytes of each
// vector (32 bytes is what a channel moves at least). A sector is fetched when it is first needed; one of `next` that was
// changed goes back when its line is displaced. Lines of a set: one without a tag first, then least recently used out.
//
// Table and cache are conservative (section 4.1.4): a zone that they let writes into is preserved, one that they keep writes
// from need not be. A sector of `previous` may be older than the table, from which preserve() has removed zones since it was
// fetched; the monitor lets wait then what need not, never the other way round. The cache is to be updated after the table,
// by refresh(); how soon costs time only. A Gpu (models/gpu) does it at once, so none of its writes waits in vain.
//
// A write to a zone (section 4.3.2):
//
//   previous  next
//      0       -     goes ahead; next is set
//      1       0     waits, and is the first to do so: the offloader is told, or a duplicate is made; next is set
//      1       1     waits
//
// While no snapshot is open (the register `complete`) `previous` is not looked at. With tracking off `next` is not either,
// but for writes that wait: these are noted to tell the first, until begin() forgets them.
//
//   monitor.expose(zone)...      a full snapshot has the driver set the bits of `previous`: of all zones that are in use
//   monitor.begin()              the memory as it is now is the snapshot: previous |= next, next = 0
//   monitor.preserve(zone)...    its bytes are out of the reach of writes
//   monitor.complete()           of all zones; whatever waits may go ahead
//
// reset: every kind empties table and cache, sets `complete` and turns tracking off. Statistics go on.
//
// Source: lee2019 sections 4.1.2 to 4.1.4, 4.2.3, 4.3.2, figure 5 (2 KB of cache for a channel, sectors of 32 bytes). The
// number of ways and that both vectors share a line are not published, nor how the cache is updated (refresh() drops sectors) and
// how begin() moves the vectors: the sectors that the channel moves for it are those of the cache alone. rtl/mzm is its RTL counterpart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"

namespace asterism {

class Fields;
class ZoneMonitorHook;

struct ZoneMonitorConfig {
  Bytes cache = 2_KiB;  // of sectors, without tags: 64 bytes a line; a power of two of lines; section 4.1.4
  // A power of two, at most as many as there are lines. Assumed: not published; few, as every write looks at all of a set.
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
    std::uint8_t sectors;  // of the table, that the channel moved for it: fetched or written back
    bool operator==(const Check&) const = default;
  };
  // What was looked up of a vector.
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

  // Zone numbers are below `zones` (1 to max_zones) everywhere. Throws std::invalid_argument for other counts, and for a
  // cache that is none.
  ZoneMonitor(const ZoneMonitorConfig& config, std::uint32_t zones);

  std::uint32_t zones() const { return zones_; }
  Bytes table_size() const;  // both vectors, in whole sectors

  // Whether writes are noted in `next`. Turning it on or off empties `next`.
  void track(bool on);
  bool tracking() const { return tracking_; }

  Check write(std::uint32_t zone) {
    if (hook_ != nullptr) [[unlikely]]
      return write_with_hook(zone);
    // What is asked most: a zone that has been noted, of the line that was asked for last.
    if (const Line& line = lines_[newest_];
        !open_ && tracking_ && line.tag == zone / zones_per_sector && line.has_next && has(next_, zone)) {
      ++counts_.writes;
      ++counts_.next.hits;
      return {Answer::proceed, 0};
    }
    return check(zone);
  }
  // What write() would answer, without noting anything.
  Answer peek(std::uint32_t zone) const;

  // expose() and begin() do nothing while a snapshot is open.
  void expose(std::uint32_t zone);
  // The changed sectors of the cache go into the table, and it is empty then; the number of sectors that the channel moved for
  // that.
  std::uint32_t begin();
  bool open() const { return open_; }
  void preserve(std::uint32_t zone);
  // The cache drops what it has of `previous`, and fetches it anew from the table.
  void refresh();
  void complete();

  // Of the table.
  bool is_unpreserved(std::uint32_t zone) const { return has(previous_, zone); }
  // With what the cache has not written back.
  bool is_dirty(std::uint32_t zone) const { return has(next_, zone); }
  std::uint32_t unpreserved() const { return unpreserved_; }  // zones
  // The first unpreserved zone at or behind `from`, not around.
  std::optional<std::uint32_t> next_unpreserved(std::uint32_t from) const;

  // RTL answers in its place, or is watched in lockstep with it (zone_monitor_hook.h); nullptr: none does.
  void attach_hook(ZoneMonitorHook* hook) { hook_ = hook; }

  void reset(Reset kind);
  const Counts& counts() const { return counts_; }
  void report(Statistics& statistics) const { counts_.report(statistics); }

 private:
  static constexpr std::uint32_t words_per_sector = zones_per_sector / 64;
  static constexpr std::uint32_t nobody = 0xFFFF'FFFF;

  using Vector = std::vector<std::uint64_t>;
  // Who reads `next` goes through the cache or asks is_dirty(), so that one vector holds it, cached or not.
  struct Line {
    std::uint64_t used = 0;  // when; 0 without a tag
    std::uint32_t tag = nobody;
    bool has_previous = false, has_next = false, changed = false;
    std::array<std::uint64_t, words_per_sector> previous{};
  };

  static std::uint64_t bit(std::uint32_t zone) { return std::uint64_t{1} << zone % 64; }
  static bool has(const Vector& vector, std::uint32_t zone) { return (vector[zone / 64] & bit(zone)) != 0; }

  Check check(std::uint32_t zone);
  Check write_with_hook(std::uint32_t zone);
  Line* find(std::uint32_t tag);
  const Line* find(std::uint32_t tag) const;
  Line& line_of(std::uint32_t tag, std::uint32_t& sectors);
  Line& displace(std::uint32_t tag, std::uint32_t& sectors);
  bool previous_of(Line& line, std::uint32_t zone, std::uint32_t& sectors);
  bool note(Line& line, std::uint32_t zone, std::uint32_t& sectors);
  void empty_cache();

  std::uint32_t zones_;
  std::uint32_t ways_, set_mask_;
  Vector previous_, next_;
  std::vector<Line> lines_;  // set by set
  std::uint32_t newest_ = 0;
  std::uint64_t uses_ = 0;
  bool tracking_ = false, open_ = false;
  std::uint32_t unpreserved_ = 0;
  ZoneMonitorHook* hook_ = nullptr;
  Counts counts_;
};

}  // namespace asterism
