// The checkpoint controller of a DIMM-SSD. It tracks the writes to a set of pages, copies what each interval
// has modified to flash by one of the methods of checkpoint_method.h, and reports when each checkpoint is
// durable.
//
//   checkpointer.track(now, "cg", pages);                 all pages count as modified: the first checkpoint
//                                                         is full
//   checkpointer.write(now, page, lines)                  before memory changes: ready, or held until
//                                                         Sink::released
//   checkpointer.end_interval(now, version);              the memory as it is now is that version
//   if (checkpointer.stopped()) ... until Sink::resumed   software waits
//   ...                          Sink::durable(version)   from now on the version survives a power failure
//
// Copying (figures 5.4 and 5.11b): while a page buffer is free, the table of modified pages (matt.h) chooses
// a page. Its lines are read through the memory controller and appended to the buffer, with an entry that
// names the checkpoint of the phase in which they were modified. A full buffer goes to the flash, and is free
// again when its data has left it. The lines of a page stay together: a page that does not fit begins the
// next buffer. Without consolidation pages are saved whole. A buffer that is not full is written when the
// oldest uncopied interval has ended and nothing else of it is left to copy. Writes to a page wait while it
// is copied. Writes to a pending page wait until it is copied or, with copy_on_write, until its lines are
// copied to a shadow frame; if no frame is free, they wait as with the other methods. Frames go to flash in
// the order in which they were filled, after pages with a held write and before all others.
//
// The checkpoint of an interval is opened in the log before its first page is chosen for an early copy, and
// at the latest at the end of the interval. If nothing was modified, it is an empty increment, which is a
// version like any other. A checkpoint is full if it is the first one of its pages, if the one before was
// abandoned, or if the one before is no longer in the log or about to leave it (discarded, unreadable). This
// is decided when the checkpoint is opened, before any of its lines is copied: in a full checkpoint every
// page is copied whole, also early ones. The log keeps its base from then on.
//
// end_interval() stops software depending on the method: with stop_and_copy, consolidate and early until the
// version is durable, with copy_on_write until the version before is durable. stop_and_copy_hardware does not
// stop it, but holds every write until all pages are copied, even if another method follows. The late methods
// stop it while the table cannot distinguish as many phases as lie between the oldest uncopied page and the
// next interval.
//
// A version that cannot become durable (no space, memory that does not answer) is abandoned, together with
// all versions that were begun since and all that are not completely copied. What was durable before stays,
// and the next checkpoint is full. Held writes are released, and nothing is copied early until the interval
// has ended. If an early copy fails in an interval without a version to abandon, the failure is not reported:
// the interval's own checkpoint will be full.
//
// The sink is called while a method of this class runs. It may call back any method but advance_to() and
// reset().
//
// reset: every kind drops everything but the contents of the flash; nothing is tracked afterwards. power_up()
// begins the recovery.
//
// Source: abeyratne2017 sections 5.2.3, 5.2.4, 5.3.1 to 5.3.5, Table 5.1 (two page buffers).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/engine.h"
#include "base/memory_port.h"
#include "base/statistics.h"
#include "dimm_ssd/checkpoint_log.h"
#include "dimm_ssd/checkpoint_method.h"
#include "dimm_ssd/page_flows.h"
#include "matt/matt.h"

namespace asterism {

class Fields;

struct CheckpointerConfig {
  CheckpointMethod method = CheckpointMethod::stop_and_copy;
  std::uint32_t page_buffers = 2;   // flash pages between memory and flash
  std::uint32_t shadow_frames = 0;  // 4 KiB pages of DRAM that copy_on_write may fill
  MattConfig matt;
  CheckpointLogConfig log;
};
void describe(Fields& f, CheckpointerConfig& config);

class Checkpointer final : private CheckpointLog::Sink {
 public:
  enum class Error : std::uint8_t { none, no_space, memory, worn_out, aborted, uncorrectable };

  // The host's memory controller, as the DIMM-SSD uses it. Pages are numbered within the tracked set.
  struct Memory {
    virtual ~Memory() = default;
    // The lines of a page, packed in ascending order. Without data if contents are not modelled.
    virtual void read_lines(Picoseconds now, std::uint32_t page, std::uint64_t lines, OnAccessEnd ended) = 0;
    // The page is about to be copied: returns the lines that were written and have not been reported yet,
    // where writes are reported late (dirty bits of a core). From now on the next write to the page asks for
    // permission.
    virtual std::uint64_t written_lines(std::uint32_t page) = 0;
    // Shadow frames for copy_on_write, numbered 0 to shadow_frames - 1.
    virtual void copy_to_frame(Picoseconds now, std::uint32_t page, std::uint64_t lines, std::uint32_t frame,
                               OnAccessEnd ended) = 0;
    virtual void read_frame(Picoseconds now, std::uint32_t frame, std::uint64_t lines, OnAccessEnd ended) = 0;
    // No access that was begun is reported any more.
    virtual void abandon_accesses() {}
  };
  struct Sink {
    virtual ~Sink() = default;
    virtual void recovered(Picoseconds at) = 0;
    virtual void durable(Picoseconds at, std::uint64_t version) = 0;
    // This version and all later ones that are not durable are abandoned.
    virtual void failed(Picoseconds at, std::uint64_t version, Error error) = 0;
    virtual void released(Picoseconds at, std::uint32_t page) = 0;  // a held write would be ready now
    virtual void resumed(Picoseconds at) = 0;                       // software may continue
    virtual void discarded(Picoseconds at) = 0;
  };
  // The answer to a write.
  struct Answer {
    bool ready;
    // Before a ready write may happen: the time of a copy to a shadow frame, if its end is already known.
    Picoseconds delay;
  };

