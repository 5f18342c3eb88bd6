// Hybrid local/global checkpoints by dong2011's equations, with its symbols as keys (models/resilience).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "platform/study/share.h"
#include "platform/study/study_kind.h"
#include "resilience/local_global.h"
#include "resilience/local_global_monte_carlo.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

struct LocalGlobalStudy {
  LongDuration t_s = long_duration(30ull * 86'400);
  std::optional<double> p_l = std::nullopt;
  std::optional<LongDuration> tau = std::nullopt;
  LongDuration min_tau = LongDuration(100'000'000);
  LongDuration delta_l = LongDuration(101'000'000);
  LongDuration delta_g = LongDuration(286'714'286);
  LongDuration r_l = LongDuration(12'101'000'000);
  LongDuration r_g = LongDuration(12'286'714'286);
  double q_l = 0.839;
  LongDuration mttf = long_duration(7884);
  LongDuration coordination = LongDuration(0);
  LongDuration dirty_time = LongDuration(0);
  bool background = false;
  Share slowdown = Share(0);
  std::uint64_t failures = 0;
  std::uint32_t nodes = 20'000;
  double shape = 1;
  bool new_machine = false;
  std::uint64_t seed = 1;
};
static_assert(member_count<LocalGlobalStudy>() == 19);
void describe(Fields& f, LocalGlobalStudy& c) {
  const LongDuration none, tick(1), century(100ull * 365 * 86'400 * 1'000'000'000);
  f("t_s", c.t_s, "The work of the run.", within(tick, century));
  f("p_l", c.p_l, "The share of local checkpoints. Without it, that of the optimum.", within(0.0, 1.0));
  f("tau", c.tau, "The work between two checkpoints of any kind. Without it, the best one.",
    within(tick, century));
  f("min_tau", c.min_tau, "The shortest tau that may be chosen.", within(tick, century));
  f("delta_l", c.delta_l, "The time to write a local checkpoint.", within(none, century));
  f("delta_g", c.delta_g, "The time to write a global checkpoint.", within(none, century));
  f("r_l", c.r_l, "The time to recover from a local checkpoint.", within(none, century));
  f("r_g", c.r_g, "The time to recover from a global checkpoint.", within(none, century));
  f("q_l", c.q_l, "The share of failures that a local checkpoint survives.", within(0.0, 1.0));
  f("mttf", c.mttf, "The mean time to a failure of the machine.", within(tick, century));
  f("coordination", c.coordination,
    "The part of delta_l and of delta_g that does not depend on what the checkpoint holds.",
    within(none, century));
  f("dirty_time", c.dirty_time,
    "The time in which 63% of all pages are written. Checkpoints hold what has been written since the last "
    "one of their kind; with 0 they hold everything.",
    within(none, century));
  f("background", c.background,
    "Whether global checkpoints are stored from local ones while the program goes on. Otherwise it waits.");
  f.when("background", c.background, true, [&] {
    f("slowdown", c.slowdown, "The share of its speed that the program loses meanwhile.",
      within(Share(0), Share(1'000'000)));
  });
  f("failures", c.failures,
    "The approximate number of failures of the Monte Carlo simulation beside the equations; 0 leaves it out.",
    at_most(1'000'000'000));
  f("nodes", c.nodes, "The number of nodes that are simulated. They fail independently of each other.",
    within(1, 1'000'000));
  f("shape", c.shape,
    "The shape of the Weibull distribution of their lifetimes: 1 has no memory; below 1, new nodes fail more "
    "often.",
    within(0.1, 10.0));
  f("new_machine", c.new_machine,
    "Whether all nodes are new when the run begins. Otherwise they have all ages.");
  f("seed", c.seed, "The seed of the Monte Carlo simulation.");
}

class LocalGlobalPoint final : public StudyPointOf<LocalGlobalStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    if (config_.p_l == 1.0 && config_.q_l < 1)
      throw StudyMistake("p_l", "a failure that needs a global checkpoint never ends without one");
    if (config_.tau && *config_.tau > config_.t_s)
      throw StudyMistake("tau", fmt::format("expected at most the run's work, {}, got {}",
                                            to_text(config_.t_s), to_text(*config_.tau)));
    if (config_.coordination > std::min(config_.delta_l, config_.delta_g))
      throw StudyMistake("coordination", "expected at most delta_l and delta_g");
    try {
      const LocalGlobalCheckpoint one = checkpoint();
      const Chosen chosen = choose(one);
      local_global_time(one, seconds(config_.t_s), chosen.tau, chosen.local_share);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("tau", error.what());
    }
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const LocalGlobalCheckpoint one = checkpoint();
    const Seconds work = seconds(config_.t_s);
    const auto [tau, share] = choose(one);
    const LocalGlobalTime time = local_global_time(one, work, tau, share);
    const auto percent = [&](Seconds part) {
      return std::isfinite(part.count()) ? Cell(100 * (part / work)) : Cell();
    };
    std::vector<Cell> cells = {percent(time.total() - work),
                               100 * time.availability(),
                               tau.count(),
                               share,
                               closed_form_local_share(one),
                               percent(time.dump),
                               percent(time.rollback_recovery),
                               percent(time.extra_rollback)};
    LocalGlobalMonteCarlo simulated;
    if (config_.failures > 0)
      simulated = simulate_local_global(one, tau, share,
                                        {.nodes = config_.nodes,
                                         .shape = config_.shape,
                                         .new_machine = config_.new_machine,
                                         .failures = config_.failures,
                                         .seed = config_.seed,
                                         .stop = stop});
    const bool ended = simulated.availability > 0;
    cells.push_back(ended ? Cell(100 * simulated.availability) : Cell());
    cells.push_back(ended ? Cell(100 * simulated.half_width_99) : Cell());
    cells.push_back(ended ? Cell(simulated.failures) : Cell());
    return cells;
  }

 private:
  struct Chosen {
    Seconds tau;
    double local_share;
  };

  LocalGlobalCheckpoint checkpoint() const {
    return {.local = seconds(config_.delta_l),
            .global = seconds(config_.delta_g),
            .local_restart = seconds(config_.r_l),
            .global_restart = seconds(config_.r_g),
            .locally_recoverable = config_.q_l,
            .mttf = seconds(config_.mttf),
            .coordination = seconds(config_.coordination),
            .dirty_time = seconds(config_.dirty_time),
            .background = config_.background,
            .background_slowdown = static_cast<double>(config_.slowdown.count()) / 1e6};
  }
  Chosen choose(const LocalGlobalCheckpoint& one) const {
    const Seconds work = seconds(config_.t_s), least = std::min(seconds(config_.min_tau), work);
    const double share = config_.p_l ? *config_.p_l : local_global_optimum(one, least).local_share;
    return {std::min(config_.tau ? seconds(*config_.tau) : best_tau(one, share, least), work), share};
  }
};

const RegisteredStudy local_global_study{
    {.name = "local_global",
     .meaning = "Hybrid local/global checkpoints: dong2011's Eqs 1 to 7, their optimum, and a Monte Carlo "
                "simulation",
     .coordinates = {"mttf", "q_l"},
     .columns = {{"overhead_percent", "overhead", "%",
                  "Run time over work, minus 1; empty if there is no progress", 3},
                 {"availability_percent", "available", "%", "Work over run time: 1 / (1 + overhead)", 3},
                 {"tau_s", "tau", "s", "The work between two checkpoints", 3},
                 {"local_share", "p_L", "", "The share of local checkpoints", 4},
                 {"closed_form_share", "", "",
                  "The same for rare failures, in closed form: 1 - sqrt(q_G / (q_L (r - 1)))", 4},
                 {"dump_percent", "", "%", "The time of Eq. 2, as a share of the work", 3},
                 {"rollback_percent", "", "%", "The time of Eq. 4 with the recovery, as a share of the work",
                  3},
                 {"extra_percent", "", "%",
                  "The time of Eq. 6, back to the global checkpoint, as a share of the work", 3},
                 {"played_percent", "played", "%", "The availability by a Monte Carlo simulation", 3},
                 {"played_error", "+-", "%", "Half the width of its 99% confidence interval", 3},
                 {"failures", "", "", "Failures simulated"}},
     .x = "tau_s",
     .y = "overhead_percent",
     .x_key = "tau",
     .bars = {"overhead_percent"},
     .intervals = {{.column = "played_percent", .half_of_99 = "played_error"}},
     .make = make_study_point<LocalGlobalPoint>}};

}  // namespace
}  // namespace asterism
