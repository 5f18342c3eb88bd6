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
#include "platform/config/config.h"
#include "platform/study/checkpoint_medium.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/training_mistake.h"
#include "resilience/training_run.h"

namespace asterism {
namespace {

struct TrainingGoodputStudy {
  std::string failures = "llama3_405b";
  double factor = 1;
  std::optional<double> hbm_fit = std::nullopt;

  std::uint32_t gpus = 16'384, spares = 64;
  LongDuration iteration = long_duration(10);
  Bytes state = Bytes(5'670'000'000'000);
  std::uint32_t data_parallel = 128;

  TrainingProtocol protocol = TrainingProtocol::replicas;
  ReplicaPlacement placement = ReplicaPlacement::mixed;
  std::uint32_t group = 2, parity = 1;
  std::optional<LongDuration> memory_interval = std::nullopt, interval = std::nullopt;
  bool background = true;
  std::optional<CheckpointMedium> medium = std::nullopt;

  Bandwidth gpu_link = 25_GBps, node_link = 400_GBps, copies_on = 100_GBps, file_system = 2000_GBps;
  double idle = 0.3;
  LongDuration detection = long_duration(600), restart = long_duration(300), replacement = long_duration(60),
               repair = long_duration(86'400);

  LongDuration work = long_duration(30ull * 86'400);
  bool new_machine = false;
  std::uint32_t runs = 10;
  std::uint64_t seed = 1;
};
static_assert(member_count<TrainingGoodputStudy>() == 29);

void describe_training_job(Fields& f, TrainingGoodputStudy& c) {
  f("failures", c.failures, "What fails, how often: a file in configs/failures.", names_file("failures"));
  f("factor", c.factor, "The factor of all rates of failures. This one number sweeps them.",
    within(1e-6, 1e6));
  f("hbm_fit", c.hbm_fit,
    "Failures of the memory of a GPU that its code leaves, in 1e9 h of the GPU, in place of those of the "
    "file. "
    "A stronger code has fewer.",
    within(0.0, 1e9));
  f("gpus", c.gpus, "The number of GPUs, in whole nodes. More of them fail more often.",
    within(1, 10'000'000));
  f("spares", c.spares, "The number of spare nodes. Without one, the run waits for a repair.",
    at_most(1'000'000));
  f("iteration", c.iteration, "The time of an iteration. A failure loses at least a part of one.",
    within(long_duration(1) / 1000, long_duration(86'400)));
  f("state", c.state, "The size of one copy of weights and optimiser, which a checkpoint holds.",
    within(Bytes(1), Bytes(1'000'000'000'000'000)));
  f("data_parallel", c.data_parallel,
    "The number of copies of the state in the GPUs. With one, nothing can be written just in time.",
    within(1, 1'000'000));
}

void describe_training_checkpoints(Fields& f, TrainingGoodputStudy& c) {
  f("protocol", c.protocol, "Where checkpoints are, beside those of the file system.",
    one_of<TrainingProtocol>());
  f.when("protocol", c.protocol, TrainingProtocol::replicas, [&] {
    f("placement", c.placement, "Which nodes hold the copies of a node.", one_of<ReplicaPlacement>());
  });
  f.when("protocol", c.protocol, {TrainingProtocol::replicas, TrainingProtocol::sharded}, [&] {
    f("group", c.group, "The number of copies, or of nodes that share an erasure code.", within(2, 64));
    f("memory_interval", c.memory_interval,
      "The time from one checkpoint in memory to the next. Without it, an iteration, or more if copies do "
      "not "
      "fit into its idle spans.",
      within(a_nanosecond, a_century));
    f("copies_on", c.copies_on,
      "The bandwidth of what holds the copies in a node: memory, a CXL expander or an SSD.",
      at_least(Bandwidth(1)));
    f("medium", c.medium,
      "What holds the copies in a node: its engine gives the bandwidths of writing and reading, in place of "
      "copies_on.");
  });
  f.when("protocol", c.protocol, TrainingProtocol::sharded, [&] {
    f("parity", c.parity, "The number of nodes of a group that may be lost at once.", within(1, 63));
  });
  f("interval", c.interval,
    "The time from one checkpoint on the file system to the next, rounded up to whole iterations. Without "
    "it, the best, but at most a day. Of this and memory_interval the longer is rounded up to a multiple of "
    "the shorter; the columns have both.",
    within(a_nanosecond, a_century));
  f("background", c.background, "Whether the run goes on while the file system is written.");
  f("gpu_link", c.gpu_link, "The bandwidth of a GPU to the memory of its node.", at_least(Bandwidth(1)));
  f("node_link", c.node_link, "The bandwidth of a node to the others, in each direction.",
    at_least(Bandwidth(1)));
  f("file_system", c.file_system, "The bandwidth of the file system for all nodes together.",
    at_least(Bandwidth(1)));
  f("idle", c.idle, "The share of an iteration in which links are free for copies.", within(0.0, 1.0));
}

void describe(Fields& f, TrainingGoodputStudy& c) {
  describe_training_job(f, c);
  describe_training_checkpoints(f, c);
  f("detection", c.detection, "The time from a failure until it is noticed.", at_most(a_century));
  f("restart", c.restart, "The time to start all processes again.", at_most(a_century));
  f("replacement", c.replacement, "The time to put a spare in place of a lost node.", at_most(a_century));
  f("repair", c.repair, "The time until a lost node is repaired and becomes a spare.", at_most(a_century));
  f("work", c.work, "The training of a simulated run, without checkpoints and failures.",
    within(long_duration(1), a_century));
  f("new_machine", c.new_machine, "Whether all nodes are new. It matters if the file's shape is not 1.");
  f("runs", c.runs,
    "The number of simulated runs. The confidence interval needs two; 0 leaves the simulation out.",
    at_most(100'000));
  f("seed", c.seed, "The seed of the first run. Each further run has the next seed.");
}

// A change of the job, and what it gains: what to buy.
struct TrainingOffer {
  std::string_view name;
  TrainingJob job;
  FailureProfile profile;
};

class TrainingGoodputPoint final : public StudyPointOf<TrainingGoodputStudy> {
 public:
  void prepare(const ConfigLibrary& library) override {
    profile_ = load_config<FailureProfile>(library, "failures", config_.failures);
    profile_.gpu_hours /= config_.factor;
    if (config_.hbm_fit) take_hbm_fit(*config_.hbm_fit);
    take_job();
    if (config_.medium) take_medium(library);
    try {
      prediction_ = predict_training(job_, profile_);
    } catch (const TrainingMistake& error) {
      throw StudyMistake(key_of(error.member()), error.what(), part_in(error.member()));
    }
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    outcomes_.reserve(config_.runs);
    const bool hopeless = prediction_.goodput < 0.02;
    bool finished = true;  // the rest would not, either
    for (std::uint32_t i = 0; i < config_.runs && finished && !stop.stop_requested(); ++i) {
      outcomes_.push_back(simulate_training(job_, profile_,
                                            {.work = seconds(config_.work),
                                             .seed = config_.seed + i,
                                             .new_machine = config_.new_machine,
                                             .give_up = (hopeless ? 5 : 50) * seconds(config_.work),
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
    for (std::size_t i = 0; i < profile_.classes.size(); ++i) {
      const ClassCost& cost = prediction_.classes[i];
      nlohmann::ordered_json of_class = {{"name", profile_.classes[i].name},
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
    return nlohmann::ordered_json{{"classes", std::move(classes)}}.dump();
  }

 private:
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

  void take_hbm_fit(double fit) {
    try {
      profile_ = with_fit(profile_, FailedComponent::hbm, fit);
      if (!(profile_.rate() > Rate())) throw std::invalid_argument("nothing else fails");
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("hbm_fit", error.what(), {"failures"});
    }
  }

  void take_medium(const ConfigLibrary& library) {
    const MediumBandwidths rates = measured(*config_.medium, library);
    job_.copies_on = rates.write;
    job_.copies_read = rates.read;
  }

  void take_job() {
    const TrainingGoodputStudy& c = config_;
    job_.gpus = c.gpus;
    job_.gpus_per_node = profile_.gpus_per_node;
    job_.spares = c.spares;
    job_.iteration = seconds(c.iteration);
    job_.state = c.state;
    job_.data_parallel = c.data_parallel;
    job_.protocol = c.protocol;
    job_.placement = c.protocol == TrainingProtocol::replicas ? c.placement : ReplicaPlacement::group;
    job_.group = c.group;
    job_.parity = c.parity;
    if (c.memory_interval) job_.memory_interval = seconds(*c.memory_interval);
    if (c.interval) job_.file_interval = seconds(*c.interval);
    job_.background = c.background;
    job_.gpu_link = c.gpu_link;
    job_.node_link = c.node_link;
    job_.copies_on = c.copies_on;
    job_.file_system = c.file_system;
    job_.idle = c.idle;
    job_.detection = seconds(c.detection);
    job_.restart = seconds(c.restart);
    job_.replacement = seconds(c.replacement);
    job_.repair = seconds(c.repair);
  }

  static constexpr double hours_of_a_month = 30 * 24;
  static double monthly(const ClassCost& cost) { return cost.share * hours_of_a_month; }

  // Hours a month that the failures of a component cost.
  double lost_with(FailedComponent component) const {
    double hours = 0;
    for (std::size_t i = 0; i < profile_.classes.size(); ++i)
      if (profile_.classes[i].component == component) hours += monthly(prediction_.classes[i]);
    return hours;
  }

  static Bandwidth doubled(Bandwidth rate) {
    const auto most = std::numeric_limits<std::uint64_t>::max();
    return Bandwidth(rate.count() > most / 2 ? most : 2 * rate.count());
  }

  // Each offer changes one thing and keeps all else, also intervals that are given. The columns of gains have
  // this order.
  std::vector<TrainingOffer> offers() const {
    std::vector<TrainingOffer> all;
    const auto offer = [&](std::string_view name, const auto& change) {
      all.push_back({name, job_, profile_});
      change(all.back());
    };
    offer("detection", [](TrainingOffer& o) { o.job.detection = o.job.detection / 2; });
    offer("restart", [](TrainingOffer& o) { o.job.restart = o.job.restart / 2; });
    offer("file system", [](TrainingOffer& o) { o.job.file_system = doubled(o.job.file_system); });
    offer("network", [](TrainingOffer& o) { o.job.node_link = doubled(o.job.node_link); });
    offer("HBM code", [](TrainingOffer& o) {
      for (FailureClass& c : o.profile.classes)
        if (c.component == FailedComponent::hbm) c.count /= 10;
    });
    offer("checks", [](TrainingOffer& o) {
      for (FailureClass& c : o.profile.classes)
        if (c.effect == FailureEffect::corrupts) c.found_after = c.found_after / 10;
    });
    offer("slow GPUs", [](TrainingOffer& o) {
      for (FailureClass& c : o.profile.classes)
        if (c.effect == FailureEffect::slows) c.found_after = c.found_after / 10;
    });
    offer("copies", [](TrainingOffer& o) {
      if (o.job.protocol != TrainingProtocol::file_system || o.job.nodes() < 2) return;
      o.job.protocol = TrainingProtocol::replicas;
      o.job.placement = ReplicaPlacement::mixed;
      o.job.group = 2;
    });
    offer("spares",
          [&](TrainingOffer& o) { o.job.spares = std::max(o.job.spares, prediction_.spares_needed); });
    offer("intervals", [](TrainingOffer& o) {
      o.job.file_interval.reset();
      o.job.memory_interval.reset();
    });
    offer("background", [](TrainingOffer& o) { o.job.background = true; });
    return all;
  }

  // The hours a month that each offer gains, in closed form.
  std::vector<std::pair<std::string, double>> gains() const {
    std::vector<std::pair<std::string, double>> all;
    for (const TrainingOffer& offer : offers()) {
      const double more = goodput_of(offer).value_or(0) - prediction_.goodput;
      all.emplace_back(offer.name, std::max(more, 0.0) * hours_of_a_month);
    }
    return all;
  }
  // Nothing if it does not go with the intervals that are given.
  static std::optional<double> goodput_of(const TrainingOffer& offer) {
    try {
      return predict_training(offer.job, offer.profile).goodput;
    } catch (const TrainingMistake&) {
      return std::nullopt;
    }
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
      all.goodput += 100 * outcome.goodput() / n;
      all.finished = all.finished && outcome.finished;
    }
    if (outcomes_.size() < 2 || !all.finished) return all;
    double squares = 0;
    for (const TrainingOutcome& outcome : outcomes_) {
      const double distance = 100 * outcome.goodput() - all.goodput;
      squares += distance * distance;
    }
    all.half_width = half_width_99(squares, n);
    return all;
  }

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
    std::vector<Cell> cells = {
        100 * prediction_.goodput,
        played ? Cell(mean.goodput) : Cell(),
        mean.half_width ? Cell(*mean.half_width) : Cell(),
        std::string(best->second > 1e-9 ? best->first : "nothing"),
        best->second,
        std::uint64_t{prediction_.spares_needed},
        costs.file_interval.count(),
        1 / prediction_.failures.per_second() / seconds_of_an_hour,
        prediction_.failures.per_second() / config_.gpus * seconds_of_an_hour,
        costs.memory_interval > Seconds() ? Cell(costs.memory_interval.count()) : Cell(),
        costs.memory_stall.count(),
        costs.file_stall.count()};
    double lost = 0;
    for (const ClassCost& cost : prediction_.classes) lost += monthly(cost);
    for (const double hours :
         {lost, prediction_.stalls * hours_of_a_month, prediction_.waiting * hours_of_a_month})
      cells.emplace_back(hours);
    for (std::size_t i = 0; i < failed_components; ++i)
      cells.emplace_back(lost_with(static_cast<FailedComponent>(i)));
    cells.emplace_back(lost / hours_of_a_month / prediction_.failures.per_second());
    for (const auto& offer : offered) cells.emplace_back(offer.second);
    for (const FailedComponent component : {FailedComponent::hbm, FailedComponent::gpu})
      cells.emplace_back(100 * (profile_.rate_of(component) / profile_.rate()));
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

  std::string state(const SimulatedTraining& mean) const {
    if (!mean.finished) return "gave_up";
    constexpr double noticeable = 1;  // percent
    const bool differs =
        mean.half_width && std::abs(mean.goodput - 100 * prediction_.goodput) > *mean.half_width + noticeable;
    return differs ? "differs" : "ok";
  }

  FailureProfile profile_;
  TrainingJob job_;
  TrainingPrediction prediction_;
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
           "What gains most: detection or restart in half the time, twice the file system or network, a code "
           "that leaves a tenth of the failures of HBM, wrong data or slow GPUs found in a tenth of the "
           "time, copies in memory, or spares_needed spares; or, at no cost, the best intervals in place of "
           "those that are given, or writing in the background"},
          {"buy_hours", "gains", "h", "The hours of training that it gains in 30 days, in closed form", 1, 3},
          {"spares_needed", "needed", "",
           "The number of spares that is enough in 99% of the time. With fewer, the run waits"},
          {"interval_s", "interval", "s", "The time from one checkpoint on the file system to the next", 0},
          {"mtti_h", "MTTI", "h", "The mean time between two failures"},
          {"failures_per_gpu_hour", "", "1/h", "Failures of all classes in an hour of a GPU"},
          {"memory_interval_s", "", "s", "The time from one checkpoint in memory to the next"},
          {"memory_stall_s", "", "s", "The time that a checkpoint in memory stalls the run"},
          {"file_stall_s", "", "s", "The time that a checkpoint on the file system stalls the run"},
          {"lost_hours", "lost", "h",
           "Hours of 30 days that all failures cost. With those for training, stall_hours and wait_hours "
           "they "
           "are 720",
           1},
          {"stall_hours", "", "h", "Hours of 30 days that checkpoints stall the run, in closed form"},
          {"wait_hours", "", "h", "Hours of 30 days without a spare, in closed form"},
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
          {"code_gains", "", "h", "The same of a code that leaves a tenth of the failures of HBM"},
          {"checks_gains", "", "h", "The same of checks that find wrong data in a tenth of the time"},
          {"slow_gains", "", "h", "The same of finding slow GPUs in a tenth of the time"},
          {"copies_gains", "", "h", "The same of copies in the memory of two nodes, if there are none"},
          {"spares_gains", "", "h", "The same of spares_needed spares, if there are fewer"},
          {"intervals_gains", "", "h", "The same of the best intervals, if others are given"},
          {"background_gains", "", "h", "The same of writing to the file system in the background"},
          {"hbm_percent", "", "%", "The share of failures that are of the memory of GPUs"},
          {"gpu_percent", "", "%", "The share of failures that are of GPUs without their memory"},
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
           "ok; differs: the simulation is more than 1% and its interval from the closed form, which has no "
           "new nodes that fail early, and which buy and the hours follow; gave_up: a run took 50 times its "
           "work, or five times if the closed form has less than 2%, and no further run was begun"}},
     .x = "gpus",
     .y = "goodput_percent",
     .x_key = "gpus",
     .state = "state",
     .doubtful = "the simulation differs, or it was given up (see state)",
     .beside = {.column = "simulated_percent",
                .half_width = "simulated_error",
                .keys = {"seed", "runs", "work", "new_machine"},
                .name = "simulated",
                .y_name = "closed form"},
     .bars = {"goodput_percent", "simulated_percent", "buy_hours"},
     .parts = {{.label = "hours of 30 days that are lost",
                .columns = {{"gpu_hours", "GPU"},
                            {"hbm_hours", "HBM"},
                            {"host_hours", "host"},
                            {"network_hours", "network"},
                            {"software_hours", "software"},
                            {"maintenance_hours", "maintenance"},
                            {"unknown_hours", "unknown"},
                            {"stall_hours", "checkpoints"},
                            {"wait_hours", "no spare"}}},
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
     .seeds_of_point = "runs",
     .make = make_study_point<TrainingGoodputPoint>}};

}  // namespace
}  // namespace asterism
