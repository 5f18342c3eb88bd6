#include "platform/study/training_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "ecc/hbm_codes.h"
#include "ecc/hbm_faults.h"
#include "platform/config/config.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"

namespace asterism {
namespace {

std::uint32_t dies_of(const TrainingHbm& hbm) { return hbm.dies.value_or(40); }

}  // namespace

static_assert(member_count<TrainingHbm>() == 7);
void describe(Fields& f, TrainingHbm& c) {
  f("faults", c.faults, "The rates of faults of a die: a file in configs/faults with modes.",
    names_file("faults"));
  f("fleet_code", c.fleet_code,
    "The code of the fleet of `failures`. With it, faults are as frequent as it needs for the uncorrectable "
    "ones to be those that the fleet has counted; only their shares follow from the file of faults.",
    one_of<SectorCode>());
  f("dies", c.dies,
    "The number of dies of a GPU. Without it 40, those of five stacks of eight. Of a fleet whose errors were "
    "counted it is not needed.",
    within(1, 1000));
  f.check(!c.dies || !c.fleet_code, "dies", "is absent if `fleet_code` is given");
  f("span_dies", c.span_dies,
    "Of reach: the number of dies to which the 72 chunks of a span are dealt. Up to eight dies, a fault of a "
    "row covers more chunks than the eight of parity fill in; nine are in two stacks of eight.",
    within(1, 72));
  f.check([&] { return c.fleet_code || c.span_dies <= dies_of(c); }, "span_dies",
          "is at most `dies` (40 if absent)");
  f("found_after", c.found_after,
    "The mean time until a check finds data that are silently wrong. A run that is corrupted longer goes "
    "back further.",
    at_most(long_duration(365ull * 86'400)));
  f("bound", c.bound,
    "The share of an iteration that waits for the bandwidth of HBM. The parity that a code transfers makes "
    "it longer.",
    within(0.0, 1.0));
  f("trials", c.trials, "The number of faults drawn for each mode.", within(1, 100'000));
}

static_assert(member_count<TrainingPurchase>() == 16);
void describe(Fields& f, TrainingPurchase& c) {
  f("price", c.price, "In whatever unit all prices are. What is cheaper gains more per price.",
    within(0.0, 1e15), required());
  f("code", c.code, "The code of HBM, if the machine's is not `field`.", one_of<TrainingHbmCode>());
  f.check(c.code != TrainingHbmCode::field, "code", "names a code");
  f("spares", c.spares, "The number of spare nodes.", at_most(1'000'000));
  f("group", c.group, "The number of copies, or of nodes that share an erasure code.", within(2, 64));
  f("parity", c.parity, "The number of nodes of a group that may be lost at once.", within(1, 63));
  f("span_dies", c.span_dies, "The dies to which a span of reach is dealt.", within(1, 72));
  f("protocol", c.protocol, "Where checkpoints are.", one_of<TrainingProtocol>());
  f("medium", c.medium, "What holds the copies in a node, in place of another one or of copies_on.");
  f("copies_on", c.copies_on, "The bandwidth of what holds the copies in a node, in place of a medium.",
    at_least(Bandwidth(1)));
  f.check(!c.medium || !c.copies_on, "copies_on",
          "is not given beside medium, whose engine measures the bandwidths");
  f("node_link", c.node_link, "The bandwidth of a node to the others.", at_least(Bandwidth(1)));
  f("file_system", c.file_system, "The bandwidth of the file system.", at_least(Bandwidth(1)));
  f("background", c.background, "Whether the run goes on while the file system is written.");
  f("interval", c.interval, "The time from one checkpoint on the file system to the next.",
    within(a_nanosecond, a_century));
  f("detection", c.detection, "The time from a failure until it is noticed.", at_most(a_century));
  f("restart", c.restart, "The time to start all processes again.", at_most(a_century));
  f("repair", c.repair, "The time until a lost node is a spare.", at_most(a_century));
}

static_assert(member_count<TrainingGoodputStudy>() == 31 && member_count<TrainingCopies>() == 3);
void describe_training_job(Fields& f, TrainingGoodputStudy& c) {
  f("failures", c.failures, "What fails, how often: a file in configs/failures.", names_file("failures"));
  f("factor", c.factor, "The factor of all rates of failures. This one number sweeps them.",
    within(1e-6, 1e6));
  f("hbm_fit", c.hbm_fit,
    "Failures of the memory of a GPU that its code leaves and that stop the run, in 1e9 h of the GPU, in "
    "place of those of the file. A stronger code has fewer.",
    within(0.0, 1e9));
  f("code", c.code,
    "The code of the memory of GPUs. What it leaves of the faults of their dies are failures, in place of "
    "those of the file: some stop the run, and some are silent.",
    one_of<TrainingHbmCode>());
  f.when("code", c.code,
         {TrainingHbmCode::none, TrainingHbmCode::secded, TrainingHbmCode::symbol, TrainingHbmCode::reach},
         [&] { f("hbm", c.hbm, "The memory of a GPU and its faults."); });
  f.check(!c.hbm_fit || c.code == TrainingHbmCode::field, "hbm_fit", "is absent if `code` names a code");
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
    f("placement", c.copies.placement, "Which nodes hold the copies of a node.", one_of<ReplicaPlacement>());
  });
  f.when("protocol", c.protocol, {TrainingProtocol::replicas, TrainingProtocol::sharded}, [&] {
    f("group", c.copies.group, "The number of copies, or of nodes that share an erasure code.",
      within(2, 64));
    f("memory_interval", c.memory_interval,
      "The time from one checkpoint in memory to the next. Without it, an iteration, or more if copies do "
      "not fit into its idle spans.",
      within(a_nanosecond, a_century));
    f("copies_on", c.copies_on,
      "The bandwidth of what holds the copies in a node: memory, a CXL expander or an SSD. Without it and "
      "without medium, 100 GB/s.",
      at_least(Bandwidth(1)));
    f("medium", c.medium,
      "What holds the copies in a node: its engine gives the bandwidths of writing and reading.");
    f.check(!c.medium || !c.copies_on, "copies_on",
            "is not given beside medium, whose engine measures the bandwidths");
  });
  f.when("protocol", c.protocol, TrainingProtocol::sharded, [&] {
    f("parity", c.copies.parity, "The number of nodes of a group that may be lost at once.", within(1, 63));
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
  f("purchases", c.purchases,
    "What may be bought, by a name other than none: changes of several keys at once, with a price. What each "
    "gains is in --json, and the best one in a column.");
  f("purchase", c.purchase, "The purchase that is made, by its name; none leaves the machine as it is.");
}

namespace {

// What is bought and of no use on the machine that it makes is a mistake.
void check_use(const TrainingPurchase& bought, const TrainingGoodputStudy& machine) {
  const auto expect = [](bool is_used, const char* key, const char* with, std::string_view got) {
    if (!is_used)
      throw StudyMistake(key, fmt::format("expected {}, since a purchase has {}, got {}", with, key, got),
                         {"purchases"});
  };
  const std::string_view protocol = to_text(machine.protocol);
  const bool is_sharded = machine.protocol == TrainingProtocol::sharded;
  const bool has_copies = is_sharded || machine.protocol == TrainingProtocol::replicas;
  const char* const copies = "protocol replicas or sharded";
  expect(!bought.group || has_copies, "group", copies, protocol);
  expect(!bought.medium || has_copies, "medium", copies, protocol);
  expect(!bought.copies_on || has_copies, "copies_on", copies, protocol);
  expect(!bought.parity || is_sharded, "parity", "protocol sharded", protocol);
  expect(!bought.span_dies || machine.code == TrainingHbmCode::reach, "span_dies", "code reach",
         to_text(machine.code));
  if (bought.span_dies && !machine.hbm.fleet_code && *bought.span_dies > dies_of(machine.hbm))
    throw StudyMistake("span_dies",
                       fmt::format("expected at most the {} dies of a GPU (hbm.dies), got {}",
                                   dies_of(machine.hbm), *bought.span_dies),
                       {"purchases", "hbm.dies"});
}

}  // namespace

void take_purchase(const TrainingPurchase& bought, TrainingGoodputStudy& c) {
  const auto take = [](auto& member, const auto& value) {
    if (value) member = *value;
  };
  if (bought.code && c.code == TrainingHbmCode::field)
    throw StudyMistake("code", "expected the code that is replaced, since a purchase has one, got field",
                       {"purchases"});
  take(c.code, bought.code);
  take(c.spares, bought.spares);
  take(c.copies.group, bought.group);
  take(c.copies.parity, bought.parity);
  take(c.hbm.span_dies, bought.span_dies);
  take(c.protocol, bought.protocol);
  if (bought.copies_on || bought.medium) {
    c.medium = bought.medium;
    c.copies_on = bought.copies_on;
  }
  take(c.node_link, bought.node_link);
  take(c.file_system, bought.file_system);
  take(c.background, bought.background);
  take(c.detection, bought.detection);
  take(c.restart, bought.restart);
  take(c.repair, bought.repair);
  if (bought.interval) c.interval = bought.interval;
  check_use(bought, c);
}

namespace {

// Makes a plan of the keys. Mistakes are StudyMistake.
class TrainingPlanner {
 public:
  TrainingPlanner(const TrainingGoodputStudy& config, const ConfigLibrary& library)
      : config_(config), library_(library) {}

  TrainingPlan plan() {
    plan_.profile = load_config<FailureProfile>(library_, "failures", config_.failures);
    plan_.profile.gpu_hours /= config_.factor;
    if (config_.hbm_fit) take_hbm_fit(*config_.hbm_fit, "hbm_fit");
    if (config_.code != TrainingHbmCode::field) take_code();
    take_job();
    if (config_.medium) {
      const MediumBandwidths rates = measured(*config_.medium, library_);
      plan_.job.copies_on = rates.write;
      plan_.job.copies_read = rates.read;
    }
    return plan_;
  }

 private:
  void take_hbm_fit(double fit, const char* key) {
    try {
      plan_.profile = with_fit(plan_.profile, FailedComponent::hbm, fit);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake(key, error.what(), {"failures"});
    }
    check_rate(key, "no failures of HBM are left");
  }
  void check_rate(const char* key, const char* why) const {
    if (!(plan_.profile.rate() > Rate()))
      throw StudyMistake(key, fmt::format("expected failures of something beside HBM, since {}", why),
                         {"failures"});
  }

  static SectorCode sector_code(TrainingHbmCode code) {
    switch (code) {
      case TrainingHbmCode::field:
      case TrainingHbmCode::none:
        break;
      case TrainingHbmCode::secded:
        return SectorCode::secded;
      case TrainingHbmCode::symbol:
        return SectorCode::symbol;
      case TrainingHbmCode::reach:
        return SectorCode::reach;
    }
    return SectorCode::none;
  }

  // Points of a sweep share what is drawn.
  HbmFaultsLeft left_by(SectorCode code, const FaultRates& rates) const {
    static std::mutex mutex;
    static std::map<std::tuple<std::string, SectorCode, std::uint32_t, std::uint64_t>, HbmFaultsLeft> known;
    const std::lock_guard lock(mutex);
    const auto [at, is_new] =
        known.try_emplace({expanded(rates), code, config_.hbm.span_dies, config_.hbm.trials});
    if (is_new)
      at->second =
          hbm_faults_left(rates, {.code = code, .span_dies = config_.hbm.span_dies}, config_.hbm.trials, 1)
              .value();
    return at->second;
  }

  void take_code() {
    const auto rates = load_config<FaultRates>(library_, "faults", config_.hbm.faults);
    if (rates.modes.empty())
      throw StudyMistake("hbm.faults", "expected a file with modes of faults, got " + config_.hbm.faults +
                                           ", whose errors were counted in the field");
    const SectorCode code = sector_code(config_.code);
    const HbmFaultsLeft left = left_by(code, rates);
    double scale = dies_of(config_.hbm) * config_.factor;
    FailureProfile& profile = plan_.profile;
    // What its code did not correct or detect on the fleet.
    std::erase_if(profile.classes, [](const FailureClass& c) {
      return c.component == FailedComponent::hbm && c.effect != FailureEffect::stops;
    });
    if (config_.hbm.fleet_code) {
      const double of_fleet = left_by(*config_.hbm.fleet_code, rates).uncorrectable_fit;
      if (!(of_fleet > 0))
        throw StudyMistake("hbm.fleet_code",
                           "expected a code with uncorrectable errors, which were counted, got " +
                               std::string(to_text(*config_.hbm.fleet_code)),
                           {"hbm.faults", "hbm.span_dies"});
      scale = fit_of(profile.rate_of(FailedComponent::hbm)) / of_fleet;
    }
    const auto of_hbm = std::ranges::find(profile.classes, FailedComponent::hbm, &FailureClass::component);
    FailureClass silent{.name = "silent errors of HBM",
                        .component = FailedComponent::hbm,
                        .count = left.silent_fit * scale * profile.gpu_hours / 1e9,
                        .effect = FailureEffect::corrupts,
                        .loses = of_hbm == profile.classes.end() ? FailureLoss::node : of_hbm->loses,
                        .found_after = config_.hbm.found_after};
    plan_.stops_high_fit = left.uncorrectable_high_fit * scale;
    plan_.silent_high_fit = left.silent_high_fit * scale;
    const bool stays_silent = silent.count > 0;
    try {
      profile = with_fit(profile, FailedComponent::hbm, left.uncorrectable_fit * scale);
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("code", error.what(), {"failures"});
    }
    if (stays_silent) profile.classes.push_back(std::move(silent));
    check_rate("code", "this code leaves none of it");
    plan_.stored = sector_bytes(code) / static_cast<double>(sector_data) - 1;
    if (code == SectorCode::reach) {
      const double throughput = hbm_throughput({.code = HbmCode::reach}, {}, 0);
      plan_.stored = plan_.transferred = 1 / throughput - 1;
    }
    plan_.slowdown = 1 + config_.hbm.bound * plan_.transferred;
  }
  static double fit_of(Rate rate) { return rate.per_second() * seconds_of_an_hour * 1e9; }

  void take_job() {
    const TrainingGoodputStudy& c = config_;
    TrainingJob& job = plan_.job;
    job.gpus = c.gpus;
    job.gpus_per_node = plan_.profile.gpus_per_node;
    job.spares = c.spares;
    job.iteration = seconds(c.iteration) * plan_.slowdown;
    job.state = c.state;
    job.data_parallel = c.data_parallel;
    job.protocol = c.protocol;
    job.placement = c.protocol == TrainingProtocol::replicas ? c.copies.placement : ReplicaPlacement::group;
    job.group = c.copies.group;
    job.parity = c.copies.parity;
    job.memory_interval = given_interval("memory_interval", c.memory_interval);
    job.file_interval = given_interval("interval", c.interval);
    job.background = c.background;
    job.gpu_link = c.gpu_link;
    job.node_link = c.node_link;
    job.copies_on = c.copies_on.value_or(100_GBps);
    job.file_system = c.file_system;
    job.idle = c.idle;
    job.detection = seconds(c.detection);
    job.restart = seconds(c.restart);
    job.replacement = seconds(c.replacement);
    job.repair = seconds(c.repair);
  }

  // An interval that is long enough for an iteration stays so whatever the code transfers.
  std::optional<Seconds> given_interval(const char* key, const std::optional<LongDuration>& given) const {
    if (!given) return std::nullopt;
    const Seconds interval = seconds(*given), iteration = seconds(config_.iteration);
    if (interval < iteration)
      throw StudyMistake(key,
                         fmt::format("expected at least the {} of an iteration, got {}",
                                     to_text(config_.iteration), to_text(*given)),
                         {"iteration"});
    return std::max(interval, plan_.job.iteration);
  }

  const TrainingGoodputStudy& config_;
  const ConfigLibrary& library_;
  TrainingPlan plan_;
};

}  // namespace

TrainingPlan plan_of(const TrainingGoodputStudy& config, const ConfigLibrary& library) {
  return TrainingPlanner(config, library).plan();
}

}  // namespace asterism
