#include "platform/study/cluster_scale_config.h"

#include "platform/study/study_units.h"

namespace asterism {

static_assert(member_count<PlacedFailureConfig>() == 3);
void describe(Fields& f, PlacedFailureConfig& c) {
  f("at", c.at, "The time of the failure after the start of the run.", required());
  f("kind", c.kind, "What fails.", one_of<ClusterFailureKind>());
  f("node", c.node, "The node that fails, from 0 on. Nodes 2 i and 2 i + 1 are buddies.");
}

static_assert(member_count<ClusterNetworkConfig>() == 13);
void describe(Fields& f, ClusterNetworkConfig& c) {
  f("nodes_per_switch", c.nodes_per_switch,
    "The number of nodes of a switch. Their flows are simulated as one; a higher number is simulated faster.",
    within(1, 10'000));
  f("topology", c.topology, "The topology of the switches.", one_of<ClusterTopology>());
  f("buddies", c.buddies, "How far away the buddy of a node is.", one_of<BuddyDistance>());
  f("group", c.group,
    "The number of nodes that share a parity of their copies, from which one of them can be restored. With "
    "2, there are whole copies.",
    within(2, 64));
  f("replicas", c.replicas,
    "The number of whole copies of a node's state, with its own. With 2, buddies have copies of each other; "
    "with more, more nodes may be lost at once, and each checkpoint sends as many more copies.",
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

static_assert(member_count<BurstConfig>() == 3);
void describe(Fields& f, BurstConfig& c) {
  f("fit", c.fit, "Bursts that begin with a node, in 1e9 h.", within(0.0, 1e9));
  f("nodes", c.nodes, "The number of nodes that a burst takes. More of them take copies of each other along.",
    within(1, 1'000'000));
  f("place", c.place, "Which nodes they are.", one_of<BurstPlace>());
}

static_assert(member_count<CorruptionConfig>() == 3);
void describe(Fields& f, CorruptionConfig& c) {
  f("fit", c.fit, "Silent corruptions of the state by a node, in 1e9 h.", within(0.0, 1e9));
  f("check_every", c.check_every,
    "The time from one check of the state to the next, in whole iterations. A corruption undoes the work "
    "since a copy from before the last check that has found nothing. Without it nothing is checked, and runs "
    "end with wrong data.",
    within(a_nanosecond, a_century));
  f("check", c.check, "The time for which a check stops the program.", at_most(a_century));
}

static_assert(member_count<SlowNodesConfig>() == 3);
void describe(Fields& f, SlowNodesConfig& c) {
  f("fit", c.fit, "Nodes that become slow, in 1e9 h of a node.", within(0.0, 1e9));
  f("slowdown", c.slowdown, "The time of an iteration with slow nodes over the usual one, less 1.",
    within(0.0, 1e6));
  f("found_after", c.found_after,
    "The time until a slow node is found, after which the program stops for a spare. Until then, all wait "
    "for it in each iteration.",
    at_most(a_century));
}

static_assert(member_count<ClusterFailuresConfig>() == 7);
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
  f("burst", c.burst, "Failures of several nodes at once.");
  f("corruption", c.corruption, "Wrong data that are noticed by checks alone.");
  f("slow", c.slow, "Nodes that all others wait for.");
}

static_assert(member_count<ClusterScaleStudy>() == 32);

namespace {

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
    "The capacity of that device in a node. It holds two copies of its own and two of each node whose copies "
    "it has, while the next ones are written. Without it, 1TB for an SSD and 256GiB for memory.",
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

}  // namespace

void describe(Fields& f, ClusterScaleStudy& c) {
  describe_machine(f, c);
  describe_node(f, c);
  describe_program(f, c);
  describe_failures(f, c);
}

}  // namespace asterism
