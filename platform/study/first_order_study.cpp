// Multilevel checkpointing to first order: each level alone at its own interval, and the product over all
// levels (models/resilience).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "platform/study/checkpoint_medium.h"
#include "platform/study/listed_levels.h"
#include "platform/study/study_kind.h"
#include "resilience/first_order.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

// The symbols of first_order.h, by level: C, R, lambda, tau.
struct FirstOrderStudy {
  std::vector<LongDuration> cost = {long_duration(9), long_duration(50), long_duration(438)};
  std::vector<LongDuration> restart = {long_duration(9), long_duration(50), long_duration(438)};
  std::vector<double> rate = {7.78e-6, 5.19e-7, 3e-8};
  double factor = 1;
  std::vector<LongDuration> interval = {};
  std::optional<CheckpointMedium> medium = std::nullopt;
  Bytes checkpoint = 64_GiB;
};
static_assert(member_count<FirstOrderStudy>() == 7);
void describe(Fields& f, FirstOrderStudy& c) {
  const LongDuration none, tick(1), century(100ull * 365 * 86'400 * 1'000'000'000);
  f("cost", c.cost, "[a,b,c]: C, the time to write a checkpoint of each level.", within(none, century));
  f("restart", c.restart, "[a,b,c]: R, the time to read a checkpoint of each level.", within(none, century));
  f("rate", c.rate, "[a,b,c]: lambda, the failures a second that need each level.", within(1e-18, 1e6));
  f("factor", c.factor, "The factor of all rates. This one number sweeps the failures of a machine.",
    within(1e-6, 1e6));
  f("interval", c.interval,
    "[a,b,c]: tau, the work between two checkpoints of each level. Without it, sqrt(2 C / lambda), which is "
    "the best.",
    within(tick, century));
  f("medium", c.medium,
    "What holds the checkpoints of the first level: its engine gives their times, in place of the first of "
    "cost and restart. The columns have them.");
  f("checkpoint", c.checkpoint, "The size of a checkpoint on the medium. Others have their times.",
    within(1_B, Bytes(1'000'000ull * 1'000'000'000'000)));
}

class FirstOrderPoint final : public StudyPointOf<FirstOrderStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    levels_ = listed_levels(config_.rate, config_.factor, config_.cost, config_.restart);
    if (config_.medium) put_first_level_on(*config_.medium, config_.checkpoint, library, levels_);
    if (!config_.interval.empty())
      expect_one_for_each_level("interval", config_.interval.size(), levels_.size());
  }

  std::vector<Cell> run(const std::stop_token&) override {
    std::vector<double> intervals, costs;
    double factor = 1, at_once = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const CheckpointLevel& level = levels_[i];
      const Seconds tau = config_.interval.empty() ? optimal_interval(level) : seconds(config_.interval[i]);
      const double cost = first_order_cost(level, tau);
      intervals.push_back(tau.count());
      costs.push_back(100 * cost);
      factor *= 1 + cost;
      at_once += level.failures * (tau + level.checkpoint + level.restart);
    }
    std::vector<Cell> cells{1 / factor, 100 * (factor - 1), at_once,
                            fmt::format("[{:.4g}]", fmt::join(intervals, ",")),
                            fmt::format("[{:.4g}]", fmt::join(costs, ","))};
    add_times_on_medium(config_.medium, levels_, cells);
    return cells;
  }

 private:
  std::vector<CheckpointLevel> levels_;
};

const RegisteredStudy first_order_study{
    {.name = "first_order",
     .meaning =
         "Multilevel checkpointing to first order: each level alone at its own interval, and their product",
     .coordinates = {"factor"},
     .columns = {{"efficiency", "efficiency", "",
                  "Work over time: 1 / prod(1 + C / tau + lambda (tau / 2 + R))", 6},
                 {"overhead_percent", "overhead", "%", "Time over work, minus 1", 3},
                 {"failures_at_once", "at once", "",
                  "lambda (tau + C + R), summed over all levels. The model holds while this is far below 1, "
                  "and promises too much beyond",
                  3},
                 {"intervals_s", "tau", "s", "The interval of each level"},
                 {"costs_percent", "costs", "%",
                  "The cost of each level alone, as a share of the time worked"},
                 medium_write_column,
                 medium_read_column},
     .x = "factor",
     .y = "efficiency",
     .x_key = "factor",
     .bars = {"efficiency"},
     .make = make_study_point<FirstOrderPoint>}};

}  // namespace
}  // namespace asterism
