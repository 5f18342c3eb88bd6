// Runs points on all of the host's cores. What a point returns does not depend on the threads, nor does the order of
// the results.
//
// While it runs, SIGINT and SIGTERM end it in good order: points under way are asked to stop, those that are done are
// kept. A second signal (repeated_signal.h) ends the process at once with status 130.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/study/study_kind.h"

namespace asterism {

struct PointRun {
  std::vector<std::optional<std::vector<Cell>>> rows;  // as the points; nothing for one that was not done
  std::vector<char> partial;                           // as the points; 1 where a stop came into it
  bool interrupted = false;
  double host_seconds = 0;

  std::size_t done() const;  // all of it
  std::size_t partly() const;
};

struct PointRunSettings {
  unsigned threads = 0;  // 0: as many as the host has cores
  // A line on stderr, when that is a terminal and the run has taken two seconds.
  bool show_progress = true;
};

// How many threads run so many points: those wished for, 0 for the host's cores, but no more than points.
unsigned threads_for(std::size_t points, unsigned wished);

// A StudyMistake of a point, or any other exception, ends the run; that of the first point in the order is thrown.
PointRun run_points(const std::vector<StudyPoint*>& points, const PointRunSettings& settings = {});

}  // namespace asterism
