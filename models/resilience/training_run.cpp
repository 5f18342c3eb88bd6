#include "resilience/training_run.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>

#include "base/random.h"
#include "resilience/node_failures.h"

namespace asterism {
namespace {

// The pattern of work and checkpoints of a run that nothing disturbs. Its clock stands still while the run is
// down, and goes back with it.
class TrainingPattern {
 public:
  TrainingPattern(const TrainingJob& job, const TrainingCosts& costs)
      : has_memory_(costs.memory_interval > Seconds()),
        file_first_(has_memory_ && costs.file_interval < costs.memory_interval),
        interval_(has_memory_ && !file_first_ ? costs.memory_interval : costs.file_interval),
        stall_(!has_memory_  ? Seconds()
               : file_first_ ? costs.file_stall
                             : costs.memory_stall),
        every_(has_memory_ ? std::round(std::max(costs.file_interval, costs.memory_interval) / interval_)
                           : 1),
        rare_stall_(file_first_ ? costs.memory_stall : costs.file_stall),
        memory_lag_(costs.memory_lag),
        file_lag_(costs.file_lag),
        iteration_(job.iteration) {}

  bool has_memory() const { return has_memory_; }

  Seconds clock_at(Seconds work) const {
    const double done = std::floor(work / interval_ + rounding);
    return work + stall_ * done + rare_stall_ * std::floor(done / every_ + rounding);
  }
  Seconds work_at(Seconds clock) const {
    const Seconds one = interval_ + stall_, cycle = one * every_ + rare_stall_;
    const double cycles = std::floor(clock / cycle + rounding);
    const Seconds rest = std::max(clock - cycle * cycles, Seconds());
    const double intervals = std::floor(rest / one + rounding);
    if (intervals >= every_)
      return interval_ * (every_ * (cycles + 1));  // the rarer checkpoint is being written
    return interval_ * (every_ * cycles + intervals) +
           std::clamp(rest - one * intervals, Seconds(), interval_);
  }
  // The work of the newest checkpoint that is complete.
  Seconds memory_checkpoint(Seconds clock) const {
    return newest(clock, memory_lag_, file_first_ ? interval_ * every_ : interval_);
  }
  Seconds file_checkpoint(Seconds clock) const { return newest(clock, file_lag_, file_distance()); }
  Seconds file_checkpoint_before(Seconds work) const {
    const Seconds distance = file_distance();
    return distance * std::floor(work / distance + rounding);
  }
  Seconds iteration_before(Seconds work) const {
    return iteration_ * std::floor(work / iteration_ + rounding);
  }

 private:
  static constexpr double rounding = 1e-9;

  Seconds file_distance() const { return file_first_ ? interval_ : interval_ * every_; }

  Seconds newest(Seconds clock, Seconds lag, Seconds distance) const {
    const Seconds at = std::max(clock - lag, Seconds());
    double count = std::floor(work_at(at) / distance + rounding);
    if (count > 0 && clock_at(distance * count) > at + Seconds(1e-6)) --count;  // it is being written
    return distance * count;
  }

  bool has_memory_;
  bool file_first_;  // the file system is written more often than memory
  Seconds interval_, stall_;
  double every_;  // so many checkpoints are followed by one of the rarer kind
  Seconds rare_stall_, memory_lag_, file_lag_, iteration_;
};

class TrainingPlayer {
 public:
  TrainingPlayer(const TrainingJob& job, const FailureProfile& profile, const TrainingRunSettings& settings)
      : job_(job),
        profile_(profile),
        settings_(settings),
        prediction_(predict_training(job, profile)),
        pattern_(job, prediction_.costs),
        copies_(job.copies()),
        is_lost_(job.nodes(), false),
        failures_({.nodes = job.nodes(),
                   .node_mttf = Seconds(1 / (profile.rate().per_second() * job.gpus_per_node)),
                   .shape = profile.shape,
                   .new_machine = settings.new_machine,
                   .seed = settings.seed}),
        random_(settings.seed ^ 0x7261696e) {
    outcome_.classes.resize(profile.classes.size());
    next_ = failures_.next();
  }

  TrainingOutcome run() {
    const Seconds end = pattern_.clock_at(settings_.work);
    while (!outcome_.finished && !ends_early()) {
      const Seconds left = (end - clock_) * (1 + slowdown_);
      const Seconds event = std::max(std::min(next_, found_ ? found_->at : Seconds(never)), now_);
      if (now_ + left <= event) {
        go_on(now_ + left);
        outcome_.finished = true;
      } else {
        go_on(event);
        if (found_ && found_->at <= next_)
          find();
        else
          fail();
      }
    }
    outcome_.time = now_;
    outcome_.work = outcome_.finished ? settings_.work : pattern_.work_at(clock_);
    outcome_.checkpoints = (outcome_.finished ? end : clock_) - outcome_.work;
    return outcome_;
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct Found {
    Seconds at;
    std::size_t of_class;
    Seconds since;  // the work at which it began
  };

  // So many failures in which the run comes no further than it has been take under a second to simulate, and
  // a run that finishes has far fewer.
  static constexpr std::uint64_t most_in_vain = 1'000'000;

  bool ends_early() const {
    return now_ >= settings_.give_up || outcome_.failures - failures_at_farthest_ >= most_in_vain ||
           settings_.stop.stop_requested();
  }

  double uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }

  std::size_t struck_class() {
    double share = uniform() * profile_.rate().per_second();
    std::size_t chosen = 0;
    while (chosen + 1 < profile_.classes.size() &&
           share >= profile_.rate(profile_.classes[chosen]).per_second())
      share -= profile_.rate(profile_.classes[chosen++]).per_second();
    while (chosen > 0 && profile_.classes[chosen].count <= 0) --chosen;
    ++outcome_.failures;
    ++outcome_.classes[chosen].failures;
    return chosen;
  }

  void go_on(Seconds until) {
    const Seconds taken = until - now_, done = taken / (1 + slowdown_);
    if (slowdown_ > 0) {
      outcome_.slow += taken - done;
      outcome_.classes[found_->of_class].lost += taken - done;
    }
    clock_ += done;
    now_ = until;
    if (clock_ <= farthest_) return;
    farthest_ = clock_;
    failures_at_farthest_ = outcome_.failures;
  }

  void fail() {
    next_ = failures_.next();
    const std::size_t struck = struck_class();
    const FailureClass& c = profile_.classes[struck];
    if (c.effect == FailureEffect::stops) return stop(struck, std::nullopt);
    if (!found_) begin(struck);
  }

  void begin(std::size_t struck) {
    const FailureClass& c = profile_.classes[struck];
    found_ = Found{now_ + seconds(c.found_after) * -std::log1p(-uniform()), struck, pattern_.work_at(clock_)};
    if (c.effect == FailureEffect::slows) slowdown_ = c.slowdown;
  }

  void find() {
    const Found found = *found_;
    found_.reset();
    const bool slow = profile_.classes[found.of_class].effect == FailureEffect::slows;
    if (slow) slowdown_ = 0;
    stop(found.of_class, slow ? std::nullopt : std::optional(found.since));
  }

  // Nodes that are lost already do not fail again.
  void lose_nodes(const FailureClass& c) {
    if (c.loses != FailureLoss::node) return;
    const std::size_t after = std::min<std::size_t>(lost_.size() + c.nodes, job_.nodes());
    while (lost_.size() < after) {
      const auto node = static_cast<std::uint32_t>(random_.below(job_.nodes()));
      if (is_lost_[node]) continue;
      is_lost_[node] = true;
      lost_.push_back(node);
      returning_.push_back(now_ + job_.repair);
    }
  }
  void forget_lost_nodes() {
    for (const std::uint32_t node : lost_) is_lost_[node] = false;
    lost_.clear();
    copies_left_ = true;
  }

  // The time until there are spares for all lost nodes.
  Seconds until_spares() {
    while (!returning_.empty() && returning_.front() <= now_) returning_.pop_front();
    if (returning_.size() <= job_.spares) return {};
    return returning_[returning_.size() - job_.spares - 1] - now_;
  }

  // Waits, unless a failure that stops the run is earlier, which loses its nodes. True if there was none. Of
  // the others, a slow GPU is slow when the run goes on, and there are no data that could become wrong.
  bool wait(Seconds time, Seconds& account, std::size_t of_class) {
    const Seconds until = now_ + time;
    while (next_ < until) {
      pass(next_, account, of_class);
      next_ = failures_.next();
      const std::size_t struck = struck_class();
      const FailureClass& c = profile_.classes[struck];
      if (c.effect == FailureEffect::stops) {
        lose_nodes(c);
        return false;
      }
      if (c.effect == FailureEffect::slows && !found_) begin(struck);
    }
    pass(until, account, of_class);
    return true;
  }
  void pass(Seconds until, Seconds& account, std::size_t of_class) {
    const Seconds taken = std::max(until - now_, Seconds());
    account += taken;
    outcome_.classes[of_class].lost += taken;
    now_ = std::max(until, now_);
  }

  // `since`: the data are wrong from this work on.
  void stop(std::size_t of_class, std::optional<Seconds> since) {
    ++outcome_.interruptions;
    forget_lost_nodes();
    file_best_ = std::max(file_best_, pattern_.file_checkpoint(clock_));
    if (pattern_.has_memory()) memory_best_ = std::max(memory_best_, pattern_.memory_checkpoint(clock_));
    const FailureEffect effect = profile_.classes[of_class].effect;
    bool planned = effect == FailureEffect::slows;  // until something else fails
    bool detected = effect != FailureEffect::stops;
    lose_nodes(profile_.classes[of_class]);
    while (!ends_early()) {
      const TrainingRecovery how = recovery(planned, since);
      if ((detected || wait(job_.detection, outcome_.detection, of_class)) &&
          wait(until_spares(), outcome_.spare_wait, of_class) &&
          wait(start_time(how, planned), outcome_.restart, of_class)) {
        resume(of_class, planned, since, how);
        return;
      }
      detected = planned = false;
    }
  }

