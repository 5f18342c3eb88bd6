// The share of its time that a training run on thousands of GPUs trains, and what its failures cost, by class
// (models/resilience).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/confidence.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "platform/study/training_plan.h"
#include "resilience/new_machine.h"
#include "resilience/training_mistake.h"
#include "resilience/training_run.h"

namespace asterism {
namespace {

// A change of the plan, and what it gains: what to buy.
struct TrainingOffer {
  std::string name;
  TrainingPlan plan;
};

// What a purchase gains in a month.
struct PricedGain {
  std::string name;
  double price = 0, hours = 0;
  std::optional<double> per_price() const {  // nothing if it is free
    return price > 0 ? std::optional(hours / price) : std::nullopt;
  }
};

class TrainingGoodputPoint final : public StudyPointOf<TrainingGoodputStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    check_purchase();
    take_gains(library);
    TrainingGoodputStudy bought = config_;
    if (is_bought()) take_purchase(config_.purchases.at(config_.purchase), bought);
    plan_ = plan_of(bought, library);
    prediction_ = predicted(plan_);
    goodput_ = prediction_.goodput / plan_.slowdown;
    offers_ = offers(bought, library);
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    outcomes_.reserve(config_.runs);
    bool finished = true;  // the rest would not, either
    for (std::uint32_t i = 0; i < config_.runs && finished && !stop.stop_requested(); ++i) {
      outcomes_.push_back(simulate_training(plan_.job, plan_.profile,
                                            {.work = work(plan_),
                                             .seed = config_.seed + i,
                                             .new_machine = config_.new_machine,
                                             .give_up = time_until_given_up(work(plan_), prediction_),
                                             .stop = stop}));
      finished = outcomes_.back().finished;
      ++done_;
    }
    return row();
  }

  double share_done() const override {
    return config_.runs == 0 ? 0 : static_cast<double>(done_) / config_.runs;
  }
  std::string progress() const override { return fmt::format("{} of {} runs", done_.load(), config_.runs); }

