// `asterism sweep`: runs of a whole node over the product of swept keys. It is a study (study/study.h) whose
// points are runs of the `asterism` command, each a process with a run directory of its own. Studies read the
// sweep, distribute the runs to cores and ranks, and print the results.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scenario/scenario_request.h"
#include "platform/study/study.h"

namespace asterism {

struct InstalledFiles;

// A statistic of the runs: its dotted path in stats.json. If it is optional, the first run may lack it; other
// runs may in any case.
struct ShownStatistic {
  std::string path;
  bool is_optional = false;
};

// The statistics of a list "instructions,dimm_ssd.pages?". Throws ConfigError.
std::vector<ShownStatistic> shown_statistics(const std::string& list);

class RunSweep {
 public:
  // Reads the scenario and its overrides, and checks every run. Throws ConfigError or InputMissing with all
  // errors.
  RunSweep(const ScenarioRequest& request, std::vector<ShownStatistic> shown,
           const InstalledFiles& installed);
  RunSweep(const RunSweep&) = delete;
  RunSweep& operator=(const RunSweep&) = delete;

  const Study& study() const { return study_; }
  // Runs all; each leaves its run directory in `folder` under name_of_run(), and its output in a file
  // "<name>.log" beside it. Throws ConfigError for a statistic that the first run does not have.
  PointRun run(const std::filesystem::path& folder, const PointRunSettings& settings) const;

  std::string name_of_run(std::size_t run) const;  // "07", of which seeds=N makes "07_seed1" and so on
  // "run 07 (node.cores.count=4): time limit: ..."; "" if the run ended with status 0 or was not done.
  std::string failure(std::size_t run, const PointRun& runs) const;

 private:
  void choose_axis();

  std::vector<ShownStatistic> shown_;
  std::vector<std::string> headings_;  // of shown_
  StudyKind kind_;                     // its names refer to shown_ and headings_
  Study study_;
};

// One run as a study point. It belongs to no study kind, but rank 0 sends it to other ranks by this name.
inline constexpr std::string_view sweep_run = "sweep_run";
std::unique_ptr<StudyPoint> make_sweep_run();

}  // namespace asterism
