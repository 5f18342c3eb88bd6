// Runs points on all of the host's cores, or on the ranks of an MPI job (point_ranks.h). What a point returns does not depend
// on the threads or ranks, nor does the order of the results.
//
// While it runs, SIGINT and SIGTERM end it in good order: points under way are asked to stop, those that are done are
// kept. A second signal (repeated_signal.h) ends the process at once with status 130. So does a point that
// goes on all the same, after what is done has been handed to `give_up`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/study/point_message.h"
#include "platform/study/progress_line.h"
#include "platform/study/ranks.h"
#include "platform/study/study_kind.h"

namespace asterism {

struct PointRun {
  PointRun() = default;
  explicit PointRun(std::size_t points) : rows(points), partial(points), details(points), crashes(points) {}

  // All as the points.
  std::vector<std::optional<std::vector<Cell>>> rows;  // nothing for one that was not done
  std::vector<char> partial;                           // 1 where a stop came into it
  std::vector<std::string> details;                    // StudyPoint::detail()
  std::vector<std::string>
      crashes;  // on ranks: "killed by SIGSEGV", how its process ended; "" for one that has not crashed

  bool interrupted = false;
  double host_seconds = 0;
  unsigned threads = 1;  // of each rank, where there are ranks
  int ranks = 0;         // 0: not run on ranks

  std::size_t done() const;  // all of it
  std::size_t partly() const;
  bool has_crashed() const;
  std::string places() const;  // "2 threads", "4 ranks", "4 ranks of 2"

  void take(PointOutcome&& outcome);  // one without an error
};

struct PointRunSettings {
  // Points at a time; of each rank, where there are ranks. 0: as many as the host has cores; one of each rank.
  unsigned threads = 0;
  // A line on stderr, when that is a terminal and the run has taken two seconds; of rank 0, also where it is none.
  bool show_progress = true;
  Ranks* ranks = nullptr;  // this is rank 0, the others are in serve_points(); null: threads
  // In threads: points that have not stopped 0.3 s after they were asked to, or 2 s where they keep a part,
  // are given up. This gets what the others have done; then the process ends with status 130. Null: they are
  // waited for.
  std::function<void(const PointRun&)> give_up = {};
};

// How many threads run so many points: those wished for, 0 for the host's cores, but no more than points.
unsigned threads_for(std::size_t points, unsigned wished);

// How far all points are. `shares` of points that are under way; `words` of a point that is the only one.
void show_points(ProgressLine& line, std::size_t points, std::size_t done, double shares, bool stopping,
                 const std::string& words);

// A StudyMistake of a point, or any other exception, ends the run; that of the first point in the order is thrown.
PointRun run_points(const std::vector<StudyPoint*>& points, const PointRunSettings& settings = {});

}  // namespace asterism
