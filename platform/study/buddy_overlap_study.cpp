// The cost of semi-blocking buddy checkpoints for a program on the simulated cluster, by the program's
// communication and by the policy of the network interface (models/cluster).
#include <cmath>
#include <optional>

#include "cluster/traffic_cluster.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"

namespace asterism {
namespace {

// A step of the program computes, and communicates for `ratio` times as long. The messages are spread over
// the whole step.
struct BuddyOverlapStudy {
  double ratio = 1.4;
  SendPolicy policy = SendPolicy::opportunistic;
  std::optional<double> overlap = std::nullopt;
  std::uint32_t nodes = 4;
  Bytes state = 1_MiB;
  Picoseconds compute = 100_us;
  Bytes message_size = 4_KiB;
  std::uint64_t interval = 30;
  std::uint64_t checkpoints = 3;
  Bandwidth bandwidth = 1_GBps;
  Picoseconds latency = 1_us;
  Bandwidth memory_bandwidth = 10_GBps;
  std::uint64_t seed = 1;
};
static_assert(member_count<BuddyOverlapStudy>() == 13);
void describe(Fields& f, BuddyOverlapStudy& c) {
  f("ratio", c.ratio,
    "The time that the messages of a step take on a node's link, over the time that the step computes. A "
    "higher ratio leaves checkpoints less of the link.",
    within(0.0, 100.0));
  f("policy", c.policy, "Which of the two queues of a network interface sends next.", one_of<SendPolicy>());
  f("overlap", c.overlap,
    "With policy lottery: how long the copies are to take, in units of a blocking checkpoint; the ranks set "
    "their tickets for it. Without it, each queue has one ticket.",
    within(0.01, 1000.0));
  f("nodes", c.nodes, "The number of nodes. Each node is one rank.", within(2, ClusterConfig::max_nodes));
  f("state", c.state, "The size of the state of a rank, which a checkpoint holds.", within(8_B, 8_MiB));
  f("compute", c.compute,
    "The time that a step computes, without communication. Short steps are delayed by a smaller part of a "
    "copy.",
    within(1_us, 1_s));
  f("message_size", c.message_size,
    "The size of the messages of the program. The messages of a copy carry 4 KiB.", within(1_B, 4_KiB));
  f("interval", c.interval, "The number of steps between two checkpoints.", within(1, 1'000'000));
  f("checkpoints", c.checkpoints, "The number of checkpoints of a run. The results are means over them.",
    within(1, 1'000'000));
  f("bandwidth", c.bandwidth, "The bandwidth of the link of a node, in each direction.",
    within(1_MBps, 1000_GBps));
  f("latency", c.latency, "The latency from one network interface to another.", within(1_ns, 1_s));
  f("memory_bandwidth", c.memory_bandwidth,
    "The bandwidth of the local copy, during which the program is stalled.", within(1_MBps, 10'000_GBps));
  f("seed", c.seed, "The seed of the data of the program and of the lottery.");
  f.check(c.state.count() % 8 == 0, "state", "is a whole number of words of 8 bytes");
  f.check([&] { return !c.overlap || c.policy == SendPolicy::lottery; }, "overlap",
          "is given with policy lottery only");
}

class BuddyOverlapPoint final : public StudyPointOf<BuddyOverlapStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    const Picoseconds wire = transfer_time(
        config_.message_size + Bytes(Message::header_size + Frame::overhead_bytes), config_.bandwidth);
    const double messages =
        config_.ratio * static_cast<double>(config_.compute.count()) / static_cast<double>(wire.count());
    if (messages > 100'000) throw StudyMistake("ratio", "a step has more than 100,000 messages");
    messages_ = static_cast<std::uint32_t>(std::lround(messages));
    communicate_ = Picoseconds(wire.count() * messages_);
    if (steps() * messages_ * config_.nodes > 100'000'000)
      throw StudyMistake("checkpoints", "a run has more than 100,000,000 messages");
  }

  std::vector<Cell> run(const std::stop_token& stop) override {
    const auto without = time_of(Run::without_checkpoints, {}, stop);
    const auto blocking = time_of(Run::blocking, {}, stop);
    if (!without || !blocking) return {};
    const double count = static_cast<double>(config_.checkpoints);
    const double c = (milliseconds(blocking->time) - milliseconds(without->time)) / count;
    const Picoseconds wanted(
        config_.overlap ? static_cast<std::uint64_t>(std::llround(*config_.overlap * c * 1e9)) : 0);
    const auto semi = time_of(Run::semi_blocking, wanted, stop);
    if (!semi) return {};
    const double dump = milliseconds(semi->dump), overlap = milliseconds(semi->overlap),
                 longer = (milliseconds(semi->time) - milliseconds(without->time)) / count,
                 overhead = longer - dump;
    return {100 * without->busy,
            c,
            dump,
            overlap,
            overhead,
            overlap / c,
            overhead / c,
            100 * (1 - longer / c),
            std::string(semi->stalled > semi->dump ? "waits" : "ok")};
  }

 private:
  enum class Run { without_checkpoints, blocking, semi_blocking };
  struct Timed {
    Picoseconds time;  // the time of the whole run
    double busy = 0;   // the share of the time in which a node's link is busy
    Picoseconds dump, overlap, stalled;
  };

  std::uint64_t steps() const { return config_.interval * (config_.checkpoints + 1); }

  ClusterConfig cluster_of(Run run, Picoseconds overlap) const {
    const BuddyOverlapStudy& c = config_;
    ClusterConfig cluster;
    cluster.nodes = c.nodes;
    cluster.spares = 0;
    cluster.network.bandwidth = c.bandwidth;
    cluster.network.latency = c.latency;
    cluster.network.policy = c.policy;
    cluster.checkpoint.protocol =
        run == Run::blocking ? CheckpointProtocol::blocking : CheckpointProtocol::semi_blocking;
    cluster.checkpoint.interval = run == Run::without_checkpoints ? steps() : c.interval;
    cluster.checkpoint.overlap = overlap;
    cluster.program.words = c.state.count() / 8;
    cluster.program.steps = steps();
    cluster.program.step_time = c.compute + communicate_;
    cluster.program.messages = messages_;
    cluster.program.message_size = c.message_size;
    cluster.program.memory_bandwidth = c.memory_bandwidth;
    return cluster;
  }

  // Returns nullopt if a stop was requested.
  std::optional<Timed> time_of(Run run, Picoseconds overlap, const std::stop_token& stop) const {
    NoEventLog events;
    TrafficCluster cluster(cluster_of(run, overlap), config_.seed, events);
    cluster.begin();
    while (!cluster.management().outcome() && cluster.event_queue().step())
      if (stop.stop_requested()) return std::nullopt;
    const Picoseconds time = cluster.management().outcome().value().at;
    const CheckpointCosts costs = cluster.costs();
    double bytes = 0;
    for (NodeNumber node = 0; node < config_.nodes; ++node)
      bytes += static_cast<double>(cluster.network().bytes_sent(node, SendQueue::application));
    const double capacity = static_cast<double>(config_.bandwidth.count()) * config_.nodes *
                            static_cast<double>(time.count()) / 1e12;
    return Timed{time, bytes / capacity, costs.dump, costs.overlap, costs.stalled};
  }

  std::uint32_t messages_ = 0;
  Picoseconds communicate_;
};

const RegisteredStudy buddy_overlap_study{
    {.name = "buddy_overlap",
     .meaning =
         "Semi-blocking checkpoints of simulated nodes: what their copies cost a program that communicates",
     .coordinates = {"ratio", "policy"},
     .columns = {{"busy_percent", "busy", "%",
                  "The share of the link of a node that the program uses without checkpoints", 1},
                 {"c_ms", "c", "ms", "The time that a blocking checkpoint adds to the run", 3},
                 {"dump_ms", "", "ms", "The time that the program is stalled for the local copy", 3},
                 {"overlap_ms", "overlap", "ms", "The time from then until the buddy holds its copy", 3},
                 {"overhead_ms", "overhead", "ms",
                  "The time that a checkpoint adds to the run besides the dump", 3},
                 {"overlap_c", "overlap", "c", "The overlap in units of a blocking checkpoint"},
                 {"overhead_c", "overhead", "c", "The overhead in units of a blocking checkpoint", 3},
                 {"saved_percent", "saved", "%",
                  "The share of the cost of blocking checkpoints that is saved", 1},
                 {"state", "state", "",
                  "ok; waits: copies take longer than the interval, and the program waits for them"}},
     .x = "overlap_c",
     .y = "overhead_c",
     .x_key = "overlap",
     .state = "state",
     .x_label = "overlap, in units of a blocking checkpoint",
     .other_x = "ratio",
     .bars = {"overlap_c", "overhead_c"},
     .make = make_study_point<BuddyOverlapPoint>}};

}  // namespace
}  // namespace asterism
