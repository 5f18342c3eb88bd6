// Hybrid local/global checkpoints by dong2011's equations, with its symbols as keys (models/resilience).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "platform/study/study_kinds.h"
#include "resilience/local_global.h"
#include "resilience/local_global_monte_carlo.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

struct LocalGlobalStudy {
  LongDuration t_s = long_duration(30ull * 86'400);
  std::optional<double> p_l = std::nullopt;
  std::optional<LongDuration> tau = std::nullopt;
  LongDuration least_tau = LongDuration(100'000'000);
  LongDuration delta_l = LongDuration(101'000'000);
  LongDuration delta_g = LongDuration(286'714'286);
  LongDuration r_l = LongDuration(12'101'000'000);
  LongDuration r_g = LongDuration(12'286'714'286);
  double q_l = 0.839;
  LongDuration mttf = long_duration(7884);
  std::uint64_t failures = 0;
  std::uint32_t nodes = 20'000;
  double shape = 1;
  bool new_machine = false;
  std::uint64_t seed = 1;
};
static_assert(member_count<LocalGlobalStudy>() == 15);
void describe(Fields& f, LocalGlobalStudy& c) {
  const LongDuration none, tick(1), century(100ull * 365 * 86'400 * 1'000'000'000);
  f("t_s", c.t_s, "Work of the run", within(tick, century));
  f("p_l", c.p_l, "Share of local checkpoints; where not given, that of the optimum", within(0.0, 1.0));
  f("tau", c.tau, "Work between two checkpoints of any kind; where not given, the best one",
    within(tick, century));
  f("least_tau", c.least_tau, "The shortest tau that may be chosen", within(tick, century));
  f("delta_l", c.delta_l, "To write a local checkpoint", within(none, century));
  f("delta_g", c.delta_g, "To write a global one", within(none, century));
  f("r_l", c.r_l, "To recover from a local checkpoint", within(none, century));
  f("r_g", c.r_g, "To recover from a global one", within(none, century));
  f("q_l", c.q_l, "Share of failures that a local checkpoint survives", within(0.0, 1.0));
  f("mttf", c.mttf, "Of the machine", within(tick, century));
  f("failures", c.failures, "To play through beside the equations, about; 0: none", at_most(1'000'000'000));
  f("nodes", c.nodes, "Of the machine that is played, which fail each on its own", within(1, 1'000'000));
  f("shape", c.shape,
    "Of the Weibull distribution of their lifetimes: 1 has no memory, below 1 new nodes fail more",
    within(0.1, 10.0));
  f("new_machine", c.new_machine, "All nodes are new when the run begins; else they have all ages");
  f("seed", c.seed, "Of what is played");
}

class Point final : public StudyPointOf<LocalGlobalStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    if (config_.p_l == 1.0 && config_.q_l < 1)
      throw StudyMistake("p_l", "without global checkpoints a failure that needs one never ends");
    if (config_.tau && *config_.tau > config_.t_s)
      throw StudyMistake("tau", fmt::format("expected at most the run's work, {}, got {}",
                                            to_text(config_.t_s), to_text(*config_.tau)));
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const LocalGlobalCheckpoint one{seconds(config_.delta_l),
                                    seconds(config_.delta_g),
                                    seconds(config_.r_l),
                                    seconds(config_.r_g),
                                    config_.q_l,
                                    seconds(config_.mttf)};
    const Seconds work = seconds(config_.t_s), least = std::min(seconds(config_.least_tau), work);
    const double share = config_.p_l.value_or(local_global_optimum(one, least).local_share);
    const Seconds tau = std::min(config_.tau ? seconds(*config_.tau) : best_tau(one, share, least), work);
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
    LocalGlobalPlayed played;
    if (config_.failures > 0)
      played = play_local_global(one, tau, share,
                                 {.nodes = config_.nodes,
                                  .shape = config_.shape,
                                  .new_machine = config_.new_machine,
                                  .failures = config_.failures,
                                  .seed = config_.seed,
                                  .stop = stop});
    const bool ended = played.availability > 0;
    cells.push_back(ended ? Cell(100 * played.availability) : Cell());
    cells.push_back(ended ? Cell(100 * played.half_width_99) : Cell());
    cells.push_back(ended ? Cell(played.failures) : Cell());
    return cells;
  }
};

}  // namespace

const StudyKind local_global_study{
    .name = "local_global",
    .meaning =
        "Hybrid local/global checkpoints: dong2011's Eqs 1 to 7, their optimum, failures played through",
    .coordinates = {"mttf", "q_l"},
    .columns = {{"overhead_percent", "overhead", "%", "Run over work, less 1; nothing where nothing gets on",
                 3},
                {"availability_percent", "available", "%", "Work over run: 1 / (1 + overhead)", 3},
                {"tau_s", "tau", "s", "Work between two checkpoints", 3},
                {"local_share", "p_L", "", "Of checkpoints: local ones", 4},
                {"closed_form_share", "", "",
                 "The same where failures are rare: 1 - sqrt(q_G / (q_L (r - 1)))", 4},
                {"dump_percent", "", "%", "Of the work, Eq. 2", 3},
                {"rollback_percent", "", "%", "Of the work, Eq. 4: with the recovery", 3},
                {"extra_percent", "", "%", "Of the work, Eq. 6: back to the global checkpoint", 3},
                {"played_percent", "played", "%", "Availability, failures played through", 3},
                {"played_error", "+-", "%", "Half of its 99% interval", 3},
                {"failures", "", "", "That were played"}},
    .x = "tau_s",
    .y = "overhead_percent",
    .x_key = "tau",
    .bars = {"overhead_percent"},
    .make = make_study_point<Point>};

}  // namespace asterism
