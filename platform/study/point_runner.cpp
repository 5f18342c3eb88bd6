#include "platform/study/point_runner.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <optional>
#include <thread>

#include "platform/exit_status.h"
#include "platform/repeated_signal.h"
#include "platform/study/blocked_signals.h"
#include "platform/study/point_ranks.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;

class Workers {
 public:
  Workers(const std::vector<StudyPoint*>& points, PointRun& run, unsigned count)
      : points_(points), run_(run), errors_(points.size()) {
    for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Workers() {
    stop();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void stop() { stop_.request_stop(); }
  std::size_t done() const { return done_; }
  bool ended() const { return ended_ == threads_.size(); }
  void rethrow() const {
    for (const std::exception_ptr& error : errors_)
      if (error) std::rethrow_exception(error);
  }

 private:
  void work() {
    const std::stop_token stop = stop_.get_token();
    for (std::size_t i = next_++; i < points_.size() && !stop.stop_requested(); i = next_++) {
      PointOutcome outcome = run_point(*points_[i], i, stop);
      if (outcome.error) {
        errors_[i] = outcome.error;
        stop_.request_stop();
        continue;
      }
      if (outcome.row && !outcome.partial) ++done_;
      run_.take(std::move(outcome));
    }
    ++ended_;
    pthread_kill(waiting_, SIGUSR1);
  }

  const std::vector<StudyPoint*>& points_;
  PointRun& run_;
  std::vector<std::exception_ptr> errors_;
  std::stop_source stop_;
  std::atomic<std::size_t> next_ = 0, done_ = 0, ended_ = 0;
  pthread_t waiting_ = pthread_self();
  std::vector<std::thread> threads_;
};

}  // namespace

std::size_t PointRun::done() const {
  return static_cast<std::size_t>(
             std::ranges::count_if(rows, [](const auto& row) { return row.has_value(); })) -
         partly();
}

std::size_t PointRun::partly() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < partial.size(); ++i) count += partial[i] && rows[i] ? 1 : 0;
  return count;
}

bool PointRun::has_crashed() const {
  return std::ranges::any_of(crashes, [](const std::string& how) { return !how.empty(); });
}

std::string PointRun::places() const {
  if (ranks == 0) return fmt::format("{} {}", threads, threads == 1 ? "thread" : "threads");
  const std::string each = threads == 1 ? "" : fmt::format(" of {}", threads);
  return fmt::format("{} {}{}", ranks, ranks == 1 ? "rank" : "ranks", each);
}

void PointRun::take(PointOutcome&& outcome) {
  rows[outcome.index] = std::move(outcome.row);
  partial[outcome.index] = outcome.partial ? 1 : 0;
  details[outcome.index] = std::move(outcome.detail);
  crashes[outcome.index] = std::move(outcome.crash);
}

void show_points(ProgressLine& line, std::size_t points, std::size_t done, double shares, bool stopping,
                 const std::string& words) {
  const double all = static_cast<double>(done) + shares, seconds = line.seconds();
  const bool is_known = all > 0 && !stopping;
  const double left = is_known ? seconds / all * (static_cast<double>(points) - all) : 1;
  if (!line.is_due(left)) return;
  std::string text = words.empty() ? fmt::format("{} of {} points", done, points) : words;
  text += fmt::format(", {:.0f} s", seconds);
  if (is_known) text += fmt::format(", about {:.0f} s left", left);
  if (stopping) text += ", stopping";
  line.show(text);
}

unsigned threads_for(std::size_t points, unsigned wished) {
  const unsigned most = wished ? wished : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<std::size_t>(most, std::max<std::size_t>(points, 1)));
}

PointRun run_points(const std::vector<StudyPoint*>& points, const PointRunSettings& settings) {
  if (settings.ranks) return run_points_on_ranks(points, settings);
  PointRun run(points.size());
  run.threads = threads_for(points.size(), settings.threads);
  const BlockedSignals signals;
  RepeatedSignal repeated;
  ProgressLine progress(settings.show_progress);
  {
    Workers workers(points, run, run.threads);
    while (!workers.ended()) {
      if (const auto signal = signals.wait(250ms)) {
        if (repeated.take(*signal, RepeatedSignal::Clock::now()) == RepeatedSignal::Meaning::second) {
          progress.clear();
          _exit(static_cast<int>(ExitStatus::interrupted));
        }
        run.interrupted = true;
        workers.stop();
      }
      if (workers.ended()) break;
      double shares = 0;
      for (const StudyPoint* point : points) shares += point->share_done();
      show_points(progress, points.size(), workers.done(), shares, run.interrupted,
                  points.size() == 1 ? points[0]->progress() : "");
    }
    workers.rethrow();
  }
  run.interrupted = run.interrupted && run.done() < points.size();
  run.host_seconds = progress.seconds();
  return run;
}

}  // namespace asterism
