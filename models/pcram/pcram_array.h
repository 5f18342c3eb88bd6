// A PCRAM memory: lines of 64 bytes that are programmed cell by cell and stay without power.
//
// Requests are lines one behind the other. They take their time in the order in which they are given
// (pcram_timing.h says which); a read sees what was given before it.
//
// Redundant-bit suppression (dong2011 section 5.2): a line is read before it is written, and only cells that
// differ get a pulse. Without it each of the 576 cells of a line gets one: SET where it becomes 1, RESET
// where it becomes 0. Energy and wear follow the pulses.
//
// Wear: a line counts the writes that have given a pulse to a cell of it. With a rated endurance it fails at
// a count of its own, within a tenth of the rating and reproducible: from then on it keeps what it holds,
// stays readable, and each write that would change it is told as worn. The spread is assumed, and so is that
// the weakest cell is hit by every write.
//
// Power: at a cut, lines whose pulses have ended hold the new contents, those whose pulses have not begun the
// old ones. Of a line in between each cell that changes holds the new value if its own pulse (RESET is the
// shorter) has ended, else either; cells that do not change keep their value. So the atom is a cell: neither
// a line nor its 8-byte parts are written whole or not at all, and a torn part may be read as clean,
// corrected or uncorrectable. Who needs more writes a checksum, and what makes it valid last, when the rest
// is told as written.
//
// reset: work is dropped on every kind, and pulses under way are cut as above (the drivers are reset, too);
// cells and wear survive every kind. It happens at the time of the last advance_to().
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
  using Tag = std::uint64_t;  // the caller's name for a request
  static constexpr Bytes line{64};

  struct Read {
    std::span<const std::byte> data;                 // what is uncorrectable of it, as the cells have it
    std::uint32_t corrected = 0, uncorrectable = 0;  // parts of 8 bytes
  };
  struct Sink {
    virtual ~Sink() = default;
    // In the order of time. From then on it survives.
    virtual void written(Picoseconds at, Tag tag, std::uint32_t worn_lines) = 0;
    virtual void read_done(Picoseconds at, Tag tag, const Read& read) = 0;
  };
  // Of all pulses that were given.
  struct Counts {
    std::uint64_t lines_read = 0, lines_written = 0, lines_redundant = 0, lines_torn = 0, lines_worn = 0;
    std::uint64_t set_cells = 0, reset_cells = 0;
    std::uint64_t corrected = 0, uncorrectable = 0;
    bool operator==(const Counts&) const = default;
  };

  PcramArray(const PcramPart& part, std::unique_ptr<PcramTiming> timing, bool suppress_redundant);

  Bytes capacity() const { return line * timing_->lines(); }
  // `data`: a whole number of lines. Throws std::out_of_range behind the end.
  void write(Picoseconds now, std::uint64_t first, std::span<const std::byte> data, Tag tag);
  void read(Picoseconds now, std::uint64_t first, std::uint64_t lines, Tag tag);
  // Without time, for debuggers.
  std::array<std::byte, 64> peek(std::uint64_t number) const {
    return cells().line(number).word.decode().bytes;
  }

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  void reset(Reset kind);
  bool idle() const { return ends_.empty(); }

  const Counts& counts() const { return counts_; }
  Picojoules write_energy() const { return part_.energy(counts_.set_cells, counts_.reset_cells); }
  Picoseconds busy() const { return busy_; }  // time with work
  const PcramCells& cells() const { return cells_; }
  const PcramPart& part() const { return part_; }
  PcramTiming& timing() { return *timing_; }
  const PcramTiming& timing() const { return *timing_; }
  // Writes that a line takes.
  std::uint64_t endurance_of(std::uint64_t number) const;
  void report(Statistics& statistics) const;

 private:
  struct Pulsed {  // a line whose pulses may not have ended: what a cut needs
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

  Picoseconds write_line(Picoseconds now, std::uint64_t number, std::span<const std::byte, 64> data,
                         std::uint32_t& worn);
  void check(std::uint64_t first, std::uint64_t lines) const;
  void retire(Picoseconds now);
  void cut(const Pulsed& pulsed);
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
