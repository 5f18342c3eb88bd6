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
#include <mutex>
#include <optional>
#include <thread>

#include "platform/host/exit_status.h"
#include "platform/host/human_time.h"
#include "platform/host/repeated_signal.h"
#include "platform/study/blocked_signals.h"
#include "platform/study/point_ranks.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;

// The time that points have to stop after a request.
constexpr auto part_free_timeout = 300ms, timeout_with_a_part = 2000ms;

class Workers {
 public:
  Workers(const std::vector<StudyPoint*>& points, unsigned count)
      : points_(points), run_(points.size()), errors_(points.size()), under_way_(points.size()) {
    run_.threads = count;
    for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Workers() {
    stop();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void stop() {
    if (!stopped_) stopped_ = Clock::now();
    stop_.request_stop();
  }
  std::size_t done() const { return done_; }
  bool ended() const { return ended_ == threads_.size(); }
  void rethrow() const {
    for (const std::exception_ptr& error : errors_)
      if (error) std::rethrow_exception(error);
  }
  std::string watch(const PointRunSettings& settings) {
    const std::lock_guard lock(taking_);
    return settings.watch ? settings.watch(run_) : "";
  }
  PointRun take_all() {
    const std::lock_guard lock(taking_);
    is_taken_ = true;
    return std::move(run_);
  }

  // Whether a point has not stopped in time.
  bool are_overdue() const {
    if (!stopped_) return false;
    const auto waited = Clock::now() - *stopped_;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (under_way_[i] && waited > (points_[i]->keeps_a_part() ? timeout_with_a_part : part_free_timeout))
        return true;
    return false;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void work() {
    const std::stop_token stop = stop_.get_token();
    for (std::size_t i = next_++; i < points_.size() && !stop.stop_requested(); i = next_++) {
      under_way_[i] = true;
      take(i, run_point(*points_[i], i, stop));
      under_way_[i] = false;
    }
    ++ended_;
    pthread_kill(waiting_, SIGUSR1);
  }
  void take(std::size_t i, PointOutcome&& outcome) {
    const std::lock_guard lock(taking_);
    if (is_taken_) return;
    if (outcome.error) {
      errors_[i] = outcome.error;
      stop_.request_stop();
      return;
    }
    if (outcome.row && !outcome.partial) ++done_;
    run_.take(std::move(outcome));
  }

  const std::vector<StudyPoint*>& points_;
  std::mutex taking_;
  PointRun run_;
  bool is_taken_ = false;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::atomic<bool>> under_way_;
  std::stop_source stop_;
  std::optional<Clock::time_point> stopped_;  // by a signal
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
                 const std::string& words, const char* points_are) {
  const double all = static_cast<double>(done) + shares, seconds = line.seconds();
  const bool is_known = all > 0 && !stopping;
  const double left = is_known ? seconds / all * (static_cast<double>(points) - all) : 1;
  if (!line.is_due(left)) return;
  std::string text = words.empty() ? fmt::format("{} of {} {}", done, points, points_are) : words;
  text += fmt::format(", {:.0f} s", seconds);
  if (is_known) text += fmt::format(", about {} left", human_seconds(left));
  if (stopping) text += ", stopping";
  line.show(text);
}

void print_besides(ProgressLine& line, const std::string& text) {
  if (text.empty()) return;
  line.clear();
  fmt::print(stderr, "{}\n", text);
}

unsigned threads_for(std::size_t points, unsigned wished) {
  const unsigned most = wished ? wished : std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<std::size_t>(most, std::max<std::size_t>(points, 1)));
}

PointRun run_points(const std::vector<StudyPoint*>& points, const PointRunSettings& settings) {
  if (settings.ranks) return run_points_on_ranks(points, settings);
  PointRun run;
  bool interrupted = false;
  const BlockedSignals signals;
  RepeatedSignal repeated;
  ProgressLine progress(settings.show_progress, settings.elsewhere);
  const auto take = [&](Workers& workers) {
    run = workers.take_all();
    run.interrupted = interrupted && run.done() < points.size();
    run.host_seconds = progress.seconds();
  };
  {
    Workers workers(points, threads_for(points.size(), settings.threads));
    while (!workers.ended()) {
      if (const auto signal = signals.wait(interrupted ? 50ms : 250ms)) {
        if (repeated.take(*signal, RepeatedSignal::Clock::now()) == RepeatedSignal::Meaning::second) {
          progress.clear();
          _exit(static_cast<int>(ExitStatus::interrupted));
        }
        interrupted = true;
        workers.stop();
      }
      if (workers.ended()) break;
      if (settings.give_up && workers.are_overdue()) {
        progress.clear();
        take(workers);
        try {
          settings.give_up(run);
        } catch (const std::exception& error) {
          fmt::print(stderr, "{}\n", error.what());
        }
        std::fflush(nullptr);
        _exit(static_cast<int>(ExitStatus::interrupted));
      }
      print_besides(progress, workers.watch(settings));
      double shares = 0;
      for (const StudyPoint* point : points) shares += point->share_done();
      show_points(progress, points.size(), workers.done(), shares, interrupted,
                  points.size() == 1 ? points[0]->progress() : "", settings.points_are);
    }
    workers.rethrow();
    take(workers);
  }
  return run;
}

}  // namespace asterism
