// A machine of up to 100,000 nodes in a network with its buddy checkpoints and its failures, simulated by
// SimGrid (models/cluster_scale).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>

#include "base/confidence.h"
#include "cluster_scale/cluster_prediction.h"
#include "cluster_scale/cluster_process.h"
#include "cluster_scale/component_failures.h"
#include "platform/study/cluster_scale_config.h"
#include "platform/study/node_costs.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

constexpr double hours_of_a_fit = 1e9;

// The members of ClusterSetup that are keys of `network`.
constexpr std::array<std::string_view, 9> network_keys = {"group",       "nodes_per_switch", "link",
                                                          "file_system", "oversubscription", "global_links",
                                                          "shape",       "io_switches",      "replicas"};

// The mean, and the half width of its 99% interval if there are at least two values.
struct Mean {
  double value = 0;
  std::optional<double> half_width_99;
};

Mean mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Mean mean{.value = std::accumulate(values.begin(), values.end(), 0.0) / n, .half_width_99 = std::nullopt};
  if (values.size() < 2) return mean;
  double squares = 0;
  for (const double value : values) squares += (value - mean.value) * (value - mean.value);
  mean.half_width_99 = half_width_99(squares, n);
  return mean;
}

Cell cell(std::optional<double> value) {
  if (!value) return {};
  return *value;
}

