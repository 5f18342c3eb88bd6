#include "platform/study/point_ranks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "platform/config/config_document.h"
#include "platform/config/config_reader.h"
#include "platform/config/config_writer.h"
#include "platform/host/exit_status.h"
#include "platform/host/progress_line.h"
#include "platform/host/repeated_signal.h"
#include "platform/study/blocked_signals.h"
#include "platform/study/point_pool.h"

namespace asterism {
namespace {

using namespace std::chrono_literals;

// MPI does not notify of messages: the time between polls for messages of other ranks, and without other
// ranks.
constexpr auto between_polls = 1ms, between_polls_alone = 100ms, between_polls_idle = 10ms;

// One run, as seen by rank 0.
class Deal {
 public:
  Deal(const std::vector<StudyPoint*>& points, Ranks& ranks, unsigned workers, PointRun& run)
      : points_(points),
        ranks_(ranks),
        run_(run),
        errors_(points.size()),
        progress_(points.size()),
        free_(reach(points, ranks), workers),
        pool_(workers, [this](const PointTask& task) -> StudyPoint& { return *points_[task.index]; }) {
    notify_others(StartPoints{workers});
    deal();
  }
  ~Deal() { notify_others(EndPoints{}); }
  Deal(const Deal&) = delete;
  Deal& operator=(const Deal&) = delete;

  bool ended() const { return under_way_ == 0 && (stopping_ || next_ == points_.size()); }
  void stop() {
    if (stopping_) return;
    stopping_ = true;
    pool_.stop();
    notify_others(StopPoints{});
  }
  // Waits a moment for messages. Returns whether another rank has received a signal.
  bool step() {
    bool signal = false;
    const auto hear = [&](int rank, PointMessage&& message) {
      signal = signal || std::holds_alternative<SignalReceived>(message);
      take(rank, std::move(message));
    };
    while (auto message = ranks_.receive()) hear(message->from, read_point_message(message->bytes));
    deal();
    if (ended()) return signal;
    pool_.wait(ranks_.size() > 1 ? between_polls : between_polls_alone,
               [&](PointMessage&& message) { hear(0, std::move(message)); });
    deal();
    return signal;
  }
  void rethrow() const {
    for (const std::exception_ptr& error : errors_)
      if (error) std::rethrow_exception(error);
  }

  std::size_t done() const { return done_; }
  double shares() const {
    return std::accumulate(progress_.begin(), progress_.end(), 0.0,
                           [](double sum, const PointProgress& one) { return sum + one.share; });
  }
  const std::string& words(std::size_t point) const { return progress_[point].words; }

 private:
  // How many ranks can make the points.
  static std::size_t reach(const std::vector<StudyPoint*>& points, const Ranks& ranks) {
    const bool all =
        std::ranges::all_of(points, [](const StudyPoint* point) { return !point->kind().empty(); });
    return all ? static_cast<std::size_t>(ranks.size()) : 1;
  }

  void deal() {
    while (!stopping_ && next_ < points_.size()) {
      const auto rank = std::ranges::max_element(free_);  // the first of those with the most free workers
      if (*rank == 0) return;
      StudyPoint& point = *points_[next_];
      PointTask task{next_++, "", "", point.keeps_a_part()};
      --*rank;
      ++under_way_;
      if (rank == free_.begin()) {
        pool_.run(task);
        continue;
      }
      task.kind = point.kind();
      task.config = write_object(point.config());
      ranks_.send(static_cast<int>(rank - free_.begin()), to_bytes(task));
    }
  }

  void take(int rank, PointMessage&& message) {
    if (auto* progress = std::get_if<PointProgress>(&message)) progress_[progress->index] = *progress;
    auto* outcome = std::get_if<PointOutcome>(&message);
    if (!outcome) return;
    --under_way_;
    ++free_[static_cast<std::size_t>(rank)];
    progress_[outcome->index] = {};
    if (outcome->error) {
      errors_[outcome->index] = outcome->error;
      return stop();
    }
    if (outcome->row && !outcome->partial) ++done_;
    run_.take(std::move(*outcome));
  }

  void notify_others(const PointMessage& message) {
    for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, to_bytes(message));
  }

