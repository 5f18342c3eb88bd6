// `asterism run` of several nodes: whole nodes with firmware and traffic nodes, which hold each other's
// checkpoints.
#include <gmock/gmock.h>

#include <csignal>
#include <thread>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* equal =
    "compared     with the same scenario with faults=[]:\n"
    "             result.txt is equal, bit for bit (19 bytes)\n";
constexpr const char* right = "equal to the result of the sequential program\n";

// More errors than the memory's code corrects: they end the program of node 1.
const std::string broken =
    R"(faults=[{"at": "2ms", "kind": "chip", "channel": 0, "rank": 0, "chip": 3, "node": 1}])";

struct ClusterTest : CommandTest {
  // Seven ranks, two of which are whole nodes, with one spare of each kind: nodes 7 and 8. There are no
  // expectations.
  Ended cluster(const Arguments& more = {}) const {
    Arguments all{"run", "buddy_cluster", "expect={}", "--out", "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
  // Ranks 0 to 5 are traffic nodes; nodes 6 and 7 are spares.
  Ended traffic(const Arguments& more = {}) const {
    write("traffic.json",
          R"({"cluster": {"nodes": 6, "spares": 2, "program": {"steps": 40}}, "until": "1s"})");
    Arguments all{"run", "traffic.json", "--out", "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
  std::string result() const { return contents("run/files/result.txt"); }
  static std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
    return widest;
  }
  nlohmann::json first_event(const std::string& kind) const {
    for (const auto& event : events())
      if (event["kind"] == kind) return event;
    return {};
  }
  void expect_refusal(const Arguments& changes, const std::string& message) const {
    Arguments all{"run", "buddy_cluster", "--out", "run"};
    all.insert(all.end(), changes.begin(), changes.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 65) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr(message));
    EXPECT_FALSE(left_a_run());
  }
};

TEST_F(ClusterTest, ANodeWithFirmwareDiesAndTheResultIsThatWithoutFaults) {
  const Ended ended = asterism({"run", "buddy_cluster"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("ended        every rank has completed all its steps\n"));
  EXPECT_THAT(ended.out, HasSubstr("cluster      7 ranks, 2 with firmware; 1 of 2 spares used\n"));
  EXPECT_THAT(ended.out, HasSubstr("committed by all ranks, 1 loss, 1 recovery\n"));
  EXPECT_THAT(ended.out, HasSubstr(right));
  EXPECT_THAT(ended.out, HasSubstr(equal));
  EXPECT_THAT(ended.out, HasSubstr(" MIPS, "));
  EXPECT_THAT(ended.out, HasSubstr("expected     all expectations are met\n"));
  EXPECT_LE(widest_line(ended.out.substr(0, ended.out.find("run files"))), 80u) << ended.out;
}

TEST_F(ClusterTest, EachWholeNodeHasAConsoleFilesAndStatisticsOfItsOwn) {
  ASSERT_EQ(cluster().status, 0);
  const std::string console = contents("run/console.log");
  for (const char* node : {"node0", "node1", "node7"}) {
    EXPECT_THAT(console, HasSubstr(std::string(node) + ": buddy_ring: node "));
    EXPECT_GT(json("run/stats.json")[node]["core0"]["instructions"], 0) << node;
  }
  EXPECT_TRUE(exists("run/files/node0/result.txt"));
  EXPECT_TRUE(exists("run/files/node7/result.txt"));
  EXPECT_FALSE(exists("run/files/node1/result.txt"));  // the node is lost by then
  std::istringstream lines(console);
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(line, testing::StartsWith("node"));
}

TEST_F(ClusterTest, EventsNameTheirNode) {
  ASSERT_EQ(cluster().status, 0);
  std::vector<std::string> sources;
  for (const auto& event : events()) sources.push_back(event["source"]);
  EXPECT_THAT(sources, Contains("node1.dimm_ssd"));
  EXPECT_THAT(sources, Contains("node7.dimm_ssd"));
  EXPECT_EQ(first_event("node_loss")["node"], 1);
  EXPECT_EQ(first_event("rank_moved")["time_ps"], 5'000'000'000u);  // 1 ms after the loss
  EXPECT_EQ(first_event("rank_moved")["to_node"], 7);
  EXPECT_GT(first_event("rollback")["version"], 0);
  EXPECT_EQ(first_event("recovery")["version"], first_event("rollback")["version"]);
}

TEST_F(ClusterTest, SixtyFourTrafficNodesNeedNoFirmware) {
  const Ended ended = asterism({"run", "buddy_cluster64", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("scenario     buddy_cluster64 (traffic nodes)\n"));
  EXPECT_THAT(ended.out, HasSubstr("cluster      64 ranks, 0 with firmware; 2 of 2 spares used\n"));
  EXPECT_THAT(ended.out, HasSubstr("2 losses, 2 recoveries\n"));
  // A cluster without firmware reports no instructions.
  EXPECT_THAT(ended.out, testing::ContainsRegex("simulated    [0-9.]+ ms in [0-9.]+ s\n"));
  EXPECT_THAT(ended.out, HasSubstr(equal));
  EXPECT_TRUE(fs::is_directory(folder / "run/files"));
  EXPECT_FALSE(exists("run/files/node0"));
}

TEST_F(ClusterTest, StatisticsReportTheCostsOfACheckpoint) {
  ASSERT_EQ(traffic().status, 0);
  const auto costs = json("run/stats.json")["node"]["checkpoint_costs"];
  EXPECT_EQ(costs["state_bytes"], 4096 * 8);
  EXPECT_GT(costs["dump_ps"], 0);
  EXPECT_GT(costs["overlap_ps"], costs["dump_ps"]);
  EXPECT_EQ(json("run/stats.json")["cluster"]["result"].get<std::string>() + "\n", result());
  // The costs are reported in one place only.
  EXPECT_FALSE(json("run/stats.json")["cluster"].contains("checkpoint_costs"));
  // No checkpoint is taken after the last step.
  EXPECT_EQ(json("run/stats.json")["cluster"]["checkpoints_committed"], 3);
}

TEST_F(ClusterTest, TheSameRunTwiceWritesTheSameBytes) {
  ASSERT_EQ(cluster().status, 0);
  fs::rename(folder / "run", folder / "again");
  ASSERT_EQ(cluster().status, 0);
  for (const char* file : {"scenario.json", "stats.json", "events.jsonl", "console.log", "files/result.txt"})
    EXPECT_EQ(contents(fs::path("run") / file), contents(fs::path("again") / file)) << file;
}

TEST_F(ClusterTest, TheScenarioOfARunRunsAgain) {
  ASSERT_EQ(traffic({"faults.0.at=1ms", "faults.0.kind=node_loss", "faults.0.node=2"}).status, 0);
  const Ended again = asterism({"run", "run/scenario.json", "--out", "again"});
  EXPECT_EQ(again.status, 0) << again.err;
  for (const char* file : {"scenario.json", "stats.json", "events.jsonl"})
    EXPECT_EQ(contents(fs::path("run") / file), contents(fs::path("again") / file)) << file;
}

// ---- each kind of fault, of either kind of node ----

TEST_F(ClusterTest, EveryLossOfATrafficNodeIsRecoveredFrom) {
  ASSERT_EQ(traffic().status, 0);
  const std::string without = result();
  for (const std::string kind : {"node_loss", "link_loss", "memory_loss", "ssd_loss", "gpu_state_loss"}) {
    const Ended ended = traffic({"faults.0.at=2.5ms", "faults.0.kind=" + kind, "faults.0.node=3"});
    EXPECT_EQ(ended.status, 0) << kind << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("1 loss, 1 recovery\n")) << kind;
    EXPECT_EQ(result(), without) << kind;
    const bool moves = kind == "node_loss" || kind == "link_loss";
    EXPECT_EQ(first_event("rank_moved").is_null(), !moves) << kind;
  }
}

TEST_F(ClusterTest, ANodeWhoseLinkWasDownComesBackAsASpare) {
  const Ended ended = cluster({"faults.0.kind=link_loss", "faults.0.restore_after=500us", "faults.1.at=6ms",
                               "faults.1.kind=node_loss", "faults.1.node=7"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("1 of 2 spares used\n"));
  EXPECT_THAT(ended.out, HasSubstr("2 losses, 2 recoveries\n"));
  EXPECT_THAT(ended.out, HasSubstr(right));
  const auto all = events();
  EXPECT_THAT(all, Contains(testing::Truly([](const nlohmann::json& event) {
                return event["kind"] == "rank_moved" && event["from_node"] == 7 && event["to_node"] == 1;
              })));
}

TEST_F(ClusterTest, AGlobalCopyOutlivesBothBuddies) {
  const Arguments both{"faults.0.at=2.5ms", "faults.0.kind=node_loss", "faults.0.node=2",
                       "faults.1.at=2.5ms", "faults.1.kind=node_loss", "faults.1.node=3"};
  Arguments with = both, without = both;
  with.push_back("cluster.checkpoint.global_every=1");
  EXPECT_EQ(traffic(with).status, 0);
  EXPECT_GT(first_event("rollback")["version"], 0);
  without.push_back("cluster.checkpoint.global_every=0");
  EXPECT_EQ(traffic(without).status, 0);
  EXPECT_EQ(first_event("rollback")["version"], 0);  // from the beginning
}

TEST_F(ClusterTest, FaultsOfASingleNodeOccurInTheNodeThatTheyName) {
  const Ended ended =
      cluster({R"(faults=[{"at": "2ms", "kind": "bit", "channel": 0, "rank": 0, "bank": 0, "row": 3,
                                           "column": 5, "chip": 3, "bit": 1, "node": 1}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(first_event("memory_fault")["source"], "node1.memory");
}

TEST_F(ClusterTest, LogLevelsHoldForAllNodesOrForOne) {
  const std::string error = "error node1.core0: core is locked up";
  EXPECT_THAT(cluster({broken}).err, HasSubstr(error));
  EXPECT_THAT(cluster({broken, R"(node.log={"node.core0": "off"})"}).err, Not(HasSubstr(error)));
  EXPECT_THAT(cluster({broken, R"(node.log={"node1": "off"})"}).err, Not(HasSubstr(error)));
  EXPECT_THAT(cluster({broken, R"(node.log={"node0": "off"})"}).err, HasSubstr(error));
  EXPECT_THAT(cluster({R"(node.log={"node2": "off"})"}).err, HasSubstr("there is no instance \"node2\""));
}

// ---- the end ----

TEST_F(ClusterTest, WhatCannotBeRecoveredIsStatus67AndSaysWhy) {
  const Arguments loss{"faults.1.at=4.5ms", "faults.1.kind=node_loss", "faults.1.node=0"};
  Ended ended = cluster(loss);
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out,
              HasSubstr("ended        not recoverable: no spare with firmware is left for rank 0\n"));
  EXPECT_EQ(json("run/stats.json")["ended"], "not_recoverable");
  EXPECT_FALSE(exists("run/files/result.txt"));
  Arguments expected = loss;
  expected.push_back("expect.not_recoverable=true");
  ended = cluster(expected);
  EXPECT_EQ(ended.status, 0) << ended.out;
  ended = cluster({"expect.not_recoverable=true"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out, HasSubstr("NOT MET      not_recoverable: expected, but the cluster recovered\n"));
}

TEST_F(ClusterTest, WithoutACopyAndWithoutABeginningNothingCanBeRecovered) {
  const Ended ended = traffic({"faults.0.at=2.5ms", "faults.0.kind=node_loss", "faults.0.node=2",
                               "faults.1.at=2.5ms", "faults.1.kind=node_loss", "faults.1.node=3",
                               "cluster.checkpoint.restart_from_beginning=false"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out,
              HasSubstr("ended        not recoverable: no checkpoint is left of every rank: none at all\n"
                        "             of rank 2\n"));
}

TEST_F(ClusterTest, AResultCanBeExpected) {
  ASSERT_EQ(traffic().status, 0);
  std::string text = result();
  text.pop_back();
  EXPECT_EQ(traffic({"expect.result=\"" + text + "\""}).status, 0);
  const Ended ended = traffic({"expect.result=\"0x0000000000000000\""});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out, HasSubstr("NOT MET      result: expected 0x0000000000000000, but result.txt holds\n"
                                   "             " +
                                   text));
}

TEST_F(ClusterTest, ATimeLimitSaysWhatTheCoresOfEachNodeWereDoing) {
  const Ended ended = cluster({"until=4.5ms"});
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.out, HasSubstr("stopped at the time limit of 4.5 ms: the cluster had not ended\n"));
  EXPECT_THAT(ended.out, HasSubstr("node0: core 0: "));
  EXPECT_THAT(ended.out, HasSubstr("node1: core 0: lost\n"));
}

TEST_F(ClusterTest, ANodeWhoseCoresAreLockedUpIsLost) {
  Ended ended = cluster({broken});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("1 of 2 spares used\n"));
  EXPECT_THAT(ended.out, HasSubstr("failed       node1: core 0: locked up: "));
  EXPECT_LE(widest_line(ended.out.substr(0, ended.out.find("run files"))), 80u) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr(right));
  EXPECT_EQ(first_event("node_failed")["node"], 1);
  EXPECT_EQ(first_event("node_failed")["time_ps"], first_event("node_loss")["time_ps"]);
  ended = cluster({broken, "cluster.firmware_spares=0"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out,
              HasSubstr("ended        not recoverable: no spare with firmware is left for rank 1: "));
  EXPECT_THAT(first_event("not_recoverable")["reason"], HasSubstr("rank 1: node1: core 0: locked up: "));
}

TEST_F(ClusterTest, ANodeWhoseFirmwareFailsIsLost) {
  const Ended ended = cluster({"firmware=exit_status"});
  EXPECT_EQ(ended.status, 67);
  for (const char* node : {"node0", "node1", "node7"})
    EXPECT_THAT(ended.out, HasSubstr(std::string(node) + ": its firmware exited with status 2:"));
  // All nodes fail at once, so that the report may name any of them first.
  EXPECT_THAT(ended.out, testing::ContainsRegex(
                             "ended        not recoverable: no spare with firmware is left for rank [01]: "));
  EXPECT_THAT(std::string(first_event("not_recoverable")["reason"]),
              testing::ContainsRegex("node[017]: its firmware exited with status 2: exit_status: unknown "));
}

TEST_F(ClusterTest, FirmwareThatEndsBeforeTheClusterEndsTheRun) {
  const Ended ended = cluster({"firmware=hello"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out, HasSubstr("exited with status 0 before the cluster had\n             ended\n"));
}

TEST_F(ClusterTest, AKilledRunLeavesItsPartial) {
  Running killed = start(
      {"run", "buddy_cluster", "expect={}", "cluster.program.steps=1000000", "until=1000s", "--out", "run"});
  while (!exists("run.partial/console.log") || fs::is_empty(folder / "run.partial/console.log"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  killed.signal(SIGKILL);
  EXPECT_EQ(killed.wait().status, 128 + SIGKILL);
  EXPECT_TRUE(exists("run.partial/scenario.json"));
  EXPECT_FALSE(exists("run"));
}

// ---- what is refused ----

// Another NIC at a lower address is not the first one in the device tree.
TEST_F(ClusterTest, TheFirmwareUsesTheNicOfTheCluster) {
  for (const char* nic : {"nic", "spare"}) {
    const Ended ended =
        cluster({R"(node.devices.spare={"type": "nic", "base": "0x0b04_0000", "interrupt": 14})",
                 std::string("cluster.nic=") + nic, "faults=[]"});
    EXPECT_THAT(ended.out, HasSubstr("ended        every rank has completed all its steps\n")) << nic;
    EXPECT_THAT(ended.out, HasSubstr(right)) << nic;
  }
}

TEST_F(ClusterTest, RefusesWhatIsNoCluster) {
  expect_refusal({"cluster.nodes=1"},
                 "cluster.nodes: expected a value that is 0, or 2 to 64: a rank alone has no buddy");
  expect_refusal({"cluster.nodes=65"}, "cluster.nodes: expected an integer from 0 to 64, got 65");
  expect_refusal({"cluster.firmware_nodes=8"},
                 "cluster.firmware_nodes: expected a value that is at most nodes");
  expect_refusal({"cluster.network.bandwidth=0B/s"}, "cluster.network.bandwidth: expected a bandwidth from");
  expect_refusal(
      {"cluster.program.words=1000000", "cluster.program.memory=1MiB"},
      "command line: error: cluster.program.memory: expected a value that holds the state, 8 B for each of "
      "program.words, and its copies: in all 5, 3 or 1 times, by checkpoint.placement, got \"1MiB\"; "
      "program.words is 1000000, checkpoint.placement is \"memory\" (the default)\n");
  expect_refusal(
      {"cluster.checkpoint.interval=61"},
      "command line: error: cluster.checkpoint.interval: expected a value that is 1 to program.steps: a "
      "longer one comes to no checkpoint, got 61; program.steps is 60\n");
  expect_refusal({"cluster.checkpoint.overlap=5us"},
                 "command line: error: cluster.checkpoint.overlap: expected a value that is 0 unless "
                 "network.policy is lottery: it sets the tickets, got \"5us\"; network.policy is "
                 "\"opportunistic\"\n");
  expect_refusal({"node.devices.nic=null"},
                 "cluster.nic: the node has no NIC \"nic\", by which the nodes of a cluster communicate\n");
  expect_refusal({"cluster.nic=dimm_ssd"},
                 "command line: error: cluster.nic: the node has no NIC \"dimm_ssd\"");
  expect_refusal({"node.nic.network=mine"},
                 "cluster.nic: nic is connected to the network \"mine\" of its node\n");
  expect_refusal({"node.dimm_ssd.image=flash.img"}, "node.dimm_ssd.image: is valid only for a single node");
}

// Every key that could make a node of a cluster or its store unreachable for the others causes one clear
// error.
TEST_F(ClusterTest, RefusesUnreachableNodes) {
  const auto refused = [&](const Arguments& changes, const std::string& error) {
    expect_refusal(changes, error);
    Arguments all{"check", "buddy_cluster"};
    all.insert(all.end(), changes.begin(), changes.end());
    const std::string err = asterism(all).err;
    EXPECT_EQ(std::ranges::count(err, '\n'), 1) << err;
    EXPECT_TRUE(err.starts_with("command line: error: ")) << err;
  };
  refused({"cluster.network.bandwidth=0B/s"},
          "cluster.network.bandwidth: expected a bandwidth from \"1MB/s\"");
  refused({"cluster.storage.bandwidth=0B/s"},
          "cluster.storage.bandwidth: expected a bandwidth from \"1MB/s\"");
  refused({"cluster.network.latency=1000s"}, "cluster.network.latency: expected a duration from");
  refused({"cluster.nic=dimm_ssd"}, "cluster.nic: the node has no NIC \"dimm_ssd\"");
  refused({"cluster.nodes=1"},
          "cluster.nodes: expected a value that is 0, or 2 to 64: a rank alone has no buddy");
  refused({"faults.0.node=11"}, "faults.0.node: there is no node 11: the cluster has 9, counted from 0");
}

TEST_F(ClusterTest, ReportsAllIndependentErrors) {
  expect_refusal(
      {"cluster.nodes=65", "cluster.checkpoint.interval=61", "node.memory.size=8GiB", "faults.0.at=soon"},
      "command line: error: cluster.nodes: expected an integer from 0 to 64, got 65\n"
      "command line: error: cluster.checkpoint.interval: expected a value that is 1 to program.steps: a "
      "longer one comes to no checkpoint, got 61; program.steps is 60\n"
      "command line: error: faults.0.at: expected a duration such as \"1us\", got \"soon\"; it does not "
      "begin with a number\n"
      "command line: error: node.memory.size: expected at most 2GiB, all rows of all banks, got 8GiB\n");
  expect_refusal(
      {"cluster.program.words=0", "faults.0.node=10"},
      "command line: error: cluster.program.words: expected an integer from 1 to 1048576, got 0\n"
      "command line: error: faults.0.node: there is no node 10: the cluster has 9, counted from 0\n");
}

TEST_F(ClusterTest, ATypingErrorIsNotTakenForAClusterThatIsNotThere) {
  const Ended ended =
      asterism({"check", "buddy_cluster64", "cluster.ndoes=3", "expect.not_recoverable=true"});
  EXPECT_EQ(ended.err, "command line: error: cluster.ndoes: unknown key; did you mean \"nodes\"?\n");
  EXPECT_EQ(asterism({"check", "buddy_cluster64", "cluster.nodes=65"}).err,
            "command line: error: cluster.nodes: expected an integer from 0 to 64, got 65\n");
  EXPECT_THAT(asterism({"check", "buddy_cluster64", "cluster.nodes=0", "faults=[]"}).err,
              testing::EndsWith("error: firmware: this key is required because cluster.nodes is 0\n"));
}

TEST_F(ClusterTest, RefusesATraceCoreNode) {
  const Ended ended = asterism({"run", "kilocore_mix1", "cluster.nodes=2", "--out", "run"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("node: expected a value that runs firmware in a cluster"));
}

TEST_F(ClusterTest, RefusesFaultsOfWhatIsNotThere) {
  expect_refusal({"faults.0.node=10"},
                 "faults.0.node: there is no node 10: the cluster has 9, counted from 0");
  expect_refusal({"faults.0.node=9"}, "faults.0.node: node 9 is the global store, which has no faults");
  expect_refusal({"faults.0.node=null"},
                 "faults.0: must name its node in a cluster: the key \"node\", 0 to 8");
  expect_refusal({"faults.0.kind=ssd_loss"},
                 "faults.0.kind: ssd_loss is valid only for traffic nodes: node 1 runs firmware");
  expect_refusal({"faults.0.kind=power_loss"},
                 "faults.0.kind: power_loss is valid only if program.kind is not ring");
  expect_refusal({"faults.0.kind=flash_bits", "faults.0.holds=root", "faults.0.bits=1", "faults.0.node=3"},
                 "faults.0.kind: flash_bits is valid only for nodes with firmware: node 3 is a traffic node");
}

TEST_F(ClusterTest, RefusesAClustersFaultsWithoutACluster) {
  const auto refused = [&](const Arguments& changes, const char* message) {
    Arguments all{"run", "hello", "--out", "run"};
    all.insert(all.end(), changes.begin(), changes.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 65);
    EXPECT_THAT(ended.err, HasSubstr(message));
  };
  refused({"faults.0.at=1ms", "faults.0.kind=node_loss", "faults.0.node=0"},
          "faults.0.kind: node_loss concerns a node of a cluster, and the scenario has no cluster\n");
  refused({"faults.0.at=1ms", "faults.0.kind=power_loss", "faults.0.node=0"},
          "faults.0.node: is valid only in a cluster, and the scenario has no cluster; got 0\n");
  refused({"cluster.nodes=0", "faults.0.at=1ms", "faults.0.kind=link_loss", "faults.0.node=0"},
          "faults.0.kind: link_loss concerns a node of a cluster, and cluster.nodes is 0\n");
  refused(
      {"expect.not_recoverable=true"},
      "expect.not_recoverable: is valid only with a cluster, and the scenario has no cluster; got true\n");
}

}  // namespace
}  // namespace asterism