  std::string detail() const override {
    nlohmann::ordered_json classes = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < plan_.profile.classes.size(); ++i) {
      const ClassCost& cost = prediction_.classes[i];
      nlohmann::ordered_json of_class = {{"name", plan_.profile.classes[i].name},
                                         {"failures_per_day", cost.rate.per_second() * seconds_of_a_day},
                                         {"lost_s", cost.share / cost.rate.per_second()},
                                         {"from_memory", cost.from_memory},
                                         {"lost_hours_per_month", monthly(cost)}};
      if (!outcomes_.empty()) {
        double hours = 0, months = 0;
        std::uint64_t failures = 0;
        for (const TrainingOutcome& outcome : outcomes_) {
          hours += outcome.classes[i].lost.count() / seconds_of_an_hour;
          months += outcome.time.count() / (30 * seconds_of_a_day);
          failures += outcome.classes[i].failures;
        }
        of_class["simulated_failures"] = failures;
        of_class["simulated_lost_hours_per_month"] = hours / months;
      }
      classes.push_back(std::move(of_class));
    }
    nlohmann::ordered_json purchases = nlohmann::ordered_json::array();
    for (const PricedGain& each : purchases_) {
      purchases.push_back(
          {{"name", each.name}, {"price", each.price}, {"gains_hours_per_month", each.hours}});
      if (const auto per_price = each.per_price()) purchases.back()["hours_per_price"] = *per_price;
    }
    nlohmann::ordered_json all{{"classes", std::move(classes)}};
    if (!purchases.empty()) all["purchases"] = std::move(purchases);
    return all.dump();
  }

 private:
  // As many iterations with any code.
  Seconds work(const TrainingPlan& plan) const { return seconds(config_.work) * plan.slowdown; }

  TrainingPrediction prediction_of(const TrainingPlan& plan) const {
    return config_.new_machine && plan.profile.shape != 1
               ? predict_new_machine(plan.job, plan.profile, work(plan))
               : predict_training(plan.job, plan.profile);
  }
  TrainingPrediction predicted(const TrainingPlan& plan) const {
    try {
      return prediction_of(plan);
    } catch (const TrainingMistake& error) {
      std::string problem = error.what();
      if (error.member() == "nodes") problem += fmt::format(" nodes of {} GPUs", plan.job.gpus_per_node);
      throw StudyMistake(key_of(error.member()), problem, part_in(error.member()));
    }
  }
  static std::string key_of(const std::string& member) {
    if (member == "nodes" || member == "gpus_per_node") return "gpus";
    if (member == "size") return "group";
    if (member == "tolerated") return "parity";
    if (member == "file_interval") return "interval";
    return member;
  }
  // The other keys from which a mistake may follow.
  static std::vector<std::string> part_in(const std::string& member) {
    if (member == "gpus" || member == "gpus_per_node") return {"failures"};
    if (member == "nodes" || member == "tolerated") return {"group", "placement", "protocol", "failures"};
    if (member == "data_parallel") return {"protocol"};
    if (member == "file_interval") return {"file_system", "state", "memory_interval"};
    return {};
  }

  static constexpr double hours_of_a_month = 30 * 24;
  static double monthly(const ClassCost& cost) { return cost.share * hours_of_a_month; }

  // Hours a month that the failures of a component cost.
  double lost_with(FailedComponent component) const {
    double hours = 0;
    for (std::size_t i = 0; i < plan_.profile.classes.size(); ++i)
      if (plan_.profile.classes[i].component == component) hours += monthly(prediction_.classes[i]);
    return hours;
  }

  static Bandwidth doubled(Bandwidth rate) {
    const auto most = std::numeric_limits<std::uint64_t>::max();
    return Bandwidth(rate.count() > most / 2 ? most : 2 * rate.count());
  }

  // Each offer changes one thing and keeps all else, also intervals that are given. The columns of gains have
  // this order.
  std::vector<TrainingOffer> offers(const TrainingGoodputStudy& machine, const ConfigLibrary& library) const {
    std::vector<TrainingOffer> all;
    const auto offer = [&](const char* name, const auto& change) {
      all.push_back({name, plan_});
      change(all.back());
    };
    offer("detection", [](TrainingOffer& o) { o.plan.job.detection = o.plan.job.detection / 2; });
    offer("restart", [](TrainingOffer& o) { o.plan.job.restart = o.plan.job.restart / 2; });
    offer("file system", [](TrainingOffer& o) { o.plan.job.file_system = doubled(o.plan.job.file_system); });
    offer("network", [](TrainingOffer& o) { o.plan.job.node_link = doubled(o.plan.job.node_link); });
    all.push_back(best_code(machine, library));
    offer("checks", [](TrainingOffer& o) {
      for (FailureClass& c : o.plan.profile.classes)
        if (c.effect == FailureEffect::corrupts) c.found_after = c.found_after / 10;
    });
    offer("slow GPUs", [](TrainingOffer& o) {
      for (FailureClass& c : o.plan.profile.classes)
        if (c.effect == FailureEffect::slows) c.found_after = c.found_after / 10;
    });
    offer("copies", [](TrainingOffer& o) {
      if (o.plan.job.protocol != TrainingProtocol::file_system || o.plan.job.nodes() < 2) return;
      o.plan.job.protocol = TrainingProtocol::replicas;
      o.plan.job.placement = ReplicaPlacement::mixed;
      o.plan.job.group = 2;
    });
    offer("spares", [&](TrainingOffer& o) {
      o.plan.job.spares = std::max(o.plan.job.spares, prediction_.spares_needed);
    });
    offer("intervals", [](TrainingOffer& o) {
      o.plan.job.file_interval.reset();
      o.plan.job.memory_interval.reset();
    });
    offer("background", [](TrainingOffer& o) { o.plan.job.background = true; });
    return all;
  }

  // The best of the other codes; of a field whose code is not known, a tenth of its failures of HBM.
  TrainingOffer best_code(const TrainingGoodputStudy& machine, const ConfigLibrary& library) const {
    TrainingOffer best{"HBM code", plan_};
    if (machine.code == TrainingHbmCode::field) {
      for (FailureClass& c : best.plan.profile.classes)
        if (c.component == FailedComponent::hbm) c.count /= 10;
      return best;
    }
    for (const TrainingHbmCode code :
         {TrainingHbmCode::secded, TrainingHbmCode::symbol, TrainingHbmCode::reach}) {
      TrainingGoodputStudy changed = machine;
      changed.code = code;
      std::optional<TrainingPlan> plan = plan_if_possible(changed, library);
      if (!plan || !(goodput_of(*plan).value_or(0) > goodput_of(best.plan).value_or(0))) continue;
      const bool is_dealt = code == TrainingHbmCode::reach && machine.hbm.span_dies > 1;
      best = {is_dealt ? fmt::format("reach on {} dies", machine.hbm.span_dies)
                       : "code " + std::string(to_text(code)),
              *std::move(plan)};
    }
    return best;
  }
  // Nothing with a code that leaves a machine on which nothing fails.
  static std::optional<TrainingPlan> plan_if_possible(const TrainingGoodputStudy& machine,
                                                      const ConfigLibrary& library) {
    try {
      return plan_of(machine, library);
    } catch (const StudyMistake&) {
      return std::nullopt;
    }
  }

  // The hours a month that each offer gains, in closed form.
  std::vector<std::pair<std::string, double>> gains() const {
    std::vector<std::pair<std::string, double>> all;
    all.reserve(offers_.size());
    for (const TrainingOffer& offer : offers_) {
      const double more = goodput_of(offer.plan).value_or(0) - goodput_;
      all.emplace_back(offer.name, std::max(more, 0.0) * hours_of_a_month);
    }
    return all;
  }
  // Nothing if it does not go with the intervals that are given.
  std::optional<double> goodput_of(const TrainingPlan& plan) const {
    try {
      return prediction_of(plan).goodput / plan.slowdown;
    } catch (const TrainingMistake&) {
      return std::nullopt;
    }
  }

  bool is_bought() const { return config_.purchase != "none"; }
  void check_purchase() const {
    if (config_.purchases.contains("none"))
      throw StudyMistake("purchases.none", "expected a name other than none, which stands for no purchase");
    if (!is_bought() || config_.purchases.contains(config_.purchase)) return;
    std::string known = "none";
    for (const auto& [name, purchase] : config_.purchases) known += ", " + name;
    throw StudyMistake("purchase",
                       "expected one of the purchases (" + known + "), got \"" + config_.purchase + "\"",
                       {"purchases"});
  }

  // Of purchases for the machine as it is without any. A mistake is that of the machine, or of one of them.
  void take_gains(const ConfigLibrary& library) {
    if (config_.purchases.empty()) return;
    const auto goodput = [&](const TrainingGoodputStudy& machine) {
      const TrainingPlan plan = plan_of(machine, library);
      return predicted(plan).goodput / plan.slowdown;
    };
    const double without = goodput(config_);
    for (const auto& [name, purchase] : config_.purchases) {
      TrainingGoodputStudy changed = config_;
      try {
        take_purchase(purchase, changed);
        purchases_.push_back({name, purchase.price, (goodput(changed) - without) * hours_of_a_month});
      } catch (const StudyMistake& error) {
        throw StudyMistake("purchases." + name, error.what(), error.keys());
      }
    }
  }

  // What gains most per price, if anything gains. What is free is first.
  const PricedGain* best_purchase() const {
    const PricedGain* best = nullptr;
    const auto worth = [](const PricedGain& each) {
      return std::pair(each.price > 0 ? 0 : 1, each.per_price().value_or(each.hours));
    };
    for (const PricedGain& each : purchases_)
      if (each.hours > 1e-9 && (!best || worth(each) > worth(*best))) best = &each;
    return best;
  }
  // The purchase that is made; nullptr without one.
  const PricedGain* made_purchase() const {
    const auto made = std::ranges::find(purchases_, config_.purchase, &PricedGain::name);
    return made == purchases_.end() ? nullptr : &*made;
  }

  struct SimulatedTraining {
    double goodput = 0;
    std::optional<double> half_width;
    bool finished = true;
  };
  SimulatedTraining simulated() const {
    SimulatedTraining all;
    const auto n = static_cast<double>(outcomes_.size());
    for (const TrainingOutcome& outcome : outcomes_) {
      all.goodput += goodput_of(outcome) / n;
      all.finished = all.finished && outcome.finished;
    }
    if (outcomes_.size() < 2 || !all.finished) return all;
    double squares = 0;
    for (const TrainingOutcome& outcome : outcomes_) {
      const double distance = goodput_of(outcome) - all.goodput;
      squares += distance * distance;
    }
    all.half_width = half_width_99(squares, n);
    return all;
  }

  // In percent.
  double goodput_of(const TrainingOutcome& outcome) const { return 100 * outcome.goodput() / plan_.slowdown; }

  // Hours of a month of the simulated runs.
  double hours(Seconds TrainingOutcome::*part) const {
    Seconds sum, time;
    for (const TrainingOutcome& outcome : outcomes_) sum += outcome.*part, time += outcome.time;
    return sum / time * hours_of_a_month;
  }

  std::vector<Cell> row() const {
    const TrainingCosts& costs = prediction_.costs;
    const bool played = !outcomes_.empty();
    const SimulatedTraining mean = simulated();
    const auto offered = gains();
    const auto best = std::ranges::max_element(offered, {}, [](const auto& offer) { return offer.second; });
    std::vector<Cell> cells = {100 * goodput_, played ? Cell(mean.goodput) : Cell(),
                               mean.half_width ? Cell(*mean.half_width) : Cell(),
                               std::string(best->second > 1e-9 ? best->first : "nothing"), best->second};
    add_purchases(cells);
    const std::vector<Cell> of_costs = {
        std::uint64_t{prediction_.spares_needed},
        costs.file_interval.count(),
        1 / prediction_.failures.per_second() / seconds_of_an_hour,
        prediction_.failures.per_second() / config_.gpus * seconds_of_an_hour,
        costs.memory_interval > Seconds() ? Cell(costs.memory_interval.count()) : Cell(),
        costs.memory_stall.count(),
        costs.file_stall.count()};
    cells.insert(cells.end(), of_costs.begin(), of_costs.end());
    double lost = 0;
    for (const ClassCost& cost : prediction_.classes) lost += monthly(cost);
    cells.emplace_back(lost);
    for (const double share : {prediction_.stalls, prediction_.waiting, prediction_.goodput - goodput_})
      cells.emplace_back(share * hours_of_a_month);
    for (std::size_t i = 0; i < failed_components; ++i)
      cells.emplace_back(lost_with(static_cast<FailedComponent>(i)));
    cells.emplace_back(lost / hours_of_a_month / prediction_.failures.per_second());
    for (const auto& offer : offered) cells.emplace_back(offer.second);
    for (const FailedComponent component : {FailedComponent::hbm, FailedComponent::gpu})
      cells.emplace_back(100 * (plan_.profile.rate_of(component) / plan_.profile.rate()));
    for (const FailureEffect effect : {FailureEffect::stops, FailureEffect::corrupts})
      cells.emplace_back(hbm_fit(effect));
    for (const std::optional<double>& high : {plan_.stops_high_fit, plan_.silent_high_fit})
      cells.push_back(high ? Cell(*high) : Cell());
    cells.emplace_back(100 * plan_.stored);
    cells.emplace_back(100 * plan_.transferred);
    for (const auto part :
         {&TrainingOutcome::checkpoints, &TrainingOutcome::detection, &TrainingOutcome::restart,
          &TrainingOutcome::rework, &TrainingOutcome::slow, &TrainingOutcome::spare_wait})
      cells.push_back(played ? Cell(hours(part)) : Cell());
    std::array<std::uint64_t, training_recoveries> recoveries{};
    for (const TrainingOutcome& outcome : outcomes_)
      for (std::size_t i = 0; i < recoveries.size(); ++i) recoveries[i] += outcome.recoveries[i];
    for (const std::uint64_t count : recoveries) cells.push_back(played ? Cell(count) : Cell());
    cells.emplace_back(state(mean));
    return cells;
  }

  void add_purchases(std::vector<Cell>& cells) const {
    const PricedGain* const made = made_purchase();
    const PricedGain* const best = best_purchase();
    const auto per_price = [](const PricedGain* purchase) {
      const auto hours = purchase ? purchase->per_price() : std::nullopt;
      return hours ? Cell(*hours) : Cell();
    };
    cells.push_back(made ? Cell(made->price) : Cell());
    cells.push_back(made ? Cell(made->hours) : Cell());
    cells.push_back(per_price(made));
    cells.push_back(best ? Cell(best->name) : Cell());
    cells.push_back(per_price(best));
  }

  // Failures of the memory of a GPU in 1e9 hours.
  double hbm_fit(FailureEffect effect) const {
    Rate rate;
    for (const FailureClass& c : plan_.profile.classes)
      if (c.component == FailedComponent::hbm && c.effect == effect) rate += plan_.profile.rate(c);
    return rate.per_second() * seconds_of_an_hour * 1e9;
  }

  std::string state(const SimulatedTraining& mean) const {
    if (!mean.finished) return "gave_up";
    constexpr double noticeable = 1;  // percent
    const bool differs =
        mean.half_width && std::abs(mean.goodput - 100 * goodput_) > *mean.half_width + noticeable;
    return differs ? "differs" : "ok";
  }

  TrainingPlan plan_;
  TrainingPrediction prediction_;
  double goodput_ = 0;  // of the prediction, without what the code of HBM transfers
  std::vector<TrainingOffer> offers_;
  std::vector<PricedGain> purchases_;
  std::vector<TrainingOutcome> outcomes_;
  std::atomic<std::uint32_t> done_ = 0;
};

