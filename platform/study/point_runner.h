// Runs points on all cores of the host, or on the ranks of an MPI job (point_ranks.h). Neither the results of
// the points nor their order depend on the number of threads or ranks.
//
// While points run, SIGINT and SIGTERM end the run in an orderly way: points in progress are asked to
// stop, and those that are done are kept. A second signal (repeated_signal.h) ends the process at once
// with status 130. So does a point that does not stop, after the results that are done have been handed to
// `give_up`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/host/progress_line.h"
#include "platform/study/point_message.h"
#include "platform/study/ranks.h"
#include "platform/study/study_kind.h"

namespace asterism {

struct PointRun {
  PointRun() = default;
  explicit PointRun(std::size_t points) : rows(points), partial(points), details(points), crashes(points) {}

  // Each has one element for each point.
  std::vector<std::optional<std::vector<Cell>>> rows;  // nothing for a point that was not done
  std::vector<char> partial;                           // 1 if a stop was requested during the point
  std::vector<std::string> details;                    // StudyPoint::detail()
  std::vector<std::string>
      crashes;  // on ranks: how the process of the point ended, "killed by SIGSEGV"; "" if it did not crash

  // Of a study with seeds=N, for each point the rows of its seeds, and for each number of its row half the
  // width of the 95% confidence interval (seeds.h).
  std::vector<std::vector<std::vector<Cell>>> seed_rows = {};
  std::vector<std::vector<std::optional<double>>> half_widths = {};

  bool interrupted = false;
  double host_seconds = 0;
  unsigned threads = 1;  // of each rank, if there are ranks
  int ranks = 0;         // 0: not run on ranks

  std::size_t done() const;  // the number of complete results
  std::size_t partly() const;
  bool has_crashed() const;
  std::string places() const;  // "2 threads", "4 ranks", "4 ranks of 2"

  void take(PointOutcome&& outcome);  // an outcome without an error
};

struct PointRunSettings {
  // The number of points that run at the same time, on each rank if there are ranks. 0: as many as the host
  // has cores; one on each rank.
  unsigned threads = 0;
  // Whether a line on stderr shows the progress once the run has taken two seconds: on a terminal, and on
  // rank 0 in any case.
  bool show_progress = true;
  // What shows it without ranks if stderr is not a terminal.
  ProgressLine::Elsewhere elsewhere = ProgressLine::Elsewhere::nothing;
  const char* points_are = "points";  // what the line calls them
  Ranks* ranks =
      nullptr;  // if given, this is rank 0, and the other ranks are in serve_points(); null: threads are used
  // With threads: points that have not stopped 0.3 s after the request, or 2 s if they keep a partial result,
  // are abandoned. This function receives the results of the others; then the process ends with status 130.
  // Null: the run waits for these points.
  std::function<void(const PointRun&)> give_up = {};
  // Called now and then while points run, with what is done so far. A text that it returns is printed to
  // stderr.
  std::function<std::string(const PointRun&)> watch = {};
};

// The number of threads for `points` points: the requested one, 0 for the cores of the host, but no more than
// points.
unsigned threads_for(std::size_t points, unsigned requested);

// Shows the progress of all points. `shares` is the sum over the points under way; `words` describes the only
// point, if there is only one.
void show_points(ProgressLine& line, std::size_t points, std::size_t done, double shares, bool stopping,
                 const std::string& words, const char* points_are = "points");

// Prints a text to stderr, if there is one, and clears the progress before it.
void print_besides(ProgressLine& line, const std::string& text);

// A StudyMistake of a point, or any other exception, ends the run. The one of the first point in order is
// thrown.
PointRun run_points(const std::vector<StudyPoint*>& points, const PointRunSettings& settings = {});

}  // namespace asterism
