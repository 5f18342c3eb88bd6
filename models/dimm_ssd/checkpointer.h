// The checkpoint controller of a DIMM-SSD: follows the writes to a set of pages, copies what an interval has modified into
// flash by one of the methods of checkpoint_method.h, and says when each checkpoint is durable.
//
//   checkpointer.track(now, "cg", pages);                 all pages count as modified: the first checkpoint is full
//   checkpointer.write(now, page, lines)                  before memory changes: ready, or held until Sink::released
//   checkpointer.end_interval(now, version);              the memory as it is now is that version
//   if (checkpointer.stopped()) ... until Sink::resumed   software waits
//   ...                          Sink::durable(version)   from now on the version survives a power cut
//
// Copying (figures 5.4 and 5.11b): while a page buffer is free, the table (matt.h) chooses a page, its lines are read
// through the memory controller and appended to the buffer with an entry that names the checkpoint of the phase in which
// they were modified; a buffer that is full goes to the flash, and is free when its data has left it. A page's lines stay
// together: one that does not fit begins the next buffer. Without consolidation a page is saved whole. A buffer that is not
// full is written when the oldest interval that is not copied has ended and nothing else of it is left to copy. Writes to a
// page wait while it is copied; writes to a pending page wait until it was, or, with copy_on_write, until its lines are
// copied to a shadow frame (no frame free: as the others). Frames go to flash in the order in which they were filled, behind
// pages with a held write and before all others.
//
// The checkpoint of an interval is opened in the log before its first page is chosen for an early copy, at
// the latest at the interval's end; one in which nothing was modified is an empty increment, a version like
// others. A checkpoint is full when it is the first of its pages, when the one before was given up, and when
// the one before is not in the log any more or is about to go (discarded, unreadable). That is decided when
// it is opened, before a line of it is copied: in a full one every page is copied whole, an early one too.
// What it continues is kept from then on.
//
// end_interval() stops software by the method: stop_and_copy, consolidate and early until the version is durable,
// stop_and_copy_hardware not at all (instead every write is held until all is copied), copy_on_write until the version before
// is durable, the late ones while so many phases lie between the oldest page that is not copied and the next interval as the
// table can tell apart. A hold of all writes lasts until all is copied, also when another method follows.
//
// A version that cannot become durable (no space, memory that does not answer) is given up, with all that were begun since
// and all that are not wholly copied; what was durable before stays, and the next checkpoint is full again. Writes that are
// held are released, and nothing is copied early until the interval has ended. An early copy that fails in an interval without
// a version to give up is told by nobody: the interval's own checkpoint is full.
//
// The sink is called while a method of this class runs, and may call back any of them but advance_to() and reset().
//
// reset: every kind drops everything but what is in flash; nothing is tracked afterwards. power_up() begins the recovery.
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
#include "base/statistics.h"
#include "dimm_ssd/checkpoint_log.h"
#include "dimm_ssd/checkpoint_method.h"
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

  // The host's memory controller, as the controller of the DIMM-SSD sees it. Pages are numbers of the tracked set.
  struct Memory {
    struct Outcome {
      bool ok;
      Picoseconds time;  // from the call until the last line is there
    };
    virtual ~Memory() = default;
    // The lines of a page, packed in ascending order. `data` is empty when contents are not modelled.
    virtual Outcome read_lines(Picoseconds now, std::uint32_t page, std::uint64_t lines,
                               std::span<std::byte> data) = 0;
    // The page is going to be copied: the lines that were written since it was last told of, where writes are told late (dirty
    // bits of a core). From now on it is asked before the page is written to.
    virtual std::uint64_t written_lines(std::uint32_t page) = 0;
    // Shadow frames, for copy_on_write: 0 to shadow_frames - 1.
    virtual Outcome copy_to_frame(Picoseconds now, std::uint32_t page, std::uint64_t lines,
                                  std::uint32_t frame) = 0;
    virtual Outcome read_frame(Picoseconds now, std::uint32_t frame, std::uint64_t lines,
                               std::span<std::byte> data) = 0;
  };
  struct Sink {
    virtual ~Sink() = default;
    virtual void recovered(Picoseconds at) = 0;
    virtual void durable(Picoseconds at, std::uint64_t version) = 0;
    // This version and all later ones that are not durable are given up.
    virtual void failed(Picoseconds at, std::uint64_t version, Error error) = 0;
    virtual void released(Picoseconds at, std::uint32_t page) = 0;  // a write was held; it would be ready now
    virtual void resumed(Picoseconds at) = 0;                       // software need not wait any longer
    virtual void discarded(Picoseconds at) = 0;
  };
  // Of a write.
  struct Answer {
    bool ready;
    Picoseconds delay;  // of a ready one: a copy to a shadow frame
  };

  Checkpointer(const CheckpointerConfig& config, const FlashPart& part, FlashImage& image,
               std::uint32_t pages, Memory& memory, Sink& sink);
  ~Checkpointer() override;

  void power_up(Picoseconds now);
  bool ready() const { return log_.ready(); }

  // Pages [0, pages) under a name; pages at most what the constructor was given. Ends what was tracked before. The method may
  // change from interval to interval: it holds from the next end_interval() on.
  void track(Picoseconds now, const std::string& name, std::uint32_t pages);
  void set_method(CheckpointMethod method) { next_method_ = method; }
  // Frames 0 to frames - 1 may be filled, from the next track() on. They are filled in turn.
  void set_shadow_frames(std::uint32_t frames) { config_.shadow_frames = frames; }
  bool tracking() const { return tracking_; }

  Answer write(Picoseconds now, std::uint32_t page, std::uint64_t lines);
  // Whether a write would be ready, without noting anything.
  bool is_ready(std::uint32_t page) const;
  void end_interval(Picoseconds now, std::uint64_t version);
  bool stopped() const { return stopped_since_.has_value(); }
  std::uint32_t open_intervals() const {  // ended and not durable
    return static_cast<std::uint32_t>(intervals_.size());
  }
  // Gives up all that is not durable, and tracks nothing any more; Sink::failed tells the oldest version.
  void abort(Picoseconds now);

  CheckpointLog& log() { return log_; }  // for find, discard, restore
  const CheckpointLog& log() const { return log_; }
  Matt& matt() { return matt_; }
  const Matt& matt() const { return matt_; }
  bool is_open() const { return current_.handle.has_value(); }  // the checkpoint of this interval, in the log
  bool copies_early_now() const { return copied_at_ && copy_->phase == current_.phase; }
  bool copies_late_now() const { return copied_at_ && copy_->phase != current_.phase; }
  std::uint64_t writes_held() const { return counts_.writes_held; }
  std::uint64_t flash_pages() const { return counts_.flash_pages; }  // filled and sent to the log

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  // Checkpoints, pages and lines copied by reason, pages per flash page as a distribution, writes held, time stopped, frames.
  void report(Statistics& statistics) const;
  // Flash pages by the number of memory pages that they hold (figure 5.12); index 0 unused.
  const std::vector<std::uint64_t>& pages_per_flash_page() const { return pages_per_flash_page_; }

 private:
  using Handle = CheckpointLog::Handle;
  static constexpr std::uint64_t whole_page = ~std::uint64_t{0};

  struct Interval {
    std::uint64_t phase = 0;  // of the table, not modulo
    std::uint64_t version = 0;
    std::optional<Handle> handle;
    std::uint32_t uncopied = 0;  // pages, once it has ended
    bool in_buffer = false;      // the buffer that is being filled has entries of it
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
  };
  struct Frame {
    std::uint32_t number, page;
    std::uint64_t lines, phase;
    Picoseconds filled_at;
  };
  struct Buffer {  // the one that is being filled
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
  std::optional<Answer> copy_out_of_the_way(Picoseconds now, std::uint32_t page, std::uint64_t lines);
  void hold(Picoseconds now, std::uint32_t page);
  void release(Picoseconds now, std::uint32_t page);
  void release_all(Picoseconds now);

  void require_ready(const char* what) const;
  void track_all();
  Interval& interval_of(std::uint64_t phase);
  std::uint64_t whole_phase(std::uint32_t modulo) const;
  void open_current();
  static bool is_copied(const Interval& interval) { return interval.uncopied == 0; }
  bool may_copy_early() const;
  bool has_free_frame() const { return frames_.size() < shadow_frames_; }

  void work(Picoseconds now);
  void pump(Picoseconds now);
  bool choose(Picoseconds now);
  bool choose_frame(Picoseconds now);
  bool start_copy(Picoseconds now);
  void finish_copy(Picoseconds now);
  void send_buffer(Picoseconds now);
  void close_copied(Picoseconds now);

  bool tell(Picoseconds now);
  bool must_stop() const;
  void give_up(Picoseconds now, const Failure& failure);
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
  bool awaits_candidate_ = false;  // nothing else to do: the next candidate is to be copied at once
  std::string name_;
  std::uint32_t tracked_pages_ = 0;
  CheckpointMethod method_, next_method_;
  bool early_blocked_ = false;  // an early copy has failed in this interval
  // What the next checkpoint is an increment of, once it is durable; none: the next one is full.
  std::optional<std::uint64_t> base_;

  Interval current_;
  std::deque<Interval> intervals_;  // ended and not durable, in order
  std::optional<Picoseconds> stopped_since_;

  std::optional<Copy> copy_;  // chosen; it waits for a buffer while copied_at_ is empty
  std::optional<Picoseconds> copied_at_, wake_at_;
  Buffer buffer_;
  std::uint32_t free_buffers_;
  std::uint32_t shadow_frames_ = 0, next_frame_ = 0;
  std::deque<Frame> frames_;  // filled and not copied to flash
  std::vector<HeldWrite> held_;
  std::vector<bool> is_held_;

  // What the sink has not been told of yet.
  bool tell_recovered_ = false;
  std::uint32_t tell_discarded_ = 0;
  std::size_t commits_ = 0;  // of the oldest intervals
  std::deque<std::uint32_t> released_;
  std::optional<Failure> failure_;

  struct Counts {
    std::uint64_t intervals = 0, full = 0, durable = 0, failures = 0, given_up = 0;
    std::array<std::uint64_t, 4> pages{}, lines{};  // by Reason
    std::uint64_t flash_pages = 0, writes_held = 0, stops = 0, frame_copies = 0;
    std::size_t max_frames = 0;
    Picoseconds held{}, stopped{};
  };
  Counts counts_;
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
