#include "platform/study/point_runner.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <thread>

#include "platform/exit_status.h"

namespace asterism {
namespace {

using Clock = std::chrono::steady_clock;

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

  // The signal that came within a quarter of a second; -1 for none.
  int wait() const {
    const timespec quarter{.tv_sec = 0, .tv_nsec = 250'000'000};
    return sigtimedwait(&signals_, nullptr, &quarter);
  }

 private:
  sigset_t signals_{}, before_{};
};

class Progress {
 public:
  Progress(bool wanted, std::size_t points) : wanted_(wanted && isatty(STDERR_FILENO)), points_(points) {}
  ~Progress() {
    if (visible_) fmt::print(stderr, "\r\033[K");
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // `shares` of points that are under way; `words` of a point that is the only one.
  void update(std::size_t done, double shares, bool stopping, const std::string& words) {
    if (!wanted_ || seconds() < 2) return;
    const double all = static_cast<double>(done) + shares;
    std::string line = words.empty() ? fmt::format("{} of {} points", done, points_) : words;
    line += fmt::format(", {:.0f} s", seconds());
    if (all > 0 && !stopping)
      line += fmt::format(", about {:.0f} s left", seconds() / all * (static_cast<double>(points_) - all));
    if (stopping) line += ", stopping";
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    visible_ = true;
  }

 private:
  bool wanted_, visible_ = false;
  std::size_t points_;
  Clock::time_point start_ = Clock::now();
};

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
  Progress progress(settings.show_progress, points.size());
  {
    Workers workers(points, run, threads_for(points.size(), settings.threads));
    while (!workers.ended()) {
      const int signal = signals.wait();
      if (signal == SIGINT || signal == SIGTERM) {
        if (run.interrupted) _exit(static_cast<int>(ExitStatus::interrupted));
        run.interrupted = true;
        workers.stop();
      }
      double shares = 0;
      for (const StudyPoint* point : points) shares += point->share_done();
      progress.update(workers.done(), shares, run.interrupted,
                      points.size() == 1 ? points[0]->progress() : "");
    }
    workers.rethrow();
  }
  run.interrupted = run.interrupted && run.done() < points.size();
  run.host_seconds = progress.seconds();
  return run;
}

}  // namespace asterism