  Checkpointer(const CheckpointerConfig& config, const FlashPart& part, FlashImage& image,
               std::uint32_t pages, Memory& memory, Sink& sink);
  ~Checkpointer() override;
  // Records the copies of pages, and the flash below (nand_array.h). `flows` must know the pages of a list
  // before track().
  void record_in(ActivityLog& activity, const std::string& device, PageFlows& flows);

  void power_up(Picoseconds now);
  bool ready() const { return log_.ready(); }

  // Tracks pages [0, pages) under a name, at most as many as the constructor was given, and ends all earlier
  // tracking. The method may change from interval to interval: a new one takes effect at the next
  // end_interval().
  void track(Picoseconds now, const std::string& name, std::uint32_t pages);
  void set_method(CheckpointMethod method) { next_method_ = method; }
  // From the next track() on, frames 0 to frames - 1 may be filled. They are filled in rotation.
  void set_shadow_frames(std::uint32_t frames) { config_.shadow_frames = frames; }
  bool tracking() const { return tracking_; }

  Answer write(Picoseconds now, std::uint32_t page, std::uint64_t lines);
  // Whether a write would be ready; changes nothing.
  bool is_ready(std::uint32_t page) const;
  void end_interval(Picoseconds now, std::uint64_t version);
  bool stopped() const { return stopped_since_.has_value(); }
  std::uint32_t open_intervals() const {  // ended and not durable
    return static_cast<std::uint32_t>(intervals_.size());
  }
  std::uint64_t phase() const { return current_.phase; }  // the number of this interval
  // Abandons everything that is not durable, and ends the tracking. Sink::failed reports the oldest version.
  void abort(Picoseconds now);

  CheckpointLog& log() { return log_; }  // for find, discard, restore
  const CheckpointLog& log() const { return log_; }
  Matt& matt() { return matt_; }
  const Matt& matt() const { return matt_; }
  bool is_open() const { return current_.handle.has_value(); }  // the checkpoint of this interval, in the log
  bool copies_early_now() const { return is_copying_ && copy_->phase == current_.phase; }
  bool copies_late_now() const { return is_copying_ && copy_->phase != current_.phase; }
  std::uint64_t writes_held() const { return counts_.writes_held; }
  std::uint64_t flash_pages() const { return counts_.flash_pages; }  // filled and sent to the log

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  // Reports checkpoints, pages that wait to be copied, pages and lines copied by reason, the distribution of
  // pages per flash page, held writes, the time that software was stopped, and frames.
  void report(Statistics& statistics, Picoseconds now = NandArray::all_begun) const;
  // Flash pages by the number of memory pages that they hold (figure 5.12); index 0 unused.
  const std::vector<std::uint64_t>& pages_per_flash_page() const { return pages_per_flash_page_; }

 private:
  using Handle = CheckpointLog::Handle;
  static constexpr std::uint64_t whole_page = ~std::uint64_t{0};

  struct Interval {
    std::uint64_t phase = 0;  // counted without wrapping
    std::uint64_t version = 0;
    std::optional<Handle> handle;
    std::uint32_t uncopied = 0;  // pages not yet copied, once the interval has ended
    bool in_buffer = false;      // the buffer that is being filled has entries of this interval
    bool closed = false;
  };
  enum class Reason : std::uint8_t { priority, pending, candidate, frame };
  struct Copy {
    std::uint32_t page;
    std::uint64_t lines;
    std::uint64_t phase;
    Reason reason;
    std::uint32_t frame = 0;
    bool ok = true;
    PageFlows::Flow flow = 0;  // 0 if the run is not recorded
    Picoseconds begun = {};
  };
  struct Frame {
    std::uint32_t number, page;
    std::uint64_t lines, phase;
    Picoseconds filled_at;
    PageFlows::Flow flow;
  };
  // A copy of a page to a frame that memory has not ended yet.
  struct Aside {
    std::uint32_t frame, page;
    std::uint64_t phase;
    bool is_late = false;  // the write that caused it waits
    std::optional<Picoseconds> ended_at = {};
    bool ok = true;
    PageFlows::Flow flow = 0;
    Picoseconds begun = {};
  };
  struct Buffer {  // the buffer that is being filled
    bool taken = false;
    std::uint32_t lines = 0;
    std::vector<std::byte> data;
    std::vector<CheckpointLog::Entry> entries;
  };
  struct Failure {
    std::uint64_t phase;  // of the interval that cannot become durable
    Error error;
    bool gone_in_log;
  };
  struct HeldWrite {
    std::uint32_t page;
    Picoseconds since;
  };

