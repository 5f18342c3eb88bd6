// A PCRAM memory: lines of 64 bytes that are programmed cell by cell and keep their contents without power.
//
// Requests are consecutive lines. They are served in the order in which they are given, with the times of
// pcram_timing.h. A read sees all writes that were given before it.
//
// Redundant-bit suppression (dong2011 section 5.2): a line is read before it is written, and only cells that
// differ get a pulse. Without it each of the 576 cells of a line gets one: SET if it becomes 1, RESET if it
// becomes 0. Energy and wear follow from the pulses.
//
// Wear: a line counts the writes that have given a pulse to one of its cells. With a rated endurance it fails
// at an individual count, which is reproducible and within a tenth of the rating. From then on it keeps its
// contents and stays readable, and each write that would change it is reported as worn. The spread is
// assumed, and also that every write hits the weakest cell.
//
// Power failure: lines whose pulses have ended hold the new contents, and lines whose pulses have not begun
// hold the old ones. In a line in between each cell that changes holds the new value if its own pulse has
// ended (RESET is the shorter one), and otherwise either value; cells that do not change keep theirs. The
// atomic unit is therefore a cell: neither a line nor its 8-byte parts are written atomically, and a torn
// part may be read as clean, corrected or uncorrectable. Software that needs more must write a checksum, and
// must write the mark that makes it valid last, after the rest was reported as written.
//
// reset: every kind drops all work and interrupts pulses as a power failure does (the drivers are reset,
// too). Cells and wear survive every kind. The reset takes place at the time of the last advance_to().
//
// Source: dong2011 sections 2.2, 3, 5.1, 5.2.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/engine.h"
#include "base/statistics.h"
#include "pcram/pcram_cells.h"
#include "pcram/pcram_timing.h"

namespace asterism {

class PcramArray {
 public:
  using Tag = std::uint64_t;  // identifies a request for the caller
  static constexpr Bytes line{64};

  struct Read {
    std::span<const std::byte> data;                 // uncorrectable parts are as the cells hold them
    std::uint32_t corrected = 0, uncorrectable = 0;  // parts of 8 bytes
  };
  struct Sink {
    virtual ~Sink() = default;
    // Reported in the order of time. From then on the data survive a power failure.
    virtual void written(Picoseconds at, Tag tag, std::uint32_t worn_lines) = 0;
    virtual void read_done(Picoseconds at, Tag tag, const Read& read) = 0;
  };
  // Counts of all requests and pulses.
  struct Counts {
    std::uint64_t lines_read = 0, lines_written = 0, lines_redundant = 0, lines_torn = 0, lines_worn = 0;
    std::uint64_t set_cells = 0, reset_cells = 0;
    std::uint64_t corrected = 0, uncorrectable = 0;
    bool operator==(const Counts&) const = default;
  };

  PcramArray(const PcramPart& part, std::unique_ptr<PcramTiming> timing, bool suppress_redundant);

  Bytes capacity() const { return line * timing_->lines(); }
  // `data` is a whole number of lines. Throws std::out_of_range beyond the end.
  void write(Picoseconds now, std::uint64_t first, std::span<const std::byte> data, Tag tag);
  void read(Picoseconds now, std::uint64_t first, std::uint64_t lines, Tag tag);
  // The same for one line, for a caller that is answered at once: the sink gets nothing.
  struct LineWrite {
    PcramTiming::Write times;
    bool is_lost;  // the line is worn and keeps other contents
  };
  LineWrite write_line(Picoseconds now, std::uint64_t number, std::span<const std::byte, 64> data);
  struct LineRead {
    Picoseconds end;
    PcramWord::Decoded line;
  };
  LineRead read_line(Picoseconds now, std::uint64_t number);
  // Reads and writes a line in zero time, for debuggers.
  std::array<std::byte, 64> peek(std::uint64_t number) const {
    return cells().line(number).word.decode().bytes;
  }
  void poke(std::uint64_t number, std::span<const std::byte, 64> data) {
    cells_.line(number).word = PcramWord::encode(data);
  }

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  void reset(Reset kind);
  // Ends the pulses of all writes now: to be called before the reset of a power failure that they survive.
  void finish();
  bool idle() const { return ends_.empty(); }

  const Counts& counts() const { return counts_; }
  Picojoules write_energy() const { return part_.energy(counts_.set_cells, counts_.reset_cells); }
  Picoseconds busy() const { return busy_; }  // time with work
  const PcramCells& cells() const { return cells_; }
  const PcramPart& part() const { return part_; }
  PcramTiming& timing() { return *timing_; }
  const PcramTiming& timing() const { return *timing_; }
  // The number of writes after which a line fails.
  std::uint64_t endurance_of(std::uint64_t number) const;
  void report(Statistics& statistics) const;

 private:
  struct Pulsed {  // a line whose pulses may not have ended, for a power failure
    std::uint64_t number;
    Picoseconds begin, end;
    PcramWord before;
    std::uint16_t set, reset;  // cells
  };
  struct End {
    Tag tag;
    std::uint32_t worn = 0;
    std::optional<Read> read;
    std::vector<std::byte> data;
  };

  void check(std::uint64_t first, std::uint64_t lines) const;
  void retire(Picoseconds now);
  void interrupt(const Pulsed& pulsed);
  void count(const Pulsed& pulsed);
  void occupied(Picoseconds now, Picoseconds until);

  const PcramPart part_;
  std::unique_ptr<PcramTiming> timing_;
  const bool suppress_;
  PcramCells cells_;
  std::deque<Pulsed> pulsed_;  // in the order given
  std::multimap<Picoseconds, End> ends_;
  Picoseconds now_, busy_, busy_until_;
  Counts counts_;
};

}  // namespace asterism
