// The record of a run: what happened on which track, and when. `asterism report` shows it, and
// perfetto_trace.h converts it. The format of the file, record.bin, is described in docs/seeing.md.
//
// A track belongs to an instance of the node or to a part of one: a core, a channel of flash, a link. It has
//   - intervals, in which something was done; intervals of a track may overlap,
//   - instants, such as a fault, or
//   - the values of a counter, each valid until the next one.
// Times are picoseconds of simulated time. Entries are in the order in which they were written, which is not
// that of time: an interval is written when it has ended. Entries with a common number of a flow belong
// together, as a store, the copy of its page and the flash page which holds that.
//
// The writer keeps at most a block and some texts that repeat in memory, so that a run which is killed leaves
// all but the last block.
// Errors: RunRecordError names the byte of the file at which something is wrong and what was expected there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_log.h"
#include "base/units.h"

namespace asterism {

class RunRecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class TrackKind : std::uint8_t { activity, counter };

class RunRecordWriter {
 public:
  using Track = std::uint32_t;
  static constexpr Track no_track = ~Track{0};

  // `run` is the name of the run. Throws RunRecordError if the file cannot be created.
  RunRecordWriter(const std::filesystem::path& file, std::string_view run);

  // `name` is an instance path, "node.core0", or a part of one below its parent. The unit is that of a
  // counter's values, "bytes".
  Track add_track(std::string_view name, TrackKind kind, Track parent = no_track, std::string_view unit = "");
  void interval(Track track, Picoseconds begin, Picoseconds end, std::string_view name,
                std::span<const EventLog::Detail> details = {}, std::span<const std::uint64_t> flows = {});
  void instant(Track track, Picoseconds at, std::string_view name,
               std::span<const EventLog::Detail> details = {}, std::span<const std::uint64_t> flows = {});
  void value(Track track, Picoseconds at, std::uint64_t value);

  // The number of a text, which is in the file from now on. One that is not kept is in the file again when it
  // is used again.
  std::uint32_t text(std::string_view text, bool is_kept = true);
  // Writes what is in memory. Returns the size of the file.
  std::uint64_t flush();
  // Writes the rest and an end mark, without which the file counts as truncated. Throws RunRecordError if
  // the file could not be written.
  void finish();

 private:
  void begin(std::uint64_t kind, Track track, Picoseconds at);
  void add(std::uint64_t number);
  void add_details(std::string_view name, std::span<const EventLog::Detail> details,
                   std::span<const std::uint64_t> flows);
  void end();
  void write_block();

  std::filesystem::path path_;
  std::ofstream file_;
  std::string block_, entry_;  // an entry comes behind the texts that it is the first to use
  std::map<std::string, std::uint32_t, std::less<>> texts_;
  std::uint32_t next_text_ = 0;
  std::vector<std::uint64_t> values_;  // the last one of each track
  Picoseconds last_;
  std::uint64_t entries_ = 0, written_ = 0;  // bytes are written
};

struct RunRecord {
  static constexpr std::string_view magic = "ASTERREC";  // the file begins with it
  using Index = std::uint32_t;
  static constexpr Index none = ~Index{0};

  struct Track {
    Index name, unit;  // in `texts`
    Index parent;      // in `tracks`; or none
    TrackKind kind;
  };
  struct Detail {
    Index name;
    bool is_text;
    std::uint64_t value;  // a number, or an index in `texts`
  };
  struct Entry {
    enum class Kind : std::uint8_t { interval, instant } kind;
    Index track, name;
    Picoseconds begin, end;               // equal for an instant
    std::uint32_t first_detail, details;  // in `details`
    std::uint32_t first_flow, flows;      // in `flows`
  };
  struct Value {
    Index track;
    Picoseconds at;
    std::uint64_t value;
  };

  std::vector<std::string> texts;  // the first one is the name of the run
  std::vector<Track> tracks;
  std::vector<Entry> entries;
  std::vector<Value> values;
  std::vector<Detail> details;
  std::vector<std::uint64_t> flows;

  bool is_complete = true;  // false: of a truncated file

  // The whole file; also what a truncated one has, if that is allowed. Throws RunRecordError.
  enum class Truncated { refused, allowed };
  static RunRecord read(std::istream& in, Truncated truncated = Truncated::refused);
  // "node.dimm_ssd.flash" of a track and those above it.
  std::string path_of(Index track) const;
  // The end of what is recorded.
  Picoseconds end() const;
};

}  // namespace asterism