class ClusterScalePoint final : public StudyPointOf<ClusterScaleStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    try {
      take_machine();
      take_node();
      take_failures();
      take_program();
      check_cluster(setup_);
    } catch (const ClusterMistake& error) {
      throw StudyMistake(key_of(error.member()), error.what(), part_in(error.member()));
    }
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    try {
      ClusterProcess process(setup_);
      while (const auto result = process.next(stop)) {
        results_.push_back(*result);
        ++done_;
      }
    } catch (const ClusterProgramMissing& error) {
      throw StudyMistake("kind", error.what());
    }
    if (results_.size() < setup_.runs) return empty_row("cluster_scale");
    return row();
  }

  double share_done() const override { return static_cast<double>(done_) / setup_.runs; }
  std::string progress() const override { return fmt::format("{} of {} runs", done_.load(), setup_.runs); }

 private:
  static std::string key_of(const std::string& member) {
    if (member == "rates") return "node_fit";
    if (member == "iterations") return "work";
    if (member == "shape_of_lifetimes") return "failures.shape";
    if (member == "detection") return "failures.detection";
    if (member == "check") return "failures.corruption.check";
    if (member == "burst_nodes") return "failures.burst.nodes";
    if (member == "slowdown") return "failures.slow.slowdown";
    if (member == "slow_found") return "failures.slow.found_after";
    const bool of_network = std::ranges::count(network_keys, member) > 0;
    return of_network ? "network." + member : member;
  }

  // The other keys that contribute to a mistake in a member.
  static std::vector<std::string> part_in(const std::string& member) {
    if (member == "interval") return {"overlap", "overhead", "node_stats", "work"};
    if (member == "dump" || member == "overlap") return {"node_stats", "work"};
    if (member == "overhead") return {"overlap", "node_stats"};
    if (member == "rates") return {"ssd_fit", "dram_fit", "gpu_fit", "link_fit", "failures"};
    if (member == "replicas") return {"nodes", "network.nodes_per_switch", "network.group"};
    if (member == "burst_nodes") return {"nodes"};
    if (member == "shape") return {"nodes", "spares", "network.nodes_per_switch"};
    if (member == "nodes_per_switch") return {"nodes", "spares"};
    if (member == "io_switches") return {"nodes"};
    if (member == "placed") return {"nodes"};
    return {};
  }

  void take_machine() {
    const ClusterScaleStudy& c = config_;
    const ClusterNetworkConfig& n = c.network;
    setup_.nodes = c.nodes;
    setup_.nodes_per_switch = n.nodes_per_switch;
    setup_.spares = c.spares;
    setup_.spare_return = seconds(c.spare_return);
    setup_.topology = n.topology;
    setup_.buddies = n.buddies;
    setup_.group = n.group;
    setup_.replicas = n.replicas;
    const std::size_t dimensions = n.topology == ClusterTopology::fat_tree ? 2 : 3;
    if (!n.shape.empty() && (n.shape.size() != dimensions || std::ranges::count(n.shape, 0u) > 0))
      throw StudyMistake("network.shape", fmt::format("expected {} numbers above 0", dimensions));
    std::ranges::copy(n.shape, setup_.shape.begin());
    setup_.link = n.link;
    setup_.trunk = n.trunk.value_or(Bandwidth());
    setup_.oversubscription = n.oversubscription;
    setup_.global_links = n.global_links;
    setup_.latency = seconds(n.latency);
    setup_.io_switches = n.io_switches;
    setup_.file_system = n.file_system;
  }

  void take_node() {
    const ClusterScaleStudy& c = config_;
    std::optional<NodeCosts> file;
    try {
      if (!c.node_stats.empty()) file.emplace(c.node_stats);
      const auto time = [&](const std::optional<LongDuration>& given, const char* key, bool above_zero,
                            Seconds otherwise) {
        if (given) return seconds(*given);
        return file ? file->time(std::string(key) + "_ps", above_zero, key) : otherwise;
      };
      setup_.dump = time(c.dump, "dump", false, Seconds(8));
      setup_.overlap = time(c.overlap, "overlap", true, Seconds(16));
      setup_.overhead = time(c.overhead, "overhead", false, Seconds(1));
      setup_.restart = time(c.restart, "restart", true, Seconds(30));
      setup_.state = c.state ? *c.state : file ? Bytes(file->count("state_bytes", "state")) : 16_GiB;
      setup_.drain = 500_MBps;
      if (c.drain)
        setup_.drain = *c.drain;
      else if (file && c.global_every > 0)
        setup_.drain = Bandwidth(file->count("drain_bytes_per_second", "drain"));
    } catch (const std::filesystem::filesystem_error& error) {
      throw StudyFileMissing("node_stats", c.node_stats.string() + ": cannot be opened");
    } catch (const std::invalid_argument& error) {
      throw StudyMistake("node_stats", error.what());
    }
    setup_.copies = c.copies;
    check_capacity();
  }

  // The same condition as in models/resilience/buddy_storage.h.
  void check_capacity() const {
    const ClusterScaleStudy& c = config_;
    const bool on_ssd = c.copies == CopyDevice::ssd;
    const Bytes capacity = c.capacity.value_or(on_ssd ? Bytes(1'000'000'000'000) : 256_GiB);
    if (setup_.state.count() <= capacity.count() / 2 / setup_.replicas) return;
    const std::string buddies =
        setup_.replicas == 2 ? "its buddy" : fmt::format("each of {} others", setup_.replicas - 1);
    throw StudyMistake(
        "state",
        fmt::format("two copies of a node and two of {}, of {} each, are more than its {} of {}", buddies,
                    to_text(setup_.state), on_ssd ? "SSD" : "memory", to_text(capacity)),
        {"node_stats", "capacity", "copies", "network.replicas"});
  }

  void take_failures() {
    const ClusterScaleStudy& c = config_;
    const auto rate = [](double fit, std::uint32_t parts) {
      return Rate(fit * parts / hours_of_a_fit / seconds_of_an_hour);
    };
    const ClusterFailuresConfig& f = c.failures;
    setup_.rates = {rate(c.node_fit, 1),     rate(c.ssd_fit, c.ssds),   rate(c.dram_fit, c.drams),
                    rate(c.gpu_fit, c.gpus), rate(c.link_fit, c.links), rate(f.software_fit, 1),
                    rate(f.burst.fit, 1),    rate(f.corruption.fit, 1), rate(f.slow.fit, 1)};
    setup_.burst_nodes = f.burst.nodes;
    setup_.burst_place = f.burst.place;
    setup_.slowdown = f.slow.slowdown;
    setup_.slow_found = seconds(f.slow.found_after);
    setup_.check = seconds(f.corruption.check);
    setup_.shape_of_lifetimes = c.failures.shape;
    setup_.new_machine = c.failures.new_machine;
    for (const PlacedFailureConfig& failure : c.placed)
      setup_.placed.push_back({seconds(failure.at), failure.kind, failure.node});
    setup_.seed = c.seed;
    setup_.runs = c.runs;
    setup_.give_up = c.give_up ? seconds(*c.give_up) : 20 * seconds(c.work);
  }

  std::uint64_t in_iterations(LongDuration time) const {
    const std::uint64_t one = config_.iteration.count();
    return std::max<std::uint64_t>((time.count() + one / 2) / one, 1);
  }

  void take_program() {
    const ClusterScaleStudy& c = config_;
    setup_.iteration = seconds(c.iteration);
    setup_.iterations = c.work / c.iteration;
    setup_.checkpoint = c.checkpoint;
    setup_.global_every = c.global_every;
    setup_.detection = seconds(c.failures.detection);
    if (c.failures.corruption.check_every)
      setup_.check_every = in_iterations(*c.failures.corruption.check_every);
    if (c.interval) {
      if (*c.interval > c.work)
        throw StudyMistake("interval", fmt::format("expected at most the run's work, {}, got {}",
                                                   to_text(c.work), to_text(*c.interval)));
      setup_.interval = in_iterations(*c.interval);
      return;
    }
    setup_.interval = setup_.iterations;
    check_cluster(setup_);
    const auto best = best_interval(setup_);
    if (!best && !setup_.placed.empty())
      throw StudyMistake("interval", "the model knows no placed failures: expected an interval beside them",
                         {"placed"});
    if (!best && c.checkpoint == ClusterCheckpoint::just_in_time)
      throw StudyMistake("interval", "the model knows no checkpoints just in time: expected an interval",
                         {"checkpoint"});
    if (!best)
      throw StudyMistake("interval", "the model has no interval with which the program gets on; give one",
                         {"node_fit", "ssd_fit", "dram_fit", "gpu_fit", "link_fit", "restart", "dump",
                          "overlap", "overhead", "node_stats", "nodes", "work"});
    setup_.interval = best->iterations;
    at_bound_ = best->at_bound;
  }

  double mean(Seconds ClusterResult::*time) const {
    double sum = 0;
    for (const ClusterResult& result : results_) sum += (result.*time).count();
    return sum / static_cast<double>(results_.size());
  }
  std::uint64_t sum(std::uint64_t ClusterResult::*count) const {
    std::uint64_t all = 0;
    for (const ClusterResult& result : results_) all += result.*count;
    return all;
  }

  std::vector<Cell> row() const {
    std::vector<double> efficiencies, times;
    std::array<std::uint64_t, cluster_failure_kinds> failures{};
    std::array<std::uint64_t, cluster_recoveries> recoveries{};
    double bytes = 0;
    bool finished = true;
    for (const ClusterResult& result : results_) {
      efficiencies.push_back(100 * result.efficiency());
      times.push_back(result.time.count());
      for (std::size_t i = 0; i < failures.size(); ++i) failures[i] += result.failures[i];
      for (std::size_t i = 0; i < recoveries.size(); ++i) recoveries[i] += result.recoveries[i];
      bytes += result.network_bytes / static_cast<double>(results_.size());
      finished = finished && result.finished;
    }
    const Mean efficiency = mean_of(efficiencies), time = mean_of(times);
    const Seconds work = setup_.iteration * static_cast<double>(setup_.iterations);
    const auto predicted = predicted_time(setup_);
    const bool compared = predicted && finished;
    const auto checkpoints = static_cast<double>(sum(&ClusterResult::checkpoints));
    const double setbacks = setback_rate(setup_).per_second();
    const bool is_random = setup_.placed.empty() && setbacks > 0;
    const auto known = [](bool is, double value) { return is ? std::optional(value) : std::nullopt; };
    const double model = predicted ? predicted->count() : 0;
    std::vector<Cell> cells;
    for (const std::optional<double> value :
         {known(is_random, 1 / setbacks),
          known(true, setup_.iteration.count() * static_cast<double>(setup_.interval)),
          known(true, efficiency.value), efficiency.half_width_99,
          known(predicted.has_value(), 100 * work.count() / model),
          known(compared, 100 * (time.value / model - 1)),
          known(compared && time.half_width_99, 100 * time.half_width_99.value_or(0) / model),
          known(true, time.value), known(predicted.has_value(), model),
          known(true, overlap_of(setup_).count()),
          known(checkpoints > 0, mean(&ClusterResult::overlap) * setup_.runs / checkpoints)})
      cells.push_back(cell(value));
    for (const auto part :
         {&ClusterResult::dump, &ClusterResult::blocked, &ClusterResult::overlap, &ClusterResult::overhead,
          &ClusterResult::lost_work, &ClusterResult::rework, &ClusterResult::detection,
          &ClusterResult::restart, &ClusterResult::spare_wait, &ClusterResult::check, &ClusterResult::slow})
      cells.emplace_back(mean(part));
    for (std::size_t kind = 0; kind < cluster_failure_kinds; ++kind) {
      if (static_cast<ClusterFailureKind>(kind) == ClusterFailureKind::ssd) continue;  // rolls nothing back
      Seconds lost;
      for (const ClusterResult& result : results_) lost += result.lost[kind];
      cells.emplace_back(lost.count() / static_cast<double>(results_.size()));
    }
    cells.emplace_back(std::accumulate(failures.begin(), failures.end(), std::uint64_t{0}));
    cells.insert(cells.end(), failures.begin(), failures.end());
    cells.insert(cells.end(), recoveries.begin(), recoveries.end());
    for (const auto count :
         {&ClusterResult::checkpoints, &ClusterResult::given_up, &ClusterResult::late,
          &ClusterResult::global_copies, &ClusterResult::global_given_up, &ClusterResult::repairs})
      cells.emplace_back(sum(count));
    cells.emplace_back(bytes);
    cells.emplace_back(static_cast<std::uint64_t>(std::ranges::count(results_, true, &ClusterResult::wrong)));
    cells.emplace_back(std::string(!finished ? "gave_up" : at_bound_ ? "at_bound" : "ok"));
    return cells;
  }

  ClusterSetup setup_;
  bool at_bound_ = false;  // whether the model's best interval is at a bound
  std::vector<ClusterResult> results_;
  std::atomic<std::uint32_t> done_ = 0;
};

