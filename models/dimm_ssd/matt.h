// The Memory Accesses Tracking Table of a DIMM-SSD, and the bitmap buffer of the memory controller in front of it.
//
// The table has an entry for every 4 KiB page of memory; the checkpoint controller reads it to know what to copy, the
// memory controller to know whether a write may go ahead. An entry is 88 bits (figure 5.9):
//
//   lines     64  bit i: line i was modified since the page was last copied
//   phase     13  in which it was last modified, modulo 2^13 (the chapter's m; an argument here)
//   writes     8  write requests in that phase, up to 255: sparse from dense
//   P priority 1  a write request waits for the page to be copied
//   M modified 1  lines is not empty, in this phase or an earlier one
//   V valid    1  the page is tracked; writes to others are ready at once and leave no trace
//
// The bitmap buffer is an associative memory of a few entries (the length of the write queue, 64), least recently used
// out: a write request to a page in it sets its line there, and a page leaves it, into the table, when another takes its
// entry, when a phase ends, or when the page is copied. A page in it is being written to: it is no candidate for an early copy.
//
// A page is `pending` when it was modified in a phase before the current one and not copied since, `candidate` when it was
// modified in the current phase by at least `early_writes` requests. While a page is being copied it is locked. A write
// request to a page that is pending or locked is not ready, and makes the page top priority.
//
// next() chooses what to copy: pages with a waiting write in the order of their first such request (the newest 64 of them;
// a page that found that queue full comes in its class), then pending pages, then, when asked for, candidates; in each of
// these two classes the first page at or after the one behind the last choice, around.
//
// All operations but begin_phase() cost about the same however large the table is. Lines are of any size: only their
// number in a page counts.
//
// reset: every kind empties table and buffer and begins with phase 0; nothing is tracked.
//
// Source: abeyratne2017 sections 5.3.3 to 5.3.5, figures 5.9 and 5.11. The queue of 64 and the place of a choice among equals
// are not published. rtl/matt is its twin.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"

namespace asterism {

class Fields;
class MattSeat;

struct MattConfig {
  std::uint32_t phase_bits = 13;      // 2 to 16: phases that may be open at once, less two
  std::uint32_t buffer_entries = 64;  // of the bitmap buffer, 1 to 1024
  std::uint32_t early_writes = 8;     // write requests that make a page a candidate, 1 to 255
};
void describe(Fields& f, MattConfig& config);

class Matt {
 public:
  static constexpr unsigned lines_per_page = 64;
  static constexpr std::size_t priority_queue = 64;

  enum class Answer : std::uint8_t { ready, not_ready };
  enum class Reason : std::uint8_t { priority, pending, candidate };
  struct Choice {
    std::uint32_t page;
    std::uint64_t lines;  // at least one
    std::uint32_t phase;  // modulo 2^phase_bits, of its last modification
    Reason reason;
    bool operator==(const Choice&) const = default;
  };
  struct Entry {
    std::uint64_t lines = 0;
    std::uint32_t phase = 0;
    std::uint8_t writes = 0;
    bool priority = false, modified = false, valid = false;
    bool operator==(const Entry&) const = default;
  };

  Matt(const MattConfig& config, std::uint32_t pages);
  ~Matt();

  std::uint32_t pages() const;
  // Entries of the chapter's size: 11 bytes for 13 bits of phase.
  Bytes size() const;

  // Tracking of a page begins clean, or ends: it is then neither pending nor waited for.
  void track(std::uint32_t page, bool tracked);
  // All its lines count as modified in the current phase, by as many requests: what a first checkpoint needs.
  void mark(std::uint32_t page);

  // Write requests to lines of one page (at least one bit), each line once. Not ready: nothing was noted but the priority.
  Answer write(std::uint32_t page, std::uint64_t lines);
  // Whether a write would be ready, without noting anything.
  Answer peek(std::uint32_t page) const;

  // The current phase ends: what was modified in it is pending.
  void begin_phase();
  std::uint64_t phase() const;    // not modulo: 0, 1, 2, ...
  std::uint32_t pending() const;  // pages, with those that are being copied
  bool has_candidates() const;

  // Chooses a page to copy and locks it. Its entry then holds no lines.
  std::optional<Choice> next(bool candidates_too);
  // The same for a pending page that the caller has chosen: what copy-on-write takes out of the way of a write.
  Choice take(std::uint32_t page);
  // The page was copied: writes to it are ready. True: some have waited for that.
  bool copied(std::uint32_t page);

  Entry entry(std::uint32_t page) const;  // without what the buffer holds of it
  bool is_buffered(std::uint32_t page) const;

  // RTL answers in this table's place, or is watched in lockstep with it (matt_seat.h); nullptr: none does.
  void seat(MattSeat* seat);

  void reset(Reset kind);
  // Requests, lookups of the table, writebacks of the buffer, requests not ready, choices by reason.
  void report(Statistics& statistics) const;

  // The private part is the implementation's; write() to a page in the buffer is inline.
};

}  // namespace asterism
