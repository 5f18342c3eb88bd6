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
// full is written when an interval has ended and nothing else of it is left to copy. Writes to a page wait while it is
// copied; writes to a pending page wait until it was, or, with copy_on_write, until its lines are copied to a shadow frame
// (no frame free: as the others).
//
// end_interval() stops software by the method: stop_and_copy, consolidate and early until the version is durable,
// stop_and_copy_hardware not at all (instead every write is held until all is copied), copy_on_write until the version before
// is durable, the late ones when so many intervals are open as the phases of the table allow.
//
// A version that cannot become durable (no space, memory that does not answer) is given up, with all that were begun since;
// what was durable before stays, and the next checkpoint is full again. Writes that are held are released.
//
// reset: every kind drops everything but what is in flash; nothing is tracked afterwards. power_up() begins the recovery.
//
// Source: abeyratne2017 sections 5.2.3, 5.2.4, 5.3.1 to 5.3.5, Table 5.1 (two page buffers).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/engine.h"
#include "base/statistics.h"
#include "dimm_ssd/checkpoint_log.h"
#include "dimm_ssd/checkpoint_method.h"
#include "dimm_ssd/matt.h"

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
  enum class Error : std::uint8_t { none, no_space, memory, worn_out, aborted };

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
  ~Checkpointer();

  void power_up(Picoseconds now);
  bool ready() const;

  // Pages [0, pages) under a name; pages at most what the constructor was given. Ends what was tracked before. The method may
  // change from interval to interval: it holds from the next end_interval() on.
  void track(Picoseconds now, const std::string& name, std::uint32_t pages);
  void set_method(CheckpointMethod method);
  bool tracking() const;

  Answer write(Picoseconds now, std::uint32_t page, std::uint64_t lines);
  // Whether a write would be ready, without noting anything.
  bool is_ready(std::uint32_t page) const;
  void end_interval(Picoseconds now, std::uint64_t version);
  bool stopped() const;
  std::uint32_t open_intervals() const;  // ended and not durable
  // Gives up all that is not durable, and tracks nothing any more; Sink::failed tells each version.
  void abort(Picoseconds now);

  CheckpointLog& log();  // for find, discard, restore
  const CheckpointLog& log() const;
  Matt& matt();

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  // Checkpoints, pages and lines copied by reason, pages per flash page as a distribution, writes held, time stopped, frames.
  void report(Statistics& statistics) const;
  // Flash pages by the number of memory pages that they hold (figure 5.12); index 0 unused.
  const std::vector<std::uint64_t>& pages_per_flash_page() const;

  // The private part is the implementation's.
};

}  // namespace asterism