const RegisteredStudy cluster_scale_study{
    {.name = "cluster_scale",
     .meaning = "Buddy checkpoints of a machine of up to 100,000 nodes in a network (SimGrid), component by "
                "component",
     .coordinates = {"nodes"},
     .columns =
         {{"mttf_s", "", "s", "The mean time between two failures that send the program back", 0},
          {"interval_s", "interval", "s", "The time from one checkpoint to the next", 0},
          {"efficiency_percent", "works", "%", "Work over time, the mean of the runs", 2, 6},
          {"efficiency_error", "+-", "%", "Half the width of its 99% confidence interval", 2, 6},
          {"predicted_percent", "ni2012", "%", "The same by the model, from the costs of the nodes alone", 2,
           6},
          {"distance_percent", "longer", "%", "How much longer the simulated time is than that of the model",
           2, 6},
          {"distance_error", "", "%", "Half the width of its 99% confidence interval", 2, 6},
          {"time_s", "", "s", "The time of a run"},
          {"predicted_s", "", "s", "The time of a run by the model"},
          {"node_overlap_s", "", "s", "The time until a buddy holds its copy if the network is idle"},
          {"overlap_s", "overlap", "s", "The same as simulated, the mean of all checkpoints", 2, 6},
          {"dump_s", "", "s", "The time that a run waits for local copies"},
          {"blocked_s", "", "s",
           "The time that a run waits for the copies of buddies, if checkpoints are blocking"},
          {"overlaps_s", "", "s", "The time of a run in which buddies were receiving their copies"},
          {"overheads_s", "", "s", "The time of a run that these copies cost"},
          {"lost_work_s", "", "s", "The work of a run that failures undid"},
          {"rework_s", "", "s", "The time of a run for work that had been done before"},
          {"detection_s", "", "s", "The time of a run until failures were noticed"},
          {"restart_s", "", "s", "The time of a run until the program was restored"},
          {"spare_wait_s", "", "s", "The time of a run in which no spare was available"},
          {"check_s", "", "s", "The time of a run for checks of its state"},
          {"slow_s", "", "s", "The time of a run that slow nodes have added"},
          {"node_lost_s", "", "s",
           "The time of a run that failures of nodes cost, from the last checkpoint until the program ran "
           "again"},
          {"dram_lost_s", "", "s", "The same of memory"},
          {"gpu_lost_s", "", "s", "The same of GPUs"},
          {"link_lost_s", "", "s", "The same of links"},
          {"software_lost_s", "", "s", "The same of programs"},
          {"burst_lost_s", "", "s", "The same of bursts"},
          {"corruption_lost_s", "", "s", "The same of silent corruption"},
          {"slow_lost_s", "", "s", "The same of slow nodes, with what they have added to iterations"},
          {"failures", "", "", "Failures in all runs; the counts that follow are over all runs, too"},
          {"node_failures", "", "", "Failures of nodes"},
          {"ssd_failures", "", "", "Failures of SSDs"},
          {"dram_failures", "", "", "Failures of memory"},
          {"gpu_failures", "", "", "Failures of GPUs"},
          {"link_failures", "", "", "Failures of links of nodes"},
          {"software_failures", "", "", "Failures of programs"},
          {"burst_failures", "", "", "Nodes that bursts have taken"},
          {"corruption_failures", "", "", "Silent corruptions"},
          {"slow_failures", "", "", "Nodes that have become slow"},
          {"local_recoveries", "local", "", "Recoveries from the nodes' own copies"},
          {"buddy_recoveries", "buddy", "", "Recoveries with copies from buddies"},
          {"global_recoveries", "global", "", "Recoveries from the file system"},
          {"start_recoveries", "anew", "", "Restarts from the beginning: there was no copy of all nodes"},
          {"checkpoints", "", "", "Checkpoints that all buddies received"},
          {"given_up", "", "", "Checkpoints that a failure ended"},
          {"late", "", "", "Checkpoints that had to wait for the one before"},
          {"global_copies", "", "", "Global copies that reached the file system"},
          {"global_given_up", "", "", "Global copies that a failure ended"},
          {"repairs", "", "", "Repairs of pairs that lacked copies"},
          {"network_bytes", "", "B", "The bytes of a run to buddies, to spares, to the file system and back"},
          {"wrong_results", "", "", "Runs that have ended with wrong data"},
          {"state", "state", "",
           "ok; at_bound: the interval of the model is as short as the overlap or as long as MTTF or "
           "the run allow; gave_up: a run took too long"}},
     .x = "nodes",
     .y = "predicted_percent",
     .x_key = "nodes",
     .state = "state",
     .beside = {.column = "efficiency_percent",
                .half_width = "efficiency_error",
                .keys = {"network.topology", "network.buddies", "spares", "seed", "runs"},
                .name = "simulated",
                .y_name = "ni2012",
                .label = "works (%)"},
     .bars = {"efficiency_percent", "predicted_percent"},
     .intervals = {{.column = "efficiency_percent", .half_of_99 = "efficiency_error"},
                   {.column = "distance_percent", .half_of_99 = "distance_error"}},
     .seeds_of_point = "runs",
     .make = make_study_point<ClusterScalePoint>}};

}  // namespace
}  // namespace asterism
