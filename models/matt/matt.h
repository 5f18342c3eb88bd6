// The Memory Accesses Tracking Table of a DIMM-SSD, and the bitmap buffer of the memory controller in front
// of it.
//
// The table has an entry for every 4 KiB page of memory. The checkpoint controller reads it to decide what to
// copy, and the memory controller to decide whether a write may proceed. An entry has 88 bits (figure 5.9):
//
//   lines     64  bit i: line i was modified since the page was last copied
//   phase     13  the phase of the last modification, modulo 2^13 (the chapter's m; a parameter here)
//   writes     8  write requests in that phase, up to 255: distinguishes sparse from dense writes
//   P priority 1  a write request waits for the page to be copied
//   M modified 1  lines is not empty, in this phase or an earlier one
//   V valid    1  the page is tracked; writes to other pages are ready at once and leave no trace
//
// The bitmap buffer is an associative memory of a few entries (the length of the write queue, 64) with LRU
// replacement. A write request to a page in the buffer sets its line there and is ready without a lookup of
// the table. A page leaves the buffer for the table when another replaces it or when the phase ends: its
// lines are added to those of the page, and its requests to those of the same phase. A page in the buffer is
// being written to, and is therefore no candidate for an early copy.
//
// A page is `pending` if it was modified in a phase before the current one and has not been copied since. It
// is a `candidate` if it has lines of the current phase and at least `early_writes` requests came in that
// phase. The requests stay counted when the page is copied early (section 5.3.3 clears the count at the next
// interval), so that its next line makes it a candidate again. A page is locked while it is being copied. A
// write request to a pending or locked page is not ready, and gives the page top priority.
//
// next() chooses what to copy: first pages with a waiting write, in the order of their first such request (64
// of them; a page that finds this queue full is chosen by its class), then pending pages, and then, on
// request, candidates. Within these two classes it chooses the first page after the last choice of the class,
// cyclically.
//
// Phases are only distinguished modulo 2^phase_bits, as the entry holds no more bits. If a page stays pending
// for longer, next() returns a wrong phase, and an equally old count of requests counts as that of the
// current phase.
//
// The cost of all operations but begin_phase() is independent of the size of the table. Lines may have any
// size: only their number per page matters.
//
// reset: every kind empties table and buffer and restarts with phase 0; nothing is tracked. Statistics are
// kept.
//
// Source: abeyratne2017 sections 5.3.3 to 5.3.5, figures 5.9 and 5.11. The queue of 64 and the choice among
// equals are not published. rtl/matt is the RTL counterpart.
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
  std::uint32_t phase_bits = 13;      // 2 to 16: 2^phase_bits - 2 phases may be open at once
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
    std::uint32_t phase;  // of the last modification, modulo 2^phase_bits
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
  // The pages that may be copied.
  struct Work {
    std::uint32_t pending = 0;
    bool candidates = false;
    bool operator==(const Work&) const = default;
  };

  // All page numbers must be below `pages`.
  Matt(const MattConfig& config, std::uint32_t pages);

  std::uint32_t pages() const { return static_cast<std::uint32_t>(table_.size()); }
  // The size of the table with the published entries: 11 bytes for 13 bits of phase.
  Bytes size() const;

  // Begins to track a page as clean, or ends its tracking: it is then neither pending nor locked, and no
  // write waits for it.
  void track(std::uint32_t page, bool tracked);
  // Marks all lines as modified in the current phase, by as many requests, as a first checkpoint needs. It
  // has no effect on a page that is not tracked, or to which a write would not be ready.
  void mark(std::uint32_t page);

  // Write requests to lines of one page (at least one bit), each line once. If the answer is not_ready, only
  // the priority is recorded.
  Answer write(std::uint32_t page, std::uint64_t lines) {
    if (hook_ != nullptr) [[unlikely]]
      return write_with_hook(page, lines);
    return note(page, lines);
  }
  // Whether a write would be ready; changes nothing.
  Answer peek(std::uint32_t page) const;

  // Ends the current phase: all pages that were modified in it become pending.
  void begin_phase();
  std::uint64_t phase() const { return phase_; }            // counted without wrapping
  std::uint32_t pending() const { return work().pending; }  // includes pages that are being copied
  bool has_candidates() const { return work().candidates; }

  // Chooses a page to copy, locks it and clears its lines.
  std::optional<Choice> next(bool candidates_too);
  // The same for a page that the caller chooses, such as one that copy-on-write must copy before a write.
  // Returns nullopt if the page is locked or not pending.
  std::optional<Choice> take(std::uint32_t page);
  // The page was copied: writes to it are ready. Returns whether a write has waited for that. It has no
  // effect on a page that is not locked.
  bool copied(std::uint32_t page);

  Entry entry(std::uint32_t page) const;  // without the contents of the buffer
  bool is_buffered(std::uint32_t page) const { return buffer_.contains(page); }

  // Attaches RTL in place of this table, or in lockstep with it (matt_hook.h); nullptr detaches it.
  void attach_hook(MattHook* hook);

  void reset(Reset kind);
  // Reports requests, lookups of the table, writebacks of the buffer, requests that were not ready, and
  // choices by reason.
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

  // A tracked page is either in `free_`, or pending or locked. Pages of the buffer are free.
  PageSet tracked_, free_;
  PageSet modified_;             // have lines of the current phase
  PageSet candidates_;           // of these, those that are not buffered
  PageSet pending_;              // and not locked
  PageSet locked_, locked_now_;  // the latter with lines of the current phase
  PageSet waiting_;
  std::vector<std::uint32_t> queue_;  // pending pages of `waiting_`, in the order in which they are copied
  std::uint32_t after_pending_ = 0, after_candidate_ = 0;

  MattHook* hook_ = nullptr;
  Work hook_work_;

  std::uint64_t requests_ = 0, lookups_ = 0, writebacks_ = 0, not_ready_ = 0, marked_ = 0;
  std::array<std::uint64_t, 3> chosen_{}, chosen_lines_{};  // by Reason
};

}  // namespace asterism
