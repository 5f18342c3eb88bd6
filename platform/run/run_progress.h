// The progress of a run, which is shown a few times a second:
//
//   12.4 ms simulated, 180 MIPS, 3 checkpoints, 7 s left as in the last run
//
// When a run ends is known only in advance from its time limit, at the latest, and from the last run in the
// same folder, which may have been another one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "platform/host/progress_line.h"
#include "platform/host/run_directory.h"
#include "platform/system/simulated_system.h"

namespace asterism {

// ", 7 s left as in the last run" or ", 7 s left at most"; "" if nothing is known. `elapsed` are seconds of
// the host, `last` is the simulated time of the last run. The default limit, which is far beyond the end of
// most runs, says nothing.
std::string time_left(Picoseconds now, double elapsed, Picoseconds until, std::optional<Picoseconds> last);

// The simulated time of the last run in a folder, if there is one.
std::optional<Picoseconds> time_of_last_run(const std::filesystem::path& folder);

class RunProgress {
 public:
  // `folder` is where the last run is, if there is one.
  RunProgress(bool wanted, Picoseconds until, const std::filesystem::path& folder);

  void update(const SimulatedSystem& system, const EventFile& events);
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  Picoseconds until_;
  std::optional<Picoseconds> last_;  // the simulated time of the last run
  double last_elapsed_ = 0;
  std::uint64_t last_instructions_ = 0;
};

}  // namespace asterism
