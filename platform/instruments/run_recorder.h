// Records a run in a file (run_record.h): what each core did, the events of docs/events.md, and samples of
// the statistics.
//
// Tracks are named after instances: `core0` below `node`. A core is `running`, `waiting` (for an interrupt or
// an event), `blocked` (a store, by a checkpoint) or `locked_up`; at all other times it is off. Events that
// begin and end something are one interval: a checkpoint from `checkpoint_begin` until it is durable, given
// up or interrupted by a failure, a snapshot of a GPU, the time without power. All others are instants.
//
// What blocks report of their parts (base/activity_log.h) may end later than now, such as the program of a
// page of flash: a failure of power or a reset ends it earlier, with the detail `outcome`.
//
// A sample has the numbers of stats.json as they are at that time, those that have changed since the last
// one, and the counter `samples`. A core may be ahead of that time by a quantum, and its numbers with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/activity_log.h"
#include "base/event_log.h"
#include "base/statistics.h"
#include "base/units.h"
#include "core/core_module.h"
#include "platform/instruments/run_record.h"

namespace asterism {

class RunRecorder final : public EventLog, public ActivityLog {
 public:
  using Activity = CoreModule::Activity;

  RunRecorder(const std::filesystem::path& file, std::string_view run) : writer_(file, run) {}

  // `name` is "core0", or in a cluster "node1.core0". Returns a number for set().
  std::size_t add_core(const std::string& name, Activity activity);
  // Times must not decrease.
  void set(std::size_t core, Activity activity, Picoseconds at);
  void record(Picoseconds at, std::string_view source, std::string_view kind,
              std::initializer_list<Detail> details) override;
  using EventLog::record;
  ActivityLog* activity_log() override { return this; }
  Track track(std::string_view path) override;
  Flow new_flow() override { return ++flows_; }
  void interval(Track track, Picoseconds begin, Picoseconds end, std::string_view what, Details details = {},
                std::span<const Flow> flows = {}) override;
  void instant(Track track, Picoseconds at, std::string_view what, Details details = {},
               std::span<const Flow> flows = {}) override;
  // What the guest has written: an instant `output` of a track named after the line (`console`, `uart0`),
  // with the detail `text`, for each line of text, at the time of its first character.
  void output(Picoseconds at, std::string_view line, std::string_view text);
  void sample(Picoseconds at, const Statistics& statistics);
  void finish(Picoseconds at);

  // For those who follow the run while it goes on: the record's file now contains all that has ended.
  std::uint64_t flush() { return writer_.flush(); }  // returns its size
  // What has begun, and is not in the file before it ends.
  struct Begun {
    Track track;
    std::uint32_t name;  // the number of a text of the file
    Picoseconds since;
  };
  std::vector<Begun> begun();
  // The text since the last end of a line, by console or serial line.
  std::vector<std::pair<std::string, std::string>> begun_lines() const;

 private:
  struct Core {
    Track track;
    Activity activity;
    Picoseconds since;
  };
  struct Open {  // an interval whose end is not known yet
    Track track;
    std::string source, name, begins;  // `begins` is the kind of the event
    std::optional<Value> version;
    Picoseconds since;
    std::vector<std::pair<std::string, Value>> details;
  };
  struct Future {  // an interval whose end has not come yet
    Track track;
    Picoseconds begin, end;
    std::string what;
    std::vector<std::pair<std::string, Value>> details;
    std::vector<Flow> flows;
  };
  struct Counter {
    Track track;
    std::uint64_t value;
  };

  struct Line {  // of text, which has not ended yet
    std::string text;
    Picoseconds since;
  };

  void end_activity(Core& core, Picoseconds at);
  void close(const Open& open, Picoseconds at, std::string_view outcome);
  void end_line(std::string_view name, Line& line);
  void interrupt(std::string_view node, Picoseconds at);
  void time_passes(Picoseconds at);
  void write(const Future& future);
  void cut(const Future& future, Picoseconds at, std::string_view outcome);
  void sample(Picoseconds at, const Statistics& statistics, std::string& path);

  RunRecordWriter writer_;
  std::vector<Core> cores_;
  std::map<std::string, Track, std::less<>> tracks_;
  std::map<Track, std::string> nodes_;  // "node1" of each of these tracks
  std::vector<Future> futures_;         // a heap: the first to end is in front
  Picoseconds passed_;                  // simulated time that has passed at least
  Flow flows_ = 0;
  std::map<std::string, Counter, std::less<>> counters_;
  std::vector<Open> open_;
  std::optional<Counter> samples_;
  std::map<std::string, Line, std::less<>> lines_;  // by console or serial line
};

}  // namespace asterism
