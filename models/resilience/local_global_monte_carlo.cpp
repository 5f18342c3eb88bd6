#include "resilience/local_global_monte_carlo.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/confidence.h"

namespace asterism {
namespace {

constexpr std::uint64_t batches = 50;      // of equal work, for the confidence interval
constexpr double min_availability = 1e-3;  // by the equations; below it a simulation would not end
// The simulation ends early after so many times the requested failures.
constexpr double max_failure_ratio = 20;

class Player {
 public:
  Player(const LocalGlobalCheckpoint& checkpoint, Seconds tau, double local_share,
         const LocalGlobalMonteCarloSettings& play)
      : checkpoint_(with_increments(checkpoint, tau, local_share)),
        tau_(tau),
        global_share_(1 - local_share),
        max_failures_(max_failure_ratio * static_cast<double>(play.failures) + 1000),
        stop_(play.stop),
        source_({.nodes = play.nodes,
                 .node_mttf = checkpoint.mttf * play.nodes,
                 .shape = play.shape,
                 .new_machine = play.new_machine,
                 .seed = play.seed}),
        failing_(source_.next()) {}

  // Simulates until that many checkpoints are complete. Returns the time since the start of the machine, or
  // nothing if it ended early.
  std::optional<Seconds> reach(std::uint64_t checkpoints) {
    while (complete_ < checkpoints) {
      const bool global = is_global(complete_), waits = global && !checkpoint_.background;
      const Seconds end = end_of_work() + (waits ? checkpoint_.global : checkpoint_.local);
      if (end <= failing_) {
        now_ = end;
        ++complete_;
        if (waits) last_global_ = complete_;
        if (checkpoint_.background) store(global);
        continue;
      }
      if (gives_up()) return std::nullopt;
      recover();
    }
    return now_;
  }

  std::uint64_t failures() const { return failures_; }
  std::uint64_t global_failures() const { return global_failures_; }

 private:
  bool gives_up() const { return static_cast<double>(failures_) > max_failures_ || stop_.stop_requested(); }
  bool is_global(std::uint64_t checkpoint) const {
    const auto n = static_cast<double>(checkpoint);
    return std::floor((n + 1) * global_share_) > std::floor(n * global_share_);
  }
  // The end of an interval of work that begins now. It is slower while a checkpoint is being stored.
  Seconds end_of_work() const {
    if (!storing_ || stored_at_ <= now_) return now_ + tau_;
    const double speed = 1 - checkpoint_.background_slowdown;
    const Seconds slow = stored_at_ - now_, done = slow * speed;
    return done < tau_ ? stored_at_ + (tau_ - done) : now_ + tau_ / speed;
  }
  void note_stored() {
    if (!storing_ || stored_at_ > now_) return;
    last_global_ = *storing_;
    storing_.reset();
  }
  // After a checkpoint. If one is due while an earlier one is being stored, the next one is stored instead.
  void store(bool global) {
    note_stored();
    due_ = due_ || global;
    if (!due_ || storing_) return;
    storing_ = complete_;
    stored_at_ = now_ + checkpoint_.global;
    due_ = false;
  }
  // Advances to the next failure. Returns whether it needs a global checkpoint.
  bool fail() {
    now_ = failing_;
    failing_ = source_.next();
    ++failures_;
    note_stored();
    const bool global = source_.uniform() >= checkpoint_.locally_recoverable;
    global_failures_ += global;
    return global;
  }
  void recover() {
    bool global = global_share_ >= 1 && !checkpoint_.background;  // there are no local ones
    for (bool failed = true; failed;) {
      global = fail() || global;
      if (global) storing_.reset();
      stored_at_ = Seconds(std::numeric_limits<double>::infinity());  // nothing is stored meanwhile
      const Seconds end = now_ + (global ? checkpoint_.global_restart : checkpoint_.local_restart);
      failed = failing_ < end && !gives_up();
      if (!failed) now_ = end;
    }
    if (global) {
      complete_ = last_global_;
      due_ = false;
    }
    if (storing_) stored_at_ = now_ + checkpoint_.global;  // begun again from the local checkpoint
  }

  LocalGlobalCheckpoint checkpoint_;
  Seconds tau_;
  double global_share_, max_failures_;
  std::stop_token stop_;
  NodeFailures source_;
  Seconds now_, failing_;
  std::uint64_t complete_ = 0, last_global_ = 0;
  std::optional<std::uint64_t> storing_;  // the checkpoint that is being stored in the background
  Seconds stored_at_;
  bool due_ = false;
  std::uint64_t failures_ = 0, global_failures_ = 0;
};

}  // namespace

LocalGlobalMonteCarlo simulate_local_global(const LocalGlobalCheckpoint& checkpoint, Seconds tau,
                                            double local_share, const LocalGlobalMonteCarloSettings& play) {
  const double expected = local_global_time(checkpoint, tau, tau, local_share).availability();
  LocalGlobalMonteCarlo result;
  if (expected < min_availability) return result;
  Player player(checkpoint, tau, local_share, play);
  const double work = static_cast<double>(play.failures) * checkpoint.mttf.count() * expected;
  const auto of_a_batch = static_cast<std::uint64_t>(std::max(1.0, work / tau.count() / batches));
  double mean = 0, squares = 0;  // of the batches' times, by Welford
  Seconds begun;
  for (std::uint64_t n = 1; n <= batches; ++n) {
    const std::optional<Seconds> end = player.reach(n * of_a_batch);
    result.failures = player.failures();
    result.global_failures = player.global_failures();
    if (!end) return result;
    const double time = (*end - begun).count(), away = time - mean;
    begun = *end;
    mean += away / static_cast<double>(n);
    squares += away * (time - mean);
  }
  result.checkpoints = batches * of_a_batch;
  result.time = begun;
  result.availability = tau * static_cast<double>(of_a_batch) / Seconds(mean);
  result.half_width_99 = result.availability * half_width_99(squares, static_cast<double>(batches)) / mean;
  return result;
}

}  // namespace asterism
