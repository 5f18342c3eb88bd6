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
#include "platform/study/progress_line.h"

namespace asterism {
namespace {

// SIGINT, SIGTERM and the threads' own SIGUSR1 are blocked in every thread, and taken by the one that waits.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~BlockedSignals() {
    const timespec at_once{};
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    while (sigtimedwait(&own, nullptr, &at_once) == SIGUSR1) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // SIGINT or SIGTERM that came within a quarter of a second, or none.
  std::optional<siginfo_t> wait() const {
    const timespec quarter{.tv_sec = 0, .tv_nsec = 250'000'000};
    siginfo_t signal{};
    const int number = sigtimedwait(&signals_, &signal, &quarter);
    if (number != SIGINT && number != SIGTERM) return std::nullopt;
    return signal;
  }

 private:
  sigset_t signals_{}, before_{};
};

// How far all points are. `shares` of points that are under way; `words` of a point that is the only one.
void show(ProgressLine& line, std::size_t points, std::size_t done, double shares, bool stopping,
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
      try {
        std::vector<Cell> row = points_[i]->run(stop);
        run_.partial[i] = stop.stop_requested() ? 1 : 0;
        if (run_.partial[i] && !points_[i]->keeps_a_part()) break;
        run_.rows[i] = std::move(row);
        if (!run_.partial[i]) ++done_;
      } catch (...) {
        errors_[i] = std::current_exception();
        stop_.request_stop();
      }
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

unsigned threads_for(std::size_t points, unsigned wished) {
  const unsigned most = wished ? wished : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<std::size_t>(most, std::max<std::size_t>(points, 1)));
}

PointRun run_points(const std::vector<StudyPoint*>& points, const PointRunSettings& settings) {
  PointRun run;
  run.rows.resize(points.size());
  run.partial.resize(points.size());
  const BlockedSignals signals;
  RepeatedSignal repeated;
  ProgressLine progress(settings.show_progress);
  {
    Workers workers(points, run, threads_for(points.size(), settings.threads));
    while (!workers.ended()) {
      if (const auto signal = signals.wait()) {
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
      show(progress, points.size(), workers.done(), shares, run.interrupted,
           points.size() == 1 ? points[0]->progress() : "");
    }
    workers.rethrow();
  }
  run.interrupted = run.interrupted && run.done() < points.size();
  run.host_seconds = progress.seconds();
  return run;
}

}  // namespace asterism
