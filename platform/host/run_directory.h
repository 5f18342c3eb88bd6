// The folder that a run writes: scenario.json (fully expanded; it can be run again), stats.json, host.json,
// console.log, uart0.log, events.jsonl, files/ (written by the firmware through semihosting), and on request
// traces/ (signals of RTL, transactions.bin), profile.txt, profile.folded, profile.svg, profile_lines.txt,
// timeline.svg and last_instructions.txt. A run that fails has cores.txt. Studies and papers write their
// folders in the same way.
//
// A run writes to DIR.partial, which is renamed to DIR by finish(); an older run of that name is then
// replaced. A run that fails leaves nothing, and a run that is killed leaves DIR.partial; the older DIR is
// not changed. A folder counts as a run directory if it holds scenario.json, events.jsonl and only files that
// a run writes; DIR.partial may lack any of them. Errors: ConfigError if DIR or DIR.partial exists and is not
// a run directory, is being written by another run, or cannot be created; also if DIR is empty, the current
// folder, or a folder above it. OutputFailure if a file cannot be written to the end, or if the folder cannot
// take its name at the end.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_log.h"
#include "base/statistics.h"
#include "platform/host/log_file.h"

namespace asterism {

// What such a folder may contain, by name or by extension (".csv"), and what every finished one contains.
struct DirectoryContents {
  std::vector<std::string_view> entries, always;
};
extern const DirectoryContents contents_of_a_run;

class RunDirectory {
 public:
  explicit RunDirectory(const std::filesystem::path& directory,
                        const DirectoryContents& contents = contents_of_a_run);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  // All paths are absolute. path() is the folder during the run.
  const std::filesystem::path& path() const { return partial_; }
  std::filesystem::path files() const { return partial_ / "files"; }
  const std::filesystem::path& final_path() const { return final_; }
  int lock() const { return lock_; }  // a locked descriptor of path()

  void write(const std::string& name, std::string_view text) const;
  void finish();
  // For a process that continues from a snapshot: the files are now in `other`, with the same lock.
  void take_over(const std::filesystem::path& other);
  // For a forked process: continues in a folder of its own with a copy of the files, and reopens the open
  // files there.
  void branch(const std::filesystem::path& other);
  // The run was interrupted: its files stay in path(), and an older run is not changed.
  void leave_partial() { finished_ = true; }

 private:
  std::filesystem::path final_, partial_;
  int lock_ = -1;
  bool finished_ = false;
};

// Whether a path is a folder or is anywhere below it. Symbolic links are followed.
bool lies_within(const std::filesystem::path& path, const std::filesystem::path& folder);

// Writes events.jsonl: one object per line, {"time_ps": ..., "source": ..., "kind": ..., details}. Also
// counts the events that `expect` and the progress line need.
class EventFile final : public EventLog {
 public:
  explicit EventFile(const std::filesystem::path& file) : out_(file) {}
  // LogFile::check()
  void check() const { out_.check(); }
  void record(Picoseconds at, std::string_view source, std::string_view kind,
              std::initializer_list<Detail> details) override;
  using EventLog::record;
  // Passes all events on to another log, too. It must exist as long as events are recorded.
  void forward_to(EventLog& other) { others_.push_back(&other); }
  // That of the first of these logs which has one.
  ActivityLog* activity_log() override;

  std::uint64_t count() const;  // all events
  std::uint64_t count(const std::string& kind) const;
  std::uint64_t count(const std::string& kind, const std::string& source) const;
  // The number of power losses and uncorrectable errors after which the firmware continued from a checkpoint.
  std::uint64_t recoveries() const { return recoveries_; }
  // When the power returns, of a node that has lost it; nullopt: it is on.
  std::optional<Picoseconds> power_returns() const { return power_returns_; }
  // The period of a loop of warm resets that lasts until now: nullopt if the last two intervals between them
  // were not alike, if the last reset was longer ago than that, or if a checkpoint was completed meanwhile.
  std::optional<Picoseconds> reset_period(Picoseconds now) const;

 private:
  LogFile out_;
  std::vector<EventLog*> others_;
  struct Count {
    std::string source;
    std::uint64_t events = 0;
  };
  std::map<std::string, std::vector<Count>> counts_;  // by kind
  bool lost_ = false;                                 // power or data were lost and not restored since
  std::uint64_t recoveries_ = 0;
  std::optional<Picoseconds> power_returns_;
  std::vector<Picoseconds> resets_;  // the last three since a checkpoint was completed
};

// The statistics as JSON text, indented by two blanks, in the order in which they were added.
std::string to_json(const Statistics& statistics);

}  // namespace asterism
