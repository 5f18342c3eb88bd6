#include "cluster/cluster_config.h"

#include "base/fields.h"

namespace asterism {

namespace {

// A node holds at most two copies of its own state, two of its protected rank's state, and the state itself.
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
    {"firmware_nodes", "is at most nodes: these are the first ranks",
     [](const ClusterConfig& c) { return c.firmware_nodes <= c.nodes || !is_ring_of_buddies(c); }},
    {"firmware_spares", "is 0 if firmware_nodes is 0: such a spare replaces only nodes with firmware",
     [](const ClusterConfig& c) { return c.firmware_spares == 0 || c.firmware_nodes != 0; }},
    {"network", "has a bandwidth other than 0",
     [](const ClusterConfig& c) { return c.network.bandwidth != Bandwidth(0); }},
    {"storage", "has a bandwidth other than 0",
     [](const ClusterConfig& c) { return !c.has_storage() || c.storage.bandwidth != Bandwidth(0); }},
    {"checkpoint.interval", "is 1 to program.steps: a longer one comes to no checkpoint",
     [](const ClusterConfig& c) {
       return c.checkpoint.interval != 0 && c.checkpoint.interval <= c.program.steps;
     }},
    {"checkpoint.overlap", "is 0 unless network.policy is lottery: it sets the tickets",
     [](const ClusterConfig& c) {
       return c.checkpoint.overlap == Picoseconds() || c.network.policy == SendPolicy::lottery;
     }},
    {"program", "has kind ring unless all ranks are whole nodes, with no global store",
     [](const ClusterConfig& c) { return c.is_ring() || (c.firmware_nodes == c.nodes && !c.has_storage()); }},
    {"spares", "is 0 unless program.kind is ring: only ranks of the ring can be traffic nodes",
     [](const ClusterConfig& c) { return c.is_ring() || c.spares == 0; }},
    {"firmware_spares", "is 0 if program.kind is independent: such nodes have no ranks to take over",
     [](const ClusterConfig& c) { return c.firmware_spares == 0 || !c.is_independent(); }},
    {"program", "has words and bandwidths of at least 1, and messages of 1 B to 4 KiB",
     [](const ClusterConfig& c) {
       const ClusterProgramConfig& p = c.program;
       return p.words != 0 && p.memory_bandwidth != Bandwidth(0) && p.ssd_write != Bandwidth(0) &&
              p.ssd_read != Bandwidth(0) && p.message_size != Bytes(0) && p.message_size <= Bytes(4096);
     }},
    {"program.messages", "is a multiple of program.parts: each part sends as many",
     [](const ClusterConfig& c) {
       return c.program.parts == 0 || c.program.messages % c.program.parts == 0;
     }},
    {"program.parts", "is 0 if firmware_nodes is not 0: whole nodes do not send these messages",
     [](const ClusterConfig& c) { return c.program.parts == 0 || c.firmware_nodes == 0; }},
    {"program.jitter", "is 0 to 1, and 0 unless the steps have program.parts",
     [](const ClusterConfig& c) {
       const ClusterProgramConfig& p = c.program;
       return p.jitter >= 0 && p.jitter <= 1 && (p.jitter == 0 || p.parts != 0);
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
  f("protocol", c.protocol, "When the program resumes after a checkpoint.", one_of<CheckpointProtocol>());
  f("interval", c.interval,
    "The number of steps between checkpoints. A shorter interval loses less work but costs more time.",
    at_least(1));
  f("placement", c.placement,
    "Where copies are kept. It determines which copies a loss destroys and how fast they are read.",
    one_of<CopyPlacement>());
  f("global_every", c.global_every,
    "One in this many checkpoints is also copied to the global store, which survives the loss of two "
    "buddies. 0: no global copies.",
    within(0, 1'000'000));
  f("overlap", c.overlap,
    "With the lottery policy, the time that a copy to a buddy shall take; the ranks set their tickets for "
    "it. 0: the tickets of the network are used.",
    at_most(1'000_s));
  f("restart_from_beginning", c.restart_from_beginning,
    "Whether the program starts again from the beginning when no checkpoint is left. Otherwise the run ends "
    "as not recoverable.");
}

static_assert(member_count<ClusterStorageConfig>() == 1);
void describe(Fields& f, ClusterStorageConfig& c) {
  f("bandwidth", c.bandwidth, "The bandwidth of the global store's link, which all ranks share.",
    within(1_MBps, 1000_GBps));
}

static_assert(member_count<ClusterProgramConfig>() == 13);
void describe(Fields& f, ClusterProgramConfig& c) {
  f("kind", c.kind,
    "The program that the ranks compute, which determines whether the platform can check its result.",
    one_of<ClusterProgramKind>());
  f("words", c.words, "The number of 8-byte words in a rank's state. More words make larger checkpoints.",
    within(1, 1 << 20));
  f("steps", c.steps, "The number of steps that the program computes.", within(1, 1'000'000'000));
  f("step_time", c.step_time, "The time that a traffic node computes for a step.", within(1_ns, 1'000_s));
  f("messages", c.messages,
    "The number of messages that a traffic node sends in a step besides its two halos. More messages leave "
    "less of the link to checkpoints.",
    within(0, 100'000));
  f("message_size", c.message_size, "The size of each of these messages.", within(1_B, 4_KiB));
  f("parts", c.parts,
    "The number of parts of a step. In each, a traffic node computes, sends its share of these messages at "
    "once, and waits for its neighbours'. 0: they are spread over the step, and nobody waits for them.",
    within(0, 100'000));
  f("jitter", c.jitter,
    "By how much a traffic node computes longer or shorter for a part, as a share of its time: at most this, "
    "drawn anew for each part, by the seed of the program.",
    within(0.0, 1.0));
  f("memory", c.memory, "The size of a traffic node's memory, which holds its state and copies.",
    within(8_B, 1_TiB));
  f("ssd", c.ssd, "The size of a traffic node's SSD, which holds copies.", within(8_B, 16_TiB));
  f("memory_bandwidth", c.memory_bandwidth,
    "The bandwidth of copies from memory to memory in a traffic node.", within(1_MBps, 10'000_GBps));
  f("ssd_write", c.ssd_write, "The bandwidth of copies to a traffic node's SSD.",
    within(1_MBps, 10'000_GBps));
  f("ssd_read", c.ssd_read, "The bandwidth of copies from a traffic node's SSD.",
    within(1_MBps, 10'000_GBps));
}

static_assert(member_count<ClusterConfig>() == 10);
void describe(Fields& f, ClusterConfig& c) {
  f("nodes", c.nodes, "The number of nodes that compute, each a rank of the program. 0: there is no cluster.",
    within(0, ClusterConfig::max_nodes));
  f("spares", c.spares, "The number of traffic spares. Each can take over the rank of a lost traffic node.",
    within(0, 64));
  f("firmware_nodes", c.firmware_nodes,
    "The number of ranks that are whole nodes and run the scenario's firmware. The other ranks are traffic "
    "nodes, which only generate the traffic of such a rank.",
    within(0, ClusterConfig::max_nodes));
  f("firmware_spares", c.firmware_spares,
    "The number of whole nodes in reserve. Each can take over the rank of a lost node with firmware.",
    within(0, 64));
  f("nic", c.nic,
    "The NIC of each whole node that is on the network of the cluster. A node may have further NICs, which "
    "follow it in the device tree: programs use the first one.");
  f("network", c.network, "The network between all nodes.");
  f("detection", c.detection, "The time from a loss until all nodes are notified of it.",
    within(1_ns, 1'000_s));
  f("storage", c.storage, "The global store, which exists if checkpoint.global_every is not 0.");
  f("checkpoint", c.checkpoint, "How checkpoints are taken, and where their copies are kept.");
  f("program", c.program, "The program that the ranks compute, and the speed of traffic nodes.");

  // Rules whose key is a path hold without a cluster, too: they are checked even if `nodes` is refused.
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
