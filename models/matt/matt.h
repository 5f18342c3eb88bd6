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
// out: a write request to a page in it sets its line there and is ready without a lookup of the table. A page leaves it, into
// the table, when another takes its entry or when the phase ends: its lines join those of the page, its requests are added to
// those of the same phase. A page in it is being written to: it is no candidate for an early copy.
//
// A page is `pending` when it was modified in a phase before the current one and not copied since, `candidate` when it has
// lines of the current phase and at least `early_writes` requests came in that phase. The requests stay counted when the
// page is copied early (section 5.3.3 clears the count at the next interval), so it is a candidate again at its next line.
// While a page is being copied it is locked. A write request to a page that is pending or locked is not ready, and makes the
// page top priority.
//
// next() chooses what to copy: pages with a waiting write in the order of their first such request (64 of them; a page that
// finds that queue full comes in its class), then pending pages, then, when asked for, candidates; in each of these two
// classes the first page behind the last choice from this class, around.
//
// Phases are told apart modulo 2^phase_bits, as the entry holds no more: who lets a page be pending that long gets the phase
// of another from next(), and a count of requests that old counts as the current phase's.
//
// All operations but begin_phase() cost about the same however large the table is. Lines are of any size: only their
// number in a page counts.
//
// reset: every kind empties table and buffer and begins with phase 0; nothing is tracked. Statistics go on.
//
// Source: abeyratne2017 sections 5.3.3 to 5.3.5, figures 5.9 and 5.11. The queue of 64 and the place of a choice among equals
// are not published. rtl/matt is its RTL counterpart.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "matt/bitmap_buffer.h"
#include "matt/page_set.h"

namespace asterism {

class Fields;
class MattHook;

struct MattConfig {
  std::uint32_t phase_bits = 13;      // 2 to 16: two less than 2^this may be open at once
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
  // What there is to copy.
  struct Work {
    std::uint32_t pending = 0;
    bool candidates = false;
    bool operator==(const Work&) const = default;
  };

  // Page numbers are below `pages` everywhere.
  Matt(const MattConfig& config, std::uint32_t pages);

  std::uint32_t pages() const { return static_cast<std::uint32_t>(table_.size()); }
  // Entries of the chapter's size: 11 bytes for 13 bits of phase.
  Bytes size() const;

  // Tracking of a page begins clean, or ends: it is then neither pending, locked nor waited for.
  void track(std::uint32_t page, bool tracked);
  // All its lines count as modified in the current phase, by as many requests: what a first checkpoint needs. Nothing
  // happens to a page that is not tracked, or to which a write would not be ready.
  void mark(std::uint32_t page);

  // Write requests to lines of one page (at least one bit), each line once. Not ready: nothing was noted but the priority.
  Answer write(std::uint32_t page, std::uint64_t lines) {
    if (hook_ != nullptr) [[unlikely]]
      return write_with_hook(page, lines);
    return note(page, lines);
  }
  // Whether a write would be ready, without noting anything.
  Answer peek(std::uint32_t page) const;

  // The current phase ends: what was modified in it is pending.
  void begin_phase();
  std::uint64_t phase() const { return phase_; }            // not modulo: 0, 1, 2, ...
  std::uint32_t pending() const { return work().pending; }  // pages, with those that are being copied
  bool has_candidates() const { return work().candidates; }

  // Chooses a page to copy and locks it. Its entry then holds no lines.
  std::optional<Choice> next(bool candidates_too);
  // The same for a page that the caller has chosen, such as one that copy-on-write takes out of the way of a write. Nothing,
  // when the page is not pending or is locked.
  std::optional<Choice> take(std::uint32_t page);
  // The page was copied: writes to it are ready. True: some have waited for that. Nothing happens to a page that is not
  // locked.
  bool copied(std::uint32_t page);

  Entry entry(std::uint32_t page) const;  // without what the buffer holds of it
  bool is_buffered(std::uint32_t page) const { return buffer_.contains(page); }

  // RTL answers in this table's place, or is watched in lockstep with it (matt_hook.h); nullptr: none does.
  void attach_hook(MattHook* hook);

  void reset(Reset kind);
  // Requests, lookups of the table, writebacks of the buffer, requests not ready, choices by reason.
  void report(Statistics& statistics) const;

 private:
  // Bits P, M and V are waiting_, `lines` and tracked_.
  struct Slot {
    std::uint64_t lines = 0;
    std::uint16_t phase = 0;
    std::uint8_t writes = 0;
  };

  Answer note(std::uint32_t page, std::uint64_t lines) {
    const std::uint32_t requests =
        (lines & (lines - 1)) == 0 ? 1 : static_cast<std::uint32_t>(std::popcount(lines));
    requests_ += requests;
    if (buffer_.note(page, lines, requests)) return Answer::ready;
    return look_up(page, lines, requests);
  }
  Answer look_up(std::uint32_t page, std::uint64_t lines, std::uint32_t requests);
  Answer write_with_hook(std::uint32_t page, std::uint64_t lines);
  void merge(const BitmapBuffer::Page& page);
  void wait_for(std::uint32_t page);
  void stop_waiting(std::uint32_t page);
  Choice lock(std::uint32_t page, Reason reason);
  std::optional<Choice> choose(bool candidates_too);
  std::uint16_t phase_tag() const { return static_cast<std::uint16_t>(phase_ & phase_mask_); }
  Work own_work() const;
  Work work() const { return hook_ != nullptr ? hook_work_ : own_work(); }

  std::uint32_t phase_bits_;
  std::uint64_t phase_mask_;
  std::uint32_t early_writes_;
  std::uint64_t phase_ = 0;
  std::vector<Slot> table_;
  BitmapBuffer buffer_;

  // A tracked page is in `free_` or blocked: pending or locked. Pages of the buffer are free.
  PageSet tracked_, free_;
  PageSet modified_;             // has lines of the current phase
  PageSet candidates_;           // of these, not buffered
  PageSet pending_;              // not locked
  PageSet locked_, locked_now_;  // the latter have their lines from the current phase
  PageSet waiting_;
  std::vector<std::uint32_t> queue_;  // of `waiting_`, pending, in the order in which they are copied
  std::uint32_t after_pending_ = 0, after_candidate_ = 0;

  MattHook* hook_ = nullptr;
  Work hook_work_;

  std::uint64_t requests_ = 0, lookups_ = 0, writebacks_ = 0, not_ready_ = 0, marked_ = 0;
  std::array<std::uint64_t, 3> chosen_{}, chosen_lines_{};  // by Reason
};

}  // namespace asterism
