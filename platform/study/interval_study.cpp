// How often a machine should write checkpoints, to which level, and the cost of that (models/resilience).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "platform/study/share.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/first_order.h"
#include "resilience/long_duration.h"
#include "resilience/monte_carlo.h"
#include "resilience/moody_markov.h"
#include "resilience/young_daly.h"

namespace asterism {
namespace {

enum class IntervalRule { young, daly_first, daly, best, given };
constexpr auto enum_names(IntervalRule) {
  return std::to_array<EnumName<IntervalRule>>(
      {{IntervalRule::young, "young", "Young 1974, first order"},
       {IntervalRule::daly_first, "daly_first", "Daly 2003, first order with the restart"},
       {IntervalRule::daly, "daly", "Daly 2006, higher order"},
       {IntervalRule::best, "best",
        "the optimum of the exact model, on two levels if there is a local place"},
       {IntervalRule::given, "given", "the key interval"}});
}

struct IntervalStudy {
  LongDuration mtbf = long_duration(14'400);
  LongDuration dump = long_duration(90);
  std::optional<LongDuration> restart = std::nullopt;
  std::optional<LongDuration> local_dump = std::nullopt;
  std::optional<LongDuration> local_restart = std::nullopt;
  Share local_share = Share(839'000);
  LongDuration run = long_duration(604'800);
  IntervalRule rule = IntervalRule::best;
  LongDuration interval = long_duration(3600);
  std::uint64_t failures = 200'000;
  std::uint64_t seed = 1;
};
static_assert(member_count<IntervalStudy>() == 11);
void describe(Fields& f, IntervalStudy& c) {
  const LongDuration none, tick(1), century(100ull * 365 * 86'400 * 1'000'000'000);
  f("mtbf", c.mtbf,
    "The mean time of the machine between two failures of any kind. A shorter one asks for more checkpoints.",
    within(tick, century));
  f("dump", c.dump,
    "The time to write a checkpoint to a place that survives every failure, such as a parallel file system.",
    within(none, century));
  f("restart", c.restart, "The time to resume from that checkpoint. Without it, the time to write it.",
    within(none, century));
  f("local_dump", c.local_dump,
    "The time to write a checkpoint to a place that survives only some failures, such as the memory of the "
    "node. Without it, there is no such place.",
    within(none, century));
  f("local_restart", c.local_restart, "The time to resume from that local checkpoint.",
    within(none, century));
  f("local_share", c.local_share,
    "The share of failures that the local place survives; dong2011 section 4.3 has 83.9% at one petaflops.",
    within(Share(1), Share(999'999)));
  f("run", c.run, "The work of a run. A run that is shorter than the interval has no checkpoint.",
    within(tick, century));
  f("rule", c.rule, "The rule that chooses the interval.", one_of<IntervalRule>());
  f.when("rule", c.rule, IntervalRule::given, [&] {
    f("interval", c.interval, "The work between two checkpoints. The rules choose 1 s or more.",
      within(tick, century));
  });
  f("failures", c.failures,
    "The approximate number of failures of the Monte Carlo simulation. More of them make its confidence "
    "interval narrower; 0 leaves the simulation out.",
    at_most(1'000'000'000));
  f("seed", c.seed, "The seed of the Monte Carlo simulation.");
}

// The choice of a rule, and its outcome.
struct Answer {
  std::vector<CheckpointLevel> levels;
  CheckpointSchedule schedule;
  bool writes = true;  // whether any checkpoint is written
  double efficiency = 0;
  Seconds run_time;
};

class IntervalPoint final : public StudyPointOf<IntervalStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    if (config_.rule == IntervalRule::given && config_.interval > config_.run)
      throw StudyMistake("interval", fmt::format("expected at most the run's work, {}, got {}",
                                                 to_text(config_.run), to_text(config_.interval)));
    if (config_.local_restart && !config_.local_dump)
      throw StudyMistake("local_restart", "there is no local place without local_dump");
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const Answer answer = answered();
    const Seconds interval = answer.schedule.interval;
    const double efficiency = answer.efficiency;
    const MonteCarloResult simulated = simulate(answer, stop);
    const bool ended = simulated.failures > 0 && simulated.efficiency > 0;
    const CheckpointLevel global = global_level();
    std::vector<Cell> cells = {seconds(config_.mtbf).count() / 3600, interval.count(), place(answer)};
    cells.push_back(answer.writes ? Cell(86'400 * efficiency / interval.count()) : Cell(0.0));
    cells.push_back(100 * efficiency);
    cells.push_back(ended ? Cell(100 * simulated.efficiency) : Cell());
    cells.push_back(ended ? Cell(100 * simulated.half_width_99) : Cell());
    const double writing = answer.writes ? 100 * efficiency * written(answer) : 0;
    cells.push_back(writing);
    cells.push_back(100 * (1 - efficiency) - writing);
    cells.push_back(answer.run_time.count() / 3600);
    const bool is_first_order = answer.levels.size() == 1 && answer.writes;
    cells.push_back(is_first_order ? Cell(100 / (1 + first_order_cost(global, interval))) : Cell());
    cells.push_back(simulated.failures);
    return cells;
  }

 private:
  CheckpointLevel global_level() const {
    return {Rate(1 / seconds(config_.mtbf).count()), seconds(config_.dump),
            seconds(config_.restart.value_or(config_.dump))};
  }

  std::vector<CheckpointLevel> two_levels() const {
    const CheckpointLevel all = global_level();
    const double share = static_cast<double>(config_.local_share.count()) / 1e6;
    const LongDuration dump = *config_.local_dump;
    return {{all.failures * share, seconds(dump), seconds(config_.local_restart.value_or(dump))},
            {all.failures * (1 - share), all.checkpoint, all.restart}};
  }

  Seconds interval_by_rule(const CheckpointLevel& level) const {
    switch (config_.rule) {
      case IntervalRule::young:
        return young_interval(level);
      case IntervalRule::daly_first:
        return daly_first_order_interval(level);
      case IntervalRule::daly:
        return daly_interval(level);
      case IntervalRule::best:
        return best_interval(level);
      case IntervalRule::given:
        return seconds(config_.interval);
    }
    return {};
  }

  Answer answered() const {
    const CheckpointLevel global = global_level();
    const Seconds run = seconds(config_.run), least = std::min(Seconds(1), run);
    Answer answer;
    answer.levels = {global};
    const bool is_given = config_.rule == IntervalRule::given;
    answer.schedule.interval =
        is_given ? seconds(config_.interval) : std::max(interval_by_rule(global), least);
    answer.efficiency = single_level_efficiency(global, answer.schedule.interval);
    if (config_.rule == IntervalRule::best && config_.local_dump) {
      const std::vector<CheckpointLevel> levels = two_levels();
      const MarkovOptimum best = markov_optimum(levels, least);
      if (best.efficiency > answer.efficiency && best.schedule.counts[0] > 0)
        answer = {levels, best.schedule, true, best.efficiency, run / best.efficiency};
    }
    if (answer.schedule.interval >= run && config_.rule != IntervalRule::given) {
      answer.schedule.interval = run;
      answer.writes = false;
    }
    if (answer.levels.size() == 1) answer.run_time = expected_run_time(global, answer.schedule.interval, run);
    if (!answer.writes) answer.efficiency = run / answer.run_time;
    return answer;
  }

  // The time for checkpoints divided by the time for work, without failures.
  static double written(const Answer& answer) {
    const Seconds work = answer.schedule.work();
    return (answer.schedule.until(answer.schedule.intervals(), answer.levels) - work) / work;
  }

  static std::string place(const Answer& answer) {
    if (answer.efficiency < min_efficiency) return "nowhere: no progress";
    if (!answer.writes) return "nowhere: the run is shorter";
    if (answer.levels.size() == 1) return "global";
    return fmt::format("local, 1 in {} global", answer.schedule.counts[0] + 1);
  }

  MonteCarloResult simulate(const Answer& answer, const std::stop_token& stop) const {
    if (config_.failures == 0 || !answer.writes || answer.efficiency < min_efficiency) return {};
    const double of_a_cycle = failures_of(answer.levels) * (answer.schedule.work() / answer.efficiency);
    return simulate_checkpoints(
        answer.levels, answer.schedule,
        {.seed = config_.seed, .cycles = cycles_with(config_.failures, of_a_cycle), .stop = stop});
  }
};

const RegisteredStudy interval_study{
    {.name = "interval",
     .meaning = "How often to write a checkpoint, where, and what that costs: rules of thumb and the optimum",
     .coordinates = {"mtbf", "dump", "local_dump"},
     .columns = {{"mtbf_h", "", "h", "The mean time between two failures"},
                 {"interval_s", "interval", "s", "The work between two checkpoints", 1},
                 {"where", "where", "", "Where they are written"},
                 {"checkpoints_per_day", "a day", "", "Checkpoints in a day of the machine", 1},
                 {"efficiency_percent", "works", "%", "Work over expected time, by the exact model", 3},
                 {"played_percent", "played", "%", "The same by a Monte Carlo simulation", 3},
                 {"played_error", "+-", "%", "Half the width of its 99% confidence interval", 3},
                 {"writing_percent", "writes", "%", "The share of the time for checkpoints that are of use",
                  3},
                 {"lost_percent", "loses", "%", "The share of the time for restarts and for work done again",
                  3},
                 {"run_h", "run", "h", "The expected time of the run"},
                 {"first_order_percent", "", "%", "Work over time at this interval, to first order"},
                 {"failures", "", "", "Failures simulated"}},
     .x = "interval_s",
     .y = "efficiency_percent",
     .x_key = "interval",
     .bars = {"efficiency_percent", "interval_s"},
     .intervals = {{.column = "played_percent", .half_of_99 = "played_error"}},
     .make = make_study_point<IntervalPoint>}};

}  // namespace
}  // namespace asterism
