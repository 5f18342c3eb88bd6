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
#include "platform/study/node_costs.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"
#include "resilience/long_duration.h"

namespace asterism {
namespace {

constexpr double hours_of_a_fit = 1e9;

// The members of ClusterSetup that are keys of `network`.
constexpr std::array<std::string_view, 8> network_keys = {"group",       "nodes_per_switch", "link",
                                                          "file_system", "oversubscription", "global_links",
                                                          "shape",       "io_switches"};

struct PlacedFailureConfig {
  LongDuration at;
  ClusterFailureKind kind = ClusterFailureKind::node;
  std::uint32_t node = 0;
};
static_assert(member_count<PlacedFailureConfig>() == 3);
void describe(Fields& f, PlacedFailureConfig& c) {
  f("at", c.at, "The time of the failure after the start of the run.", required());
  f("kind", c.kind, "What fails.", one_of<ClusterFailureKind>());
  f("node", c.node, "The node that fails, from 0 on. Nodes 2 i and 2 i + 1 are buddies.");
}

struct ClusterNetworkConfig {
  std::uint32_t nodes_per_switch = 64;
  ClusterTopology topology = ClusterTopology::fat_tree;
  BuddyDistance buddies = BuddyDistance::far;
  std::uint32_t group = 2;
  std::vector<std::uint32_t> shape = {};
  Bandwidth link = 12_GBps;
  std::optional<Bandwidth> trunk = std::nullopt;
  double oversubscription = 2;
  std::uint32_t global_links = 4;
  LongDuration latency = LongDuration(1000);
  std::uint32_t io_switches = 0;
  Bandwidth file_system = 1000_GBps;
};
static_assert(member_count<ClusterNetworkConfig>() == 12);
void describe(Fields& f, ClusterNetworkConfig& c) {
  f("nodes_per_switch", c.nodes_per_switch,
    "The number of nodes of a switch. Their flows are simulated as one; a higher number is simulated faster.",
    within(1, 10'000));
  f("topology", c.topology, "The topology of the switches.", one_of<ClusterTopology>());
  f("buddies", c.buddies, "How far away the buddy of a node is.", one_of<BuddyDistance>());
  f("group", c.group,
    "The number of nodes that share a parity of their copies, from which one of them can be restored. With "
    "2, "
    "buddies have whole copies of each other.",
    within(2, 64));
  f("shape", c.shape,
    "Fat tree: switches in a pod, pods; dragonfly: groups, chassis, blades; torus: dimensions. Without it, "
    "the smallest shape with space for all nodes.");
  f("link", c.link, "The bandwidth of a node's link to its switch, in each direction.",
    at_least(Bandwidth(1)));
  f("trunk", c.trunk,
    "The bandwidth of a link between two switches, in each direction. Without it, as much as all nodes of a "
    "switch have together.",
    at_least(Bandwidth(1)));
  f.when("topology", c.topology, ClusterTopology::fat_tree, [&] {
    f("oversubscription", c.oversubscription,
      "The bandwidth of the links below a pod over that of the links above it.", within(1.0, 1000.0));
  });
  f.when("topology", c.topology, ClusterTopology::dragonfly, [&] {
    f("global_links", c.global_links, "The number of trunks between two groups.", within(1, 1000));
  });
  f("latency", c.latency, "The latency of each link.", at_most(long_duration(1)));
  f("io_switches", c.io_switches,
    "The number of switches with one server of the file system each; 0 means one in 16.");
  f("file_system", c.file_system,
    "The bandwidth of all servers of the file system together, in each direction.", at_least(Bandwidth(1)));
}

struct ClusterFailuresConfig {
  LongDuration detection = {};
  double software_fit = 0;
  double shape = 1;
  bool new_machine = false;
};
static_assert(member_count<ClusterFailuresConfig>() == 4);
void describe(Fields& f, ClusterFailuresConfig& c) {
  f("detection", c.detection, "The time until a failure that rolls the program back is noticed.",
    at_most(a_century));
  f("software_fit", c.software_fit,
    "Failures of the programs of a node, in 1e9 h. They roll the program back, and nothing is lost.",
    within(0.0, 1e9));
  f("shape", c.shape,
    "The shape of the Weibull distribution of the lifetimes of nodes. Below 1, new nodes fail more often "
    "than "
    "those that have lived for long.",
    within(0.1, 10.0));
  f("new_machine", c.new_machine, "Whether all nodes are new. It matters if the shape is not 1.");
}

struct ClusterScaleStudy {
  std::uint32_t nodes = 1000, spares = 32;
  LongDuration spare_return = long_duration(14'400);  // 4 h
  ClusterNetworkConfig network = {};

  std::filesystem::path node_stats = {};
  std::optional<Bytes> state = std::nullopt;
  std::optional<LongDuration> dump = std::nullopt, overlap = std::nullopt, overhead = std::nullopt;
  std::optional<LongDuration> restart = std::nullopt;
  std::optional<Bandwidth> drain = std::nullopt;
  CopyDevice copies = CopyDevice::ssd;
  std::optional<Bytes> capacity = std::nullopt;

  LongDuration work = long_duration(86'400), iteration = long_duration(1);
  std::optional<LongDuration> interval = std::nullopt;
  ClusterCheckpoint checkpoint = ClusterCheckpoint::semi_blocking;
  std::uint32_t global_every = 10;

  double node_fit = 5000, ssd_fit = 1000, dram_fit = 100, gpu_fit = 1000, link_fit = 500;
  ClusterFailuresConfig failures = {};
  std::uint32_t ssds = 1, drams = 8, gpus = 4, links = 1;
  std::vector<PlacedFailureConfig> placed = {};
  std::uint64_t seed = 1;
  std::uint32_t runs = 10;
  std::optional<LongDuration> give_up = std::nullopt;
};
static_assert(member_count<ClusterScaleStudy>() == 32);

void describe_machine(Fields& f, ClusterScaleStudy& c) {
  f("nodes", c.nodes, "The number of nodes. More nodes fail more often and share the file system.",
    within(2, 1'000'000));
  f("spares", c.spares, "The number of spare nodes.", at_most(100'000));
  f("spare_return", c.spare_return, "The time until a lost node is repaired and becomes a spare.",
    at_most(a_century));
  f("network", c.network, "The network between the nodes, and to the file system.");
}

void describe_node(Fields& f, ClusterScaleStudy& c) {
  f("node_stats", c.node_stats,
    "The stats.json of a run of several nodes. Its object node.checkpoint_costs gives the values of the keys "
    "from state to drain that are not given.");
  f("state", c.state,
    "The size of a node's checkpoint. It is 16GiB if neither this key nor the file gives it.",
    at_least(Bytes(1)));
  f("dump", c.dump, "The time that the program is stalled for the local copy; otherwise 8s.",
    at_most(a_century));
  f("overlap", c.overlap,
    "The time from then until the buddy holds its copy if the network is idle; otherwise 16s.",
    within(a_nanosecond, a_century));
  f("overhead", c.overhead, "The time that the program loses by that copy; otherwise 1s.",
    at_most(a_century));
  f("restart", c.restart,
    "The time from the loss of a node until its state is on the spare if the network is idle; otherwise 30s.",
    within(a_nanosecond, a_century));
  f("drain", c.drain, "The bandwidth of a node in a global copy; otherwise 500MB/s.", at_least(Bandwidth(1)));
  f("copies", c.copies, "Where a node keeps its own copy and that of its buddy.", one_of<CopyDevice>());
  f("capacity", c.capacity,
    "The capacity of that device in a node. It holds two copies of its own and two of its buddy's while the "
    "next ones are written. Without it, 1TB for an SSD and 256GiB for memory.",
    at_least(Bytes(1)));
}

void describe_program(Fields& f, ClusterScaleStudy& c) {
  f("work", c.work, "The work of a run, without checkpoints and failures.", within(a_nanosecond, a_century));
  f("iteration", c.iteration, "The length of an iteration. Checkpoints are taken between two iterations.",
    within(a_nanosecond, a_century));
  f.check([&] { return c.work.count() % c.iteration.count() == 0; }, "work",
          "is a whole number of iterations");
  f("interval", c.interval,
    "The time from one checkpoint to the next, in whole iterations. Without it, the best one by the model.",
    within(a_nanosecond, a_century));
  f("checkpoint", c.checkpoint,
    "Whether the program waits for the copies of the buddies, or buddies are replicas that need no copies.",
    one_of<ClusterCheckpoint>());
  f("global_every", c.global_every,
    "Every how many checkpoints, or intervals without any, a global copy is made; 0 means never.");
}

void describe_failures(Fields& f, ClusterScaleStudy& c) {
  const auto fit = within(0.0, 1e9);
  const auto parts = at_most(10'000);
  f("node_fit", c.node_fit, "Failures of a node as a whole, in 1e9 h.", fit);
  f("ssd_fit", c.ssd_fit, "Failures of an SSD, in 1e9 h.", fit);
  f("dram_fit", c.dram_fit, "Failures of a memory module that its code does not correct, in 1e9 h.", fit);
  f("gpu_fit", c.gpu_fit, "Failures of a GPU, in 1e9 h.", fit);
  f("link_fit", c.link_fit, "Failures of the link of a node, in 1e9 h.", fit);
  f("failures", c.failures, "How failures come and are noticed, and those of programs.");
  f("ssds", c.ssds, "The number of SSDs in a node.", parts);
  f("drams", c.drams, "The number of memory modules in a node.", parts);
  f("gpus", c.gpus, "The number of GPUs in a node.", parts);
  f("links", c.links, "The number of links of a node.", parts);
  f("placed", c.placed, "Failures that take the place of random ones, in the order of their times.");
  f("seed", c.seed, "The seed of the first run. Each further run has the next seed.");
  f("runs", c.runs, "The number of runs. The results are means over them; a confidence interval needs two.",
    within(1, 100'000));
  f("give_up", c.give_up,
    "A run that takes longer than this is abandoned. Without it, the limit is 20 times the work.",
    within(a_nanosecond, a_century));
}

void describe(Fields& f, ClusterScaleStudy& c) {
  describe_machine(f, c);
  describe_node(f, c);
  describe_program(f, c);
  describe_failures(f, c);
}

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
    const bool of_network = std::ranges::count(network_keys, member) > 0;
    return of_network ? "network." + member : member;
  }

  // The other keys that contribute to a mistake in a member.
  static std::vector<std::string> part_in(const std::string& member) {
    if (member == "interval") return {"overlap", "overhead", "node_stats", "work"};
    if (member == "dump" || member == "overlap") return {"node_stats", "work"};
    if (member == "overhead") return {"overlap", "node_stats"};
    if (member == "rates") return {"ssd_fit", "dram_fit", "gpu_fit", "link_fit"};
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
    if (setup_.state.count() > capacity.count() / 4)
      throw StudyMistake(
          "state",
          fmt::format("two copies of a node and two of its buddy, of {} each, are more than its {} of {}",
                      to_text(setup_.state), on_ssd ? "SSD" : "memory", to_text(capacity)),
          {"node_stats", "capacity", "copies"});
  }

  void take_failures() {
    const ClusterScaleStudy& c = config_;
    const auto rate = [](double fit, std::uint32_t parts) {
      return Rate(fit * parts / hours_of_a_fit / seconds_of_an_hour);
    };
    setup_.rates = {rate(c.node_fit, 1),     rate(c.ssd_fit, c.ssds),   rate(c.dram_fit, c.drams),
                    rate(c.gpu_fit, c.gpus), rate(c.link_fit, c.links), rate(c.failures.software_fit, 1)};
    setup_.shape_of_lifetimes = c.failures.shape;
    setup_.new_machine = c.failures.new_machine;
    for (const PlacedFailureConfig& failure : c.placed)
      setup_.placed.push_back({seconds(failure.at), failure.kind, failure.node});
    setup_.seed = c.seed;
    setup_.runs = c.runs;
    setup_.give_up = c.give_up ? seconds(*c.give_up) : 20 * seconds(c.work);
  }

  void take_program() {
    const ClusterScaleStudy& c = config_;
    setup_.iteration = seconds(c.iteration);
    setup_.iterations = c.work / c.iteration;
    setup_.checkpoint = c.checkpoint;
    setup_.global_every = c.global_every;
    setup_.detection = seconds(c.failures.detection);
    if (c.interval) {
      if (*c.interval > c.work)
        throw StudyMistake("interval", fmt::format("expected at most the run's work, {}, got {}",
                                                   to_text(c.work), to_text(*c.interval)));
      const std::uint64_t half = c.iteration.count() / 2;
      setup_.interval = std::max<std::uint64_t>((c.interval->count() + half) / c.iteration.count(), 1);
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
    for (const auto part : {&ClusterResult::dump, &ClusterResult::blocked, &ClusterResult::overlap,
                            &ClusterResult::overhead, &ClusterResult::lost_work, &ClusterResult::rework,
                            &ClusterResult::detection, &ClusterResult::restart, &ClusterResult::spare_wait})
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
          {"efficiency_error", "", "%", "Half the width of its 99% confidence interval"},
          {"predicted_percent", "ni2012", "%", "The same by the model, from the costs of the nodes alone", 2,
           6},
          {"distance_percent", "longer", "%", "How much longer the simulated time is than that of the model",
           2, 6},
          {"distance_error", "+-", "%", "Half the width of its 99% confidence interval", 2, 6},
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
          {"node_lost_s", "", "s",
           "The time of a run that failures of nodes cost, from the last checkpoint until the program ran "
           "again"},
          {"dram_lost_s", "", "s", "The same of memory"},
          {"gpu_lost_s", "", "s", "The same of GPUs"},
          {"link_lost_s", "", "s", "The same of links"},
          {"software_lost_s", "", "s", "The same of programs"},
          {"failures", "", "", "Failures in all runs; the counts that follow are over all runs, too"},
          {"node_failures", "", "", "Failures of nodes"},
          {"ssd_failures", "", "", "Failures of SSDs"},
          {"dram_failures", "", "", "Failures of memory"},
          {"gpu_failures", "", "", "Failures of GPUs"},
          {"link_failures", "", "", "Failures of links of nodes"},
          {"software_failures", "", "", "Failures of programs"},
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
                .y_name = "ni2012"},
     .bars = {"efficiency_percent", "predicted_percent"},
     .intervals = {{.column = "efficiency_percent", .half_of_99 = "efficiency_error"},
                   {.column = "distance_percent", .half_of_99 = "distance_error"}},
     .seeds_of_point = "runs",
     .make = make_study_point<ClusterScalePoint>}};

}  // namespace
}  // namespace asterism
