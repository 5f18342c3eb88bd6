#include "cluster/cluster_config.h"

#include "base/fields.h"

namespace asterism {

namespace {

// Two copies of its own, two of its ward's and the state itself: as much as a node holds at most.
bool memory_suffices(const ClusterConfig& c) {
  const std::uint64_t copies = c.checkpoint.placement == CopyPlacement::memory     ? 5
                               : c.checkpoint.placement == CopyPlacement::half_ssd ? 3
                                                                                   : 1;
  return c.program.state() * copies <= c.program.memory;
}
bool ssd_suffices(const ClusterConfig& c) {
  const std::uint64_t copies = c.checkpoint.placement == CopyPlacement::memory     ? 0
                               : c.checkpoint.placement == CopyPlacement::half_ssd ? 2
                                                                                   : 4;
  return c.program.state() * copies <= c.program.ssd;
}

bool is_ring_of_buddies(const ClusterConfig& c) {
  return c.nodes >= 2 && c.nodes <= ClusterConfig::max_nodes;
}

struct Rule {
  std::string_view key;
  std::string_view words;
  bool (*holds)(const ClusterConfig& c);
};

constexpr Rule rules[] = {
    {"nodes", "is 0, or 2 to 64: a rank alone has no buddy", is_ring_of_buddies},
    {"firmware_nodes", "is at most nodes: they are the first of them",
     [](const ClusterConfig& c) { return c.firmware_nodes <= c.nodes || !is_ring_of_buddies(c); }},
    {"firmware_spares", "is 0 where there are no firmware_nodes to stand in for",
     [](const ClusterConfig& c) { return c.firmware_spares == 0 || c.firmware_nodes != 0; }},
    {"network", "has a bandwidth: without, no node reaches another",
     [](const ClusterConfig& c) { return c.network.bandwidth != Bandwidth(0); }},
    {"storage", "has a bandwidth: without, no node reaches it",
     [](const ClusterConfig& c) { return !c.has_storage() || c.storage.bandwidth != Bandwidth(0); }},
    {"checkpoint.interval", "is 1 to program.steps: a longer one comes to no checkpoint",
     [](const ClusterConfig& c) {
       return c.checkpoint.interval != 0 && c.checkpoint.interval <= c.program.steps;
     }},
    {"checkpoint.overlap", "is 0 unless network.policy is lottery: it sets the tickets",
     [](const ClusterConfig& c) {
       return c.checkpoint.overlap == Picoseconds() || c.network.policy == SendPolicy::lottery;
     }},
    {"program",
     "has kind firmware only where all ranks are whole nodes, with no traffic spares and no global store",
     [](const ClusterConfig& c) {
       return c.program.kind != ClusterProgramKind::firmware ||
              (c.firmware_nodes == c.nodes && c.spares == 0 && !c.has_storage());
     }},
    {"program", "has words and bandwidths of at least 1, and messages of 1 B to 4 KiB",
     [](const ClusterConfig& c) {
       const ClusterProgramConfig& p = c.program;
       return p.words != 0 && p.memory_bandwidth != Bandwidth(0) && p.ssd_write != Bandwidth(0) &&
              p.ssd_read != Bandwidth(0) && p.message_size != Bytes(0) && p.message_size <= Bytes(4096);
     }},
    {"program.memory",
     "holds the state, 8 B for each of program.words, and its copies: in all 5, 3 or 1 times, by "
     "checkpoint.placement",
     memory_suffices},
    {"program.ssd",
     "holds copies of the state, 8 B for each of program.words: 0, 2 or 4 of them, by checkpoint.placement",
     ssd_suffices},
};

}  // namespace

static_assert(member_count<ClusterCheckpointConfig>() == 6);
void describe(Fields& f, ClusterCheckpointConfig& c) {
  f("protocol", c.protocol, "Whether the program waits for its buddies' copies",
    one_of<CheckpointProtocol>());
  f("interval", c.interval, "Steps between checkpoints; fewer of them lose less work and cost more",
    at_least(1));
  f("placement", c.placement, "Where copies lie: what a loss takes, and how fast they are read again",
    one_of<CopyPlacement>());
  f("global_every", c.global_every,
    "Every how many checkpoints one goes to the global store, which outlives the loss of two buddies; 0: "
    "none does",
    within(0, 1'000'000));
  f("overlap", c.overlap,
    "With the lottery: the time that copies to buddies shall take; ranks set their tickets for it. 0: those "
    "of "
    "the network stay",
    at_most(1'000_s));
  f("restart_from_beginning", c.restart_from_beginning,
    "Whether the program starts anew when no checkpoint is left, or ends as not recoverable");
}

static_assert(member_count<ClusterStorageConfig>() == 1);
void describe(Fields& f, ClusterStorageConfig& c) {
  f("bandwidth", c.bandwidth, "Of the global store's link; all ranks share it", within(1_MBps, 1000_GBps));
}

static_assert(member_count<ClusterProgramConfig>() == 11);
void describe(Fields& f, ClusterProgramConfig& c) {
  f("kind", c.kind, "What the ranks compute, and with it whether the platform can tell a right result",
    one_of<ClusterProgramKind>());
  f("words", c.words, "Of a rank's state, 8 bytes each; more of them make larger checkpoints",
    within(1, 1 << 20));
  f("steps", c.steps, "That the program makes", within(1, 1'000'000'000));
  f("step_time", c.step_time, "That a traffic node computes for a step", within(1_ns, 1'000_s));
  f("messages", c.messages,
    "That a traffic node sends in a step besides its two halos; more of them take more of the link",
    within(0, 100'000));
  f("message_size", c.message_size, "Of each of them", within(1_B, 4_KiB));
  f("memory", c.memory, "Of a traffic node, for its state and copies", within(8_B, 1_TiB));
  f("ssd", c.ssd, "Of a traffic node, for copies", within(8_B, 16_TiB));
  f("memory_bandwidth", c.memory_bandwidth, "Of copies from memory to memory in a traffic node",
    within(1_MBps, 10'000_GBps));
  f("ssd_write", c.ssd_write, "Of copies to a traffic node's SSD", within(1_MBps, 10'000_GBps));
  f("ssd_read", c.ssd_read, "Of copies from it", within(1_MBps, 10'000_GBps));
}

static_assert(member_count<ClusterConfig>() == 9);
void describe(Fields& f, ClusterConfig& c) {
  f("nodes", c.nodes, "That compute, each a rank of the program; 0: there is no cluster",
    within(0, ClusterConfig::max_nodes));
  f("spares", c.spares, "That make traffic, and take the ranks of lost ones", within(0, 64));
  f("firmware_nodes", c.firmware_nodes,
    "How many of the ranks are whole nodes that run the scenario's firmware; the others make its traffic "
    "only",
    within(0, ClusterConfig::max_nodes));
  f("firmware_spares", c.firmware_spares, "Whole nodes that take the ranks of lost ones of their kind",
    within(0, 64));
  f("network", c.network, "Between all of them");
  f("detection", c.detection, "From a loss until all know of it", within(1_ns, 1'000_s));
  f("storage", c.storage, "The global store, there with checkpoint.global_every");
  f("checkpoint", c.checkpoint, "How copies are made");
  f("program", c.program, "What the ranks compute, and how fast those are that make traffic");

  // Those that name paths hold without a cluster, too: they are judged also where `nodes` is refused.
  for (const Rule& rule : rules) {
    const bool is_of_nodes = rule.key.find('.') == std::string_view::npos;
    f.check([&] { return (is_of_nodes && c.nodes == 0) || rule.holds(c); }, rule.key, rule.words);
  }
}

std::optional<ClusterProblem> find_problem(const ClusterConfig& config) {
  if (config.nodes == 0) return std::nullopt;
  for (const Rule& rule : rules)
    if (!rule.holds(config)) return ClusterProblem{rule.key, rule.words};
  return std::nullopt;
}

}  // namespace asterism
