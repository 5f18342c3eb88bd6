// The cost of semi-blocking buddy checkpoints for a program on the simulated cluster, by the program's
// communication and by the policy of the network interface (models/cluster).
#include <algorithm>
#include <cmath>
#include <optional>

#include "cluster/traffic_cluster.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_units.h"

namespace asterism {
namespace {

// A step of the program computes, and communicates for `ratio` times as long: the messages of a step take
// that time on the link of a node or, if there is one, of its host thread, which sends and receives them. If
// nobody waits for them, they are spread over the whole step.
struct BuddyOverlapStudy {
  double ratio = 1.4;
  SendPolicy policy = SendPolicy::opportunistic;
  std::optional<double> overlap = std::nullopt;
  std::uint32_t nodes = 4;
  Bytes state = 1_MiB;
  Picoseconds compute = 100_us;
  Bytes message_size = 4_KiB;
  std::optional<Bandwidth> host_thread = std::nullopt;
  std::uint32_t burst = 0;
  double pause = 0;
  double jitter = 0;
  std::uint64_t interval = 30;
  std::uint64_t checkpoints = 3;
  Bandwidth bandwidth = 1_GBps;
  Picoseconds latency = 1_us;
  Bandwidth memory_bandwidth = 10_GBps;
  std::uint64_t seed = 1;
};
static_assert(member_count<BuddyOverlapStudy>() == 17);
void describe(Fields& f, BuddyOverlapStudy& c) {
  f("ratio", c.ratio,
    "The time that a step communicates, over the time that it computes: what its messages take on a node's "
    "link, or of its host thread, and the pause. A higher ratio leaves checkpoints less of the link.",
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
  f("host_thread", c.host_thread,
    "The rate at which a thread of each node passes frames between memory and NIC, sent and received ones "
    "together. Without it, a NIC does so by itself.",
    within(1_MBps, 1000_GBps));
  f("burst", c.burst,
    "The number of messages that the program sends at once after a part of a step, before it waits for those "
    "of its neighbours. 0: they are spread over the step, and nobody waits for them.",
    within(0, 100'000));
  f("pause", c.pause,
    "The part of ratio in which no messages are sent or received, such as the wait for the slowest rank.",
    within(0.0, 100.0));
  f("jitter", c.jitter,
    "By how much the parts of a step, at the end of which the program sends a burst, compute longer or "
    "shorter than the mean, as a share of it: at most this.",
    within(0.0, 1.0));
  f.check([&] { return c.burst != 0 || c.jitter == 0; }, "jitter", "is given with burst only");
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
  f.check([&] { return c.pause <= c.ratio; }, "pause", "is a part of ratio: at most as much");
  f.check([&] { return !c.overlap || c.policy == SendPolicy::lottery; }, "overlap",
          "is given with policy lottery only");
}

class BuddyOverlapPoint final : public StudyPointOf<BuddyOverlapStudy> {
 public:
  void prepare(const ConfigLibrary&) override {
    const Bytes frame = config_.message_size + Bytes(Message::header_size + Frame::overhead_bytes);
    // A host thread has each frame twice: it sends one and receives one.
    const Picoseconds message = config_.host_thread ? transfer_time(frame * 2, *config_.host_thread)
                                                    : transfer_time(frame, config_.bandwidth);
    const double messages = (config_.ratio - config_.pause) * static_cast<double>(config_.compute.count()) /
                            static_cast<double>(message.count());
    if (messages > 100'000) throw StudyMistake("ratio", "a step has more than 100,000 messages");
    const std::uint32_t together = std::max(1u, config_.burst);
    messages_ = together * static_cast<std::uint32_t>(std::lround(messages / together));
    communicate_ = Picoseconds(message.count() * messages_);
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
    const double step = static_cast<double>(without->time.count()) / static_cast<double>(steps()),
                 compute = static_cast<double>(config_.compute.count());
    return {(step - compute) / compute,
            100 * without->busy,
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

  // A program that waits for its messages takes the time for them by itself.
  Picoseconds step_time() const {
    const BuddyOverlapStudy& c = config_;
    const Picoseconds pause(
        static_cast<std::uint64_t>(std::llround(c.pause * static_cast<double>(c.compute.count()))));
    return c.compute + pause + (c.burst == 0 ? communicate_ : Picoseconds());
  }
  std::uint32_t parts() const { return config_.burst == 0 ? 0 : std::max(1u, messages_ / config_.burst); }

  ClusterConfig cluster_of(Run run, Picoseconds overlap) const {
    const BuddyOverlapStudy& c = config_;
    ClusterConfig cluster;
    cluster.nodes = c.nodes;
    cluster.spares = 0;
    cluster.network.bandwidth = c.bandwidth;
    cluster.network.latency = c.latency;
    cluster.network.policy = c.policy;
    cluster.network.host_thread = c.host_thread;
    cluster.checkpoint.protocol =
        run == Run::blocking ? CheckpointProtocol::blocking : CheckpointProtocol::semi_blocking;
    cluster.checkpoint.interval = run == Run::without_checkpoints ? steps() : c.interval;
    cluster.checkpoint.overlap = overlap;
    cluster.program.words = c.state.count() / 8;
    cluster.program.steps = steps();
    cluster.program.step_time = step_time();
    cluster.program.messages = messages_;
    cluster.program.parts = parts();
    cluster.program.jitter = c.jitter;
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
    const Bandwidth rate = config_.host_thread.value_or(config_.bandwidth);
    const double each = config_.host_thread ? 2 : 1;  // sent, and received
    const double capacity =
        static_cast<double>(rate.count()) * config_.nodes * static_cast<double>(time.count()) / 1e12;
    return Timed{time, each * bytes / capacity, costs.dump, costs.overlap, costs.stalled};
  }

  std::uint32_t messages_ = 0;
  Picoseconds communicate_;
};

const RegisteredStudy buddy_overlap_study{
    {.name = "buddy_overlap",
     .meaning =
         "Semi-blocking checkpoints of simulated nodes: what their copies cost a program that communicates",
     .coordinates = {"ratio", "policy"},
     .columns = {{"measured_ratio", "", "",
                  "The time that a step communicates without checkpoints, over the time that it computes"},
                 {"busy_percent", "busy", "%",
                  "The share of a node's link or host thread that the program uses without checkpoints", 1},
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