  Answer write_slowly(Picoseconds now, std::uint32_t page, std::uint64_t lines);
  std::optional<Answer> copy_to_shadow(Picoseconds now, std::uint32_t page, std::uint64_t lines);
  void finish_asides(Picoseconds now);
  void hold(Picoseconds now, std::uint32_t page);
  void release(Picoseconds now, std::uint32_t page);
  void release_all(Picoseconds now);

  void require_ready(const char* what) const;
  void mark_all(Picoseconds now);
  PageFlows::Flow take_flow(std::uint32_t page) { return flows_ ? flows_->take(page) : 0; }
  Interval& interval_of(std::uint64_t phase);
  std::uint64_t whole_phase(std::uint32_t modulo) const;
  void open_current(Picoseconds now);
  static bool is_copied(const Interval& interval) { return interval.uncopied == 0; }
  bool may_copy_early() const;
  bool has_free_frame() const { return frames_.size() + asides_.size() < shadow_frames_; }

  void work(Picoseconds now);
  void pump(Picoseconds now);
  bool choose(Picoseconds now);
  bool choose_frame(Picoseconds now);
  bool start_copy(Picoseconds now);
  void copied(const AccessEnd& end);
  void finish_copy(Picoseconds now);
  void send_buffer(Picoseconds now);
  void close_copied(Picoseconds now);

  bool deliver_report(Picoseconds now);
  bool must_stop() const;
  void abandon(Picoseconds now, const Failure& failure);
  void drop_copies();
  void stop_tracking(Reset kind);

  void recovered(Picoseconds at) override;
  void left_buffer(Picoseconds at, CheckpointLog::Tag tag) override;
  void committed(Picoseconds at, Handle checkpoint) override;
  void failed(Picoseconds at, Handle checkpoint, CheckpointLog::Error error) override;
  void discarded(Picoseconds at) override;

  CheckpointerConfig config_;
  Memory& memory_;
  Sink& sink_;
  CheckpointLog log_;
  Matt matt_;
  bool keeps_contents_;
  std::uint32_t lines_per_buffer_;

  bool tracking_ = false;
  bool holds_all_ = false;         // stop_and_copy_hardware, until all is copied
  bool awaits_candidate_ = false;  // there is nothing else to do: the next candidate is copied at once
  std::string name_;
  std::uint32_t tracked_pages_ = 0;
  CheckpointMethod method_, next_method_;
  bool early_blocked_ = false;  // an early copy has failed in this interval
  // The version that the next checkpoint is an increment of, once it is durable; nullopt: the next one is
  // full.
  std::optional<std::uint64_t> base_;

  Interval current_;
  std::deque<Interval> intervals_;  // ended and not durable, in order
  std::optional<Picoseconds> stopped_since_;

  std::optional<Copy> copy_;              // the chosen copy
  bool is_copying_ = false;               // false: it waits for a buffer
  std::optional<Picoseconds> copied_at_;  // when memory has ended it, as soon as that is known
  std::optional<Picoseconds> wake_at_;
  Buffer buffer_;
  std::uint32_t free_buffers_;
  std::uint32_t shadow_frames_ = 0, next_frame_ = 0;
  std::deque<Frame> frames_;  // filled and not yet copied to flash
  std::vector<Aside> asides_;
  std::vector<HeldWrite> held_;
  std::vector<bool> is_held_;

  // Reports that have not been delivered to the sink yet.
  bool reports_recovery_ = false;
  std::uint32_t discards_to_report_ = 0;
  std::size_t commits_ = 0;  // commits of the oldest intervals
  std::deque<std::uint32_t> released_;
  std::optional<Failure> failure_;

  struct Counts {
    std::uint64_t intervals = 0, full = 0, durable = 0, failures = 0, abandoned = 0;
    std::array<std::uint64_t, 4> pages{}, lines{};  // by Reason
    std::uint64_t flash_pages = 0, writes_held = 0, stops = 0, frame_copies = 0;
    std::size_t max_frames = 0;
    Picoseconds held{}, stopped{};
  };
  Counts counts_;
  PageFlows* flows_ = nullptr;
  std::vector<std::uint64_t> pages_per_flash_page_;
};

inline Checkpointer::Answer Checkpointer::write(Picoseconds now, std::uint32_t page, std::uint64_t lines) {
  if (holds_all_ || matt_.write(page, lines) == Matt::Answer::not_ready) [[unlikely]]
    return write_slowly(now, page, lines);
  if (awaits_candidate_ && matt_.has_candidates()) [[unlikely]]
    wake_at_ = now;
  return {true, Picoseconds(0)};
}

}  // namespace asterism