  TrainingRecovery recovery(bool planned, std::optional<Seconds> since) {
    const Seconds file = file_checkpoint(since);
    const TrainingRecovery otherwise =
        file > Seconds() ? TrainingRecovery::file_system : TrainingRecovery::start;
    if (since) return otherwise;
    if (job_.protocol == TrainingProtocol::file_system)
      return planned ? TrainingRecovery::file_system : otherwise;  // it is written before the run stops
    if (!have_copies()) return otherwise;
    const bool file_is_nearer =
        !planned && file > Seconds() &&
        prediction_.costs.file_read - file < memory_read() - memory_checkpoint(pattern_.work_at(clock_));
    return file_is_nearer ? TrainingRecovery::file_system : TrainingRecovery::memory;
  }
  // What is lost does not come back while the run is down.
  bool have_copies() {
    if (!copies_left_) return false;
    std::ranges::sort(lost_);
    copies_left_ = survives(copies_, lost_);
    return copies_left_;
  }
  Seconds memory_checkpoint(Seconds work) const {
    return pattern_.has_memory() ? memory_best_ : pattern_.iteration_before(work);
  }
  Seconds memory_read() const {
    const TrainingCosts& costs = prediction_.costs;
    return pattern_.has_memory() ? costs.memory_read : costs.file_write + costs.file_read;
  }
  Seconds file_checkpoint(std::optional<Seconds> since) const {
    return since ? pattern_.file_checkpoint_before(std::min(*since, file_best_)) : file_best_;
  }

  Seconds start_time(TrainingRecovery how, bool planned) const {
    const TrainingCosts& costs = prediction_.costs;
    Seconds time = job_.restart + (lost_.empty() ? Seconds() : job_.replacement);
    if (how == TrainingRecovery::memory) time += memory_read();
    if (how == TrainingRecovery::file_system)
      time += costs.file_read + (planned ? costs.file_write : Seconds());
    return time;
  }

  void resume(std::size_t of_class, bool planned, std::optional<Seconds> since, TrainingRecovery how) {
    ++outcome_.recoveries[static_cast<std::size_t>(how)];
    const Seconds work = pattern_.work_at(clock_);
    Seconds back = file_checkpoint(since);
    if (how == TrainingRecovery::memory) back = memory_checkpoint(work);
    if (planned && how != TrainingRecovery::start && lost_.size() <= 1)
      back = pattern_.iteration_before(work);
    back = std::min(back, work);
    const Seconds clock = std::min(pattern_.clock_at(back), clock_);
    outcome_.rework += clock_ - clock;
    outcome_.classes[of_class].lost += clock_ - clock;
    clock_ = clock;
    if (found_ && profile_.classes[found_->of_class].effect == FailureEffect::corrupts &&
        back <= found_->since)
      found_.reset();
    // Checkpoints of wrong data are gone, and so are those in memory if the run comes back from elsewhere.
    // What it has come back from in memory is complete.
    if (since) file_best_ = std::min(file_best_, back);
    memory_best_ = how == TrainingRecovery::memory ? back : std::min(memory_best_, back);
  }

  const TrainingJob& job_;
  const FailureProfile& profile_;
  const TrainingRunSettings& settings_;
  TrainingPrediction prediction_;
  TrainingPattern pattern_;
  CopyPlacement copies_;
  std::vector<bool> is_lost_;
  NodeFailures failures_;
  Random random_;
  TrainingOutcome outcome_;

  Seconds now_, clock_, next_;
  Seconds farthest_;  // of the clock
  std::uint64_t failures_at_farthest_ = 0;
  double slowdown_ = 0;
  std::optional<Found> found_;       // what is wrong and not yet found
  Seconds file_best_, memory_best_;  // the work of the newest checkpoints that are complete
  std::vector<std::uint32_t> lost_;
  bool copies_left_ = true;        // in memory, without the lost nodes
  std::deque<Seconds> returning_;  // the nodes under repair, in the order of their return
};

}  // namespace

Seconds time_until_given_up(Seconds work, const TrainingPrediction& prediction) {
  return (prediction.goodput < 0.02 ? 5 : 50) * work;
}

TrainingOutcome simulate_training(const TrainingJob& job, const FailureProfile& profile,
                                  const TrainingRunSettings& settings) {
  return TrainingPlayer(job, profile, settings).run();
}

}  // namespace asterism