const RegisteredStudy training_goodput_study{
    {.name = "training_goodput",
     .meaning =
         "The share of its time that a training run on many GPUs trains, what each class of failures costs, "
         "and what to buy",
     .coordinates = {"gpus", "protocol"},
     .columns =
         {{"goodput_percent", "goodput", "%", "Training over time, in closed form", 2, 6},
          {"simulated_percent", "simulated", "%", "The same, simulated failure by failure", 2, 6},
          {"simulated_error", "+-", "%", "Half the width of its 99% confidence interval", 2, 6},
          {"buy", "buy", "",
           "What gains most: detection or restart in half the time, twice the file system or network, "
           "another "
           "code of HBM (of `field`, one that leaves a tenth of the failures), wrong data or slow GPUs found "
           "in a tenth of the "
           "time, copies in memory, or spares_needed spares; or, at no cost, the best intervals in place of "
           "those that are given, or writing in the background"},
          {"buy_hours", "gains", "h",
           "The hours of training that it gains in 30 days, in closed form. Where the simulation differs "
           "from "
           "that, this and what to buy may be wrong, too",
           1, 3},
          {"price", "price", "", "Of the purchase that is made"},
          {"purchase_gains", "gained", "h", "The hours of training that it gains in 30 days, in closed form",
           1, 3},
          {"gains_per_price", "per price", "h", "The same by its price", 4, with_exponent},
          {"best_purchase", "best", "", "Of `purchases`, the one that gains most per price"},
          {"best_per_price", "", "h", "What it gains in 30 days by its price"},
          {"spares_needed", "needed", "",
           "The number of spares that is enough in 99% of the time, of a new machine the most of any span of "
           "time. With fewer, the run waits"},
          {"interval_s", "interval", "s", "The time from one checkpoint on the file system to the next", 0},
          {"mtti_h", "MTTI", "h", "The mean time between two failures"},
          {"failures_per_gpu_hour", "", "1/h", "Failures of all classes in an hour of a GPU"},
          {"memory_interval_s", "", "s", "The time from one checkpoint in memory to the next"},
          {"memory_stall_s", "", "s", "The time that a checkpoint in memory stalls the run"},
          {"file_stall_s", "", "s", "The time that a checkpoint on the file system stalls the run"},
          {"lost_hours", "lost", "h",
           "Hours of 30 days that all failures cost. With those for training, stall_hours, wait_hours and "
           "code_hours they are 720",
           1},
          {"stall_hours", "", "h", "Hours of 30 days that checkpoints stall the run, in closed form"},
          {"wait_hours", "", "h", "Hours of 30 days without a spare, in closed form"},
          {"code_hours", "", "h",
           "Hours of 30 days by which the transfers of the code of HBM make iterations longer"},
          {"gpu_hours", "GPU", "h", "Hours that failures of GPUs cost in 30 days", 1, 3},
          {"hbm_hours", "HBM", "h", "Hours that failures of their memory cost", 1, 3},
          {"host_hours", "host", "h", "Hours that failures of other parts of nodes cost", 1, 3},
          {"network_hours", "network", "h", "Hours that failures of switches and cables cost", 1, 3},
          {"software_hours", "software", "h", "Hours that failures of programs cost", 1, 3},
          {"maintenance_hours", "", "h", "Hours that maintenance costs"},
          {"unknown_hours", "", "h", "Hours that failures of unknown cause cost"},
          {"lost_s", "", "s", "The time that a failure costs on average"},
          {"detection_gains", "", "h", "Hours that detection in half the time gains in 30 days"},
          {"restart_gains", "", "h", "The same of restarts in half the time"},
          {"file_system_gains", "", "h", "The same of twice the bandwidth of the file system"},
          {"network_gains", "", "h", "The same of twice the bandwidth between nodes"},
          {"code_gains", "", "h",
           "The same of the best other code of HBM; of `field`, one that leaves a tenth of the failures"},
          {"checks_gains", "", "h", "The same of checks that find wrong data in a tenth of the time"},
          {"slow_gains", "", "h", "The same of finding slow GPUs in a tenth of the time"},
          {"copies_gains", "", "h", "The same of copies in the memory of two nodes, if there are none"},
          {"spares_gains", "", "h", "The same of spares_needed spares, if there are fewer"},
          {"intervals_gains", "", "h", "The same of the best intervals, if others are given"},
          {"background_gains", "", "h", "The same of writing to the file system in the background"},
          {"hbm_percent", "", "%", "The share of failures that are of the memory of GPUs"},
          {"gpu_percent", "", "%", "The share of failures that are of GPUs without their memory"},
          {"hbm_stops_fit", "", "FIT", "Failures of the memory of a GPU that stop the run, in 1e9 hours"},
          {"hbm_silent_fit", "", "FIT", "Those that are silent"},
          {"hbm_stops_high_fit", "", "FIT",
           "With `code`, the most of hbm_stops_fit (95%, Wilson): shares of drawn faults are estimates, "
           "and one of 0 stands for less than 4 / hbm.trials"},
          {"hbm_silent_high_fit", "", "FIT", "The most of hbm_silent_fit"},
          {"code_stored_percent", "", "%", "What the code of HBM stores beside data, with its metadata"},
          {"code_transferred_percent", "", "%", "What it transfers beside data, if all is read in order"},
          {"checkpoint_hours", "", "h", "Simulated: hours of 30 days for checkpoints"},
          {"detection_hours", "", "h", "Simulated: hours until failures were noticed"},
          {"restart_hours", "", "h", "Simulated: hours of restarts, with reading"},
          {"rework_hours", "", "h", "Simulated: hours for what had been trained before"},
          {"slow_hours", "", "h", "Simulated: hours that slow GPUs cost"},
          {"spare_wait_hours", "", "h", "Simulated: hours without a spare"},
          {"memory_recoveries", "", "",
           "Recoveries from memory or from replicas in GPUs, in all simulated runs"},
          {"file_recoveries", "", "", "Recoveries from the file system"},
          {"start_recoveries", "", "", "Restarts from the beginning"},
          {"state", "state", "",
           "ok; differs: the simulation is more than 1% and its interval from the closed form, which "
           "buy and the hours follow; gave_up: a run took 50 times its "
           "work (five times if the closed form has less than 2%) or had a million failures without coming "
           "further, and no further run was begun"}},
     .x = "gpus",
     .y = "goodput_percent",
     .x_key = "gpus",
     .state = "state",
     .doubtful = "the simulation differs, or it was given up (see state)",
     .as_doubtful = {"buy_hours", "purchase_gains", "gains_per_price"},
     .beside = {.column = "simulated_percent",
                .half_width = "simulated_error",
                .keys = {"seed", "runs"},
                .name = "simulated",
                .y_name = "closed form"},
     .bars = {"goodput_percent", "simulated_percent", "buy_hours", "purchase_gains", "gains_per_price"},
     .parts = {{.label = "hours of 30 days that are lost",
                .columns = {{"gpu_hours", "GPU"},
                            {"hbm_hours", "HBM"},
                            {"host_hours", "host"},
                            {"network_hours", "network"},
                            {"software_hours", "software"},
                            {"maintenance_hours", "maintenance"},
                            {"unknown_hours", "unknown"},
                            {"stall_hours", "checkpoints"},
                            {"wait_hours", "no spare"},
                            {"code_hours", "code"}}},
               {.label = "hours of 30 days that a purchase gains",
                .columns = {{"detection_gains", "detection"},
                            {"restart_gains", "restart"},
                            {"file_system_gains", "file system"},
                            {"network_gains", "network"},
                            {"code_gains", "HBM code"},
                            {"checks_gains", "checks"},
                            {"slow_gains", "slow GPUs"},
                            {"copies_gains", "copies"},
                            {"spares_gains", "spares"},
                            {"intervals_gains", "intervals"},
                            {"background_gains", "background"}}}},
     .intervals = {{.column = "simulated_percent", .half_of_99 = "simulated_error"}},
     .best_for = "gpus",
     .advice = {"buy", "buy_hours"},
     .seeds_of_point = "runs",
     .make = make_study_point<TrainingGoodputPoint>}};

}  // namespace
}  // namespace asterism
