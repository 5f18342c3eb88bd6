// The folder that a run leaves behind: scenario.json (fully expanded, runs again as it is), stats.json, host.json,
// console.log, uart0.log, events.jsonl, files/ (what the firmware wrote through semihosting), and when they are
// asked for traces/ (of RTL, transactions.bin), profile.txt, profile.folded and timeline.svg.
// Studies and papers leave folders of their own in the same way.
//
// A run writes into DIR.partial, which takes the name DIR when finish() is called; an older run of that name
// is replaced then. A run that fails leaves nothing, one that is killed leaves DIR.partial; the older DIR stays
// as it was. A folder is a run directory when it holds scenario.json, events.jsonl and only what a run makes;
// DIR.partial may lack any of it. Errors: ConfigError when DIR or DIR.partial exists and is no run directory, is
// being written by another run, or cannot be made; also when DIR is empty, the current folder or one above it.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_log.h"
#include "base/statistics.h"

namespace asterism {

// What such a folder may hold, by name or by extension (".csv"), and what every finished one holds.
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

  // All absolute. While the run goes on; below it files().
  const std::filesystem::path& path() const { return partial_; }
  std::filesystem::path files() const { return partial_ / "files"; }
  const std::filesystem::path& final_path() const { return final_; }
  int lock() const { return lock_; }  // a descriptor of path()

  void write(const std::string& name, std::string_view text) const;
  void finish();
  // In a process that has taken over from the one that made this: what was written stands in `other` now, with this lock.
  void take_over(const std::filesystem::path& other);
  // In a process that was forked: goes on in a folder of its own, with a copy of what was written, and what was open there
  // open here.
  void branch(const std::filesystem::path& other);
  // The run did not come to its end: what there is stays in path(), and an older run as it is.
  void leave_partial() { finished_ = true; }

 private:
  std::filesystem::path final_, partial_;
  int lock_ = -1;
  bool finished_ = false;
};

// Whether a path is a folder or lies somewhere below it, links followed.
bool lies_within(const std::filesystem::path& path, const std::filesystem::path& folder);

// events.jsonl: one object a line, {"time_ps": ..., "source": ..., "kind": ..., details}. Counts what
// `expect` and the progress line ask for.
class EventFile final : public EventLog {
 public:
  explicit EventFile(const std::filesystem::path& file) : out_(file) {}
  void record(Picoseconds at, std::string_view source, std::string_view kind,
              std::initializer_list<Detail> details) override;
  using EventLog::record;
  // Who hears of all events, too; outlives them.
  void tell(EventLog& other) { other_ = &other; }

  std::uint64_t count(const std::string& kind) const;
  // Power losses and uncorrectable errors after which the firmware went on from a checkpoint.
  std::uint64_t recoveries() const { return recoveries_; }

 private:
  std::ofstream out_;
  EventLog* other_ = nullptr;
  std::map<std::string, std::uint64_t> counts_;
  bool lost_ = false;  // power or data, and nothing restored since
  std::uint64_t recoveries_ = 0;
};

// A tree as JSON text, two blanks a level, in the order in which it was filled.
std::string to_json(const Statistics& statistics);

}  // namespace asterism