  const std::vector<StudyPoint*>& points_;
  Ranks& ranks_;
  PointRun& run_;
  std::vector<std::exception_ptr> errors_;
  std::vector<PointProgress> progress_;  // of points under way
  std::vector<unsigned> free_;           // the free workers of each rank that takes part
  std::size_t next_ = 0, under_way_ = 0, done_ = 0;
  bool stopping_ = false;
  PointPool pool_;
};

// Makes points from tasks. A point exists until the next one is made, which may share parts of it.
class RemadePoints {
 public:
  RemadePoints(int rank, const LibraryFinder& library, const PointMaker& make)
      : rank_(rank), library_(library), make_(make) {}

  StudyPoint& operator()(const PointTask& task) {
    try {
      std::unique_ptr<StudyPoint> point = make_(task.kind);
      if (!point) throw std::runtime_error(fmt::format("there is no kind \"{}\"", task.kind));
      const ConfigLibrary library = library_();
      ConfigDocument document = ConfigDocument::parse(task.config, "config");
      Diagnostics problems;
      read_object(point->config(), document, &library, problems);
      problems.throw_if_any();
      point->prepare(library);
      point_ = std::move(point);
      return *point_;
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("rank {} cannot make a point that rank 0 could: {}", rank_, error.what()));
    }
  }

 private:
  int rank_;
  const LibraryFinder& library_;
  const PointMaker& make_;
  std::unique_ptr<StudyPoint> point_;
};

}  // namespace

PointRun run_points_on_ranks(const std::vector<StudyPoint*>& points, const PointRunSettings& settings) {
  PointRun run(points.size());
  run.ranks = settings.ranks->size();
  run.threads = std::max(1u, settings.threads);
  const BlockedSignals signals;
  RepeatedSignal repeated;
  ProgressLine progress(settings.show_progress, ProgressLine::Elsewhere::lines);
  {
    Deal deal(points, *settings.ranks, run.threads, run);
    while (!deal.ended()) {
      if (const auto signal = signals.wait(0ns)) {
        if (repeated.take(*signal, RepeatedSignal::Clock::now()) == RepeatedSignal::Meaning::second) {
          progress.clear();
          _exit(static_cast<int>(ExitStatus::interrupted));
        }
        run.interrupted = true;
        deal.stop();
      }
      if (deal.step()) {
        run.interrupted = true;
        deal.stop();
      }
      if (settings.watch) print_besides(progress, settings.watch(run));
      show_points(progress, points.size(), deal.done(), deal.shares(), run.interrupted,
                  points.size() == 1 ? deal.words(0) : "", settings.points_are);
    }
    deal.rethrow();
  }
  run.interrupted = run.interrupted && run.done() < points.size();
  run.host_seconds = progress.seconds();
  return run;
}

void serve_points(Ranks& ranks, const LibraryFinder& library, const PointMaker& make) {
  const BlockedSignals signals;
  RepeatedSignal repeated;
  RemadePoints points(ranks.rank(), library, make);
  std::optional<PointPool> pool;
  const auto report = [&](const PointMessage& message) { ranks.send(0, to_bytes(message)); };
  for (bool dismissed = false; !dismissed;) {
    if (const auto signal = signals.wait(0ns)) {
      if (repeated.take(*signal, RepeatedSignal::Clock::now()) == RepeatedSignal::Meaning::second)
        _exit(static_cast<int>(ExitStatus::interrupted));
      report(SignalReceived{});
    }
    while (const auto message = ranks.receive()) {
      const PointMessage received = read_point_message(message->bytes);
      if (const auto* start = std::get_if<StartPoints>(&received))
        pool.emplace(start->workers, [&](const PointTask& task) -> StudyPoint& { return points(task); });
      if (const auto* task = std::get_if<PointTask>(&received)) pool->run(*task);
      if (std::holds_alternative<StopPoints>(received) && pool) pool->stop();
      if (std::holds_alternative<EndPoints>(received)) pool.reset();
      dismissed = dismissed || std::holds_alternative<DismissRank>(received);
    }
    if (pool)
      pool->wait(between_polls, report);
    else if (!dismissed)
      std::this_thread::sleep_for(between_polls_idle);
  }
}

void dismiss_ranks(Ranks& ranks) {
  for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, to_bytes(DismissRank{}));
}

}  // namespace asterism
