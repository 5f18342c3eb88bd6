// Multilevel checkpointing by the Markov model of Moody et al., beside a Monte Carlo simulation of the same
// failures (models/resilience).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "platform/study/checkpoint_medium.h"
#include "platform/study/listed_levels.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/first_order.h"
#include "resilience/long_duration.h"
#include "resilience/monte_carlo.h"
#include "resilience/moody_markov.h"

namespace asterism {
namespace {

constexpr std::uint64_t min_cycles = 50;  // their mean is close to a normal distribution

enum class ScheduleChoice { given, best };
constexpr auto enum_names(ScheduleChoice) {
  return std::to_array<EnumName<ScheduleChoice>>(
      {{ScheduleChoice::given, "given", "the keys interval and counts"},
       {ScheduleChoice::best, "best", "the one of the highest efficiency by the Markov model"}});
}

struct MarkovStudy {
  ScheduleChoice schedule = ScheduleChoice::given;
  LongDuration interval = long_duration(2500);
  std::vector<std::uint64_t> counts = {0, 200};
  LongDuration min_interval = long_duration(1);
  std::vector<LongDuration> cost = {long_duration(9), long_duration(50), long_duration(438)};
  std::vector<LongDuration> restart = {long_duration(9), long_duration(50), long_duration(438)};
  std::vector<double> rate = {7.78e-6, 5.19e-7, 3e-8};
  double factor = 1;
  std::uint64_t failures = 0;
  HigherLevels higher_levels = HigherLevels::blocking;
  RecoveryRule recovery = RecoveryRule::escalate;
  double shape = 1;
  std::uint64_t seed = 1;
  std::optional<CheckpointMedium> medium = std::nullopt;
  Bytes checkpoint = 64_GiB;
};
static_assert(member_count<MarkovStudy>() == 15);
void describe(Fields& f, MarkovStudy& c) {
  const LongDuration tick(1), century = LongDuration(100ull * 365 * 86'400 * 1'000'000'000);
  f("schedule", c.schedule, "When a checkpoint of which level is written.", one_of<ScheduleChoice>());
  f.when("schedule", c.schedule, ScheduleChoice::given, [&] {
    f("interval", c.interval, "The work between two checkpoints of any level.", within(tick, century));
    f("counts", c.counts,
      "[a,b]: the number of checkpoints of each level but the last between two of the next level.",
      at_most(1'000'000'000));
  });
  f.when("schedule", c.schedule, ScheduleChoice::best, [&] {
    f("min_interval", c.min_interval,
      "The shortest interval that may be chosen. Without it, a checkpoint that costs nothing would be taken "
      "all the time.",
      within(tick, century));
  });
  f("cost", c.cost,
    "[a,b,c]: the time to write a checkpoint of each level. The level that survives the fewest failures "
    "comes first.",
    at_most(century));
  f("restart", c.restart, "[a,b,c]: the time to read a checkpoint of each level.", at_most(century));
  f("rate", c.rate, "[a,b,c]: the failures a second that need at least each level.", within(1e-18, 1e6));
  f("factor", c.factor, "The factor of all rates. This one number sweeps the failures of a machine.",
    within(1e-6, 1e6));
  f("medium", c.medium,
    "What holds the checkpoints of the first level: its engine gives their times, in place of the first of "
    "cost and restart. The columns have them.");
  f("checkpoint", c.checkpoint, "The size of a checkpoint on the medium. Others have their times.",
    within(1_B, Bytes(1'000'000ull * 1'000'000'000'000)));
  f("higher_levels", c.higher_levels,
    "How checkpoints of all levels but the first are written, in all models.", one_of<HigherLevels>());
  f("failures", c.failures,
    "The approximate number of failures of the Monte Carlo simulation beside the models; 0 leaves it out.",
    at_most(1'000'000'000));
  f("recovery", c.recovery,
    "What a failure does in the Monte Carlo simulation while a checkpoint of its level is read.",
    one_of<RecoveryRule>());
  f("shape", c.shape,
    "The shape of the Weibull distribution of the times between failures in the Monte Carlo simulation. 1 "
    "has no memory, as in the Markov model; below 1, failures come in bursts.",
    within(0.1, 10.0));
  f("seed", c.seed, "The seed of the Monte Carlo simulation.");
}

class MarkovPoint final : public StudyPointOf<MarkovStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    levels_ = listed_levels(config_.rate, config_.factor, config_.cost, config_.restart);
    if (config_.medium) put_first_level_on(*config_.medium, config_.checkpoint, library, levels_);
    if (config_.schedule == ScheduleChoice::best) return;
    if (config_.counts.size() + 1 != levels_.size())
      throw StudyMistake("counts", fmt::format("one for each of the {} levels but the last, got {}",
                                               levels_.size(), config_.counts.size()));
    given_ = {seconds(config_.interval), config_.counts};
    try {
      check_schedule(given_, levels_);
      if (config_.higher_levels == HigherLevels::background) check_drains(given_, levels_);
    } catch (const std::invalid_argument& mistake) {
      throw StudyMistake("counts", mistake.what());
    }
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const bool best = config_.schedule == ScheduleChoice::best;
    const CheckpointSchedule schedule =
        best ? markov_optimum(levels_, seconds(config_.min_interval), config_.higher_levels).schedule
             : given_;
    const double efficiency = markov_efficiency(levels_, schedule, config_.higher_levels);
    const MonteCarloResult simulated = simulate(schedule, efficiency, stop);
    const bool ended = simulated.cycles > 0 && simulated.efficiency > 0;
    std::vector<Cell> cells = {efficiency};
    if (ended) {
      const double away = simulated.efficiency - efficiency;
      // 0 if no failure occurred.
      const double halves = simulated.half_width_99 > 0 ? away / simulated.half_width_99 : 0;
      cells.insert(cells.end(),
                   {simulated.efficiency, simulated.half_width_99, halves, verdict(simulated, halves)});
    } else {
      cells.resize(5);
    }
    cells.push_back(first_order_efficiency(levels_, config_.higher_levels));
    cells.push_back(ended ? Cell(simulated.failures) : Cell());
    cells.push_back(schedule.interval.count());
    cells.push_back(fmt::format("[{}]", fmt::join(schedule.counts, ",")));
    cells.push_back(schedule.work().count());
    add_times_on_medium(config_.medium, levels_, cells);
    return cells;
  }

 private:
  // If the simulation is outside of the interval, the reason is an assumption of the Markov model that the
  // simulation does not make.
  std::string verdict(const MonteCarloResult& simulated, double halves) const {
    if (simulated.cycles < min_cycles) return "few cycles";
    if (std::abs(halves) <= 1) return "inside";
    const bool retries = config_.recovery == RecoveryRule::retry, remembers = config_.shape != 1;
    if (retries && remembers) return "both";
    if (!retries && !remembers) return "chance";
    return retries ? "escalation" : "memory";
  }

  MonteCarloResult simulate(const CheckpointSchedule& schedule, double efficiency,
                            const std::stop_token& stop) const {
    if (config_.failures == 0 || efficiency < min_efficiency) return {};
    const double of_a_cycle = failures_of(levels_) * (schedule.work() / efficiency);
    return simulate_checkpoints(levels_, schedule,
                                {.seed = config_.seed,
                                 .cycles = cycles_with(config_.failures, of_a_cycle),
                                 .rule = config_.recovery,
                                 .higher = config_.higher_levels,
                                 .shape = config_.shape,
                                 .stop = stop});
  }

  std::vector<CheckpointLevel> levels_;
  CheckpointSchedule given_;
};

const RegisteredStudy markov_study{
    {.name = "markov",
     .meaning = "Multilevel checkpointing by the Markov model of Moody et al. 2010: work over time",
     .coordinates = {"interval", "counts"},
     .columns =
         {{"efficiency", "efficiency", "", "Work over expected time, by the Markov model", 12},
          {"monte_carlo", "played", "", "The same by a Monte Carlo simulation of this schedule", 6},
          {"monte_carlo_error", "+-", "", "Half the width of its 99% confidence interval", 6},
          {"apart", "apart", "",
           "The simulation minus the model, in half widths of that interval: between -1 and 1 they agree", 1},
          {"breaks", "breaks", "",
           "inside: they agree. Otherwise the assumption of the model that the simulation does not make: "
           "escalation (recovery=retry), memory (shape other than 1), both; chance: none, one point of a "
           "hundred; few cycles: too few for an interval"},
          {"first_order", "1st order", "", "Each level alone at its own best interval, whatever the schedule",
           6},
          {"monte_carlo_failures", "", "", "Failures simulated"},
          {"interval_s", "interval", "s", "The work between two checkpoints"},
          {"checkpoints", "counts", "", "Checkpoints of each level but the last between two of the next"},
          {"cycle_s", "cycle", "s", "The work between two checkpoints of the last level", 0},
          medium_write_column,
          medium_read_column},
     .x = "interval_s",
     .y = "efficiency",
     .x_key = "interval",
     .other_x = "factor",
     .beside = {.column = "monte_carlo",
                .half_width = "monte_carlo_error",
                .keys = {"recovery", "shape", "failures", "seed"},
                .name = "played",
                .y_name = "Markov"},
     .bars = {"efficiency"},
     .intervals = {{.column = "monte_carlo", .half_of_99 = "monte_carlo_error"}},
     .make = make_study_point<MarkovPoint>}};

}  // namespace
}  // namespace asterism
