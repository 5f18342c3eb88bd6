// With any memory in a node, and with its codec in RTL, the program's results are the same.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct MemoryNodeTest : CommandTest {
  // Runs a small job and returns its result.
  std::string result(const Arguments& node) const {
    Arguments all{"args=nx=5 checkpoint=off"};
    all.insert(all.end(), node.begin(), node.end());
    const Ended ended = firmware("cg", all);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return contents("run/files/result.txt");
  }
};

TEST_F(MemoryNodeTest, AnyMemoryGivesTheSameResult) {
  const std::string expected = result({});
  EXPECT_EQ(result({"node.memory.ecc=none", "node.memory.ranks=1"}), expected);
  EXPECT_EQ(result({"node.memory.ecc=strong", "node.memory.ecc_profile=chip"}), expected);
  EXPECT_EQ(result({"node.memory.part=ddr4_2400_8gb_x4", "node.memory.mapping=RaRoBaCoCh"}), expected);
  EXPECT_EQ(result({"node.memory.fidelity=exact"}), expected);
  EXPECT_EQ(result({"node.memory.fidelity=contended"}), expected);
}

TEST_F(MemoryNodeTest, AContendedMemoryMakesCachedCoresWaitForEachOther) {
  const auto waited = [&](const char* cores) {
    result({"node.memory.fidelity=contended", "node.cores.caches.model=tags", cores});
    return json("run/stats.json")["node"]["memory"]["dram"]["read_wait_sum_ps"].get<std::uint64_t>();
  };
  const std::uint64_t one = waited("node.cores.count=1");
  EXPECT_GT(waited("node.cores.count=4"), one);
}

TEST_F(MemoryNodeTest, ContendedMemoryWithoutCurvesOfItsPartIsRefused) {
  const auto refused = [&](const Arguments& arguments) {
    const Ended ended = firmware("hello", arguments);
    EXPECT_EQ(ended.status, 65) << ended.out << ended.err;
    return ended.err;
  };
  EXPECT_THAT(
      refused({"node.memory.fidelity=contended", "node.memory.curves=ddr4_2400_8gb_x4"}),
      HasSubstr("error: node.memory.curves: configs/dram_curves/ddr4_2400_8gb_x4.json has the curves of "
                "ddr4_2400_8gb_x4, and the part is ddr3_1600_1gb_x4"));
  EXPECT_THAT(refused({"node.memory.fidelity=contended", "node.memory.curves=ddr3_1600_1gb_x5"}),
              HasSubstr("error: node.memory.curves: expected the name of a file in configs/dram_curves"));
  write("mine.json", contents(source_configs() / "dram/ddr3_1600_1gb_x4.json"));
  EXPECT_THAT(
      refused({"node.memory.fidelity=contended", "node.memory.part=./mine.json"}),
      testing::AllOf(
          HasSubstr("error: node.memory.part: fidelity=contended needs the curves of mine, and there is no "
                    "configs/dram_curves/mine.json: `asterism fit /"),
          HasSubstr("/mine.json --out configs/dram_curves/mine.json` makes them")));
}

TEST_F(MemoryNodeTest, CurvesThatWereFittedBeforeThePartChangedAreRefused) {
  const auto part = [&](const char* cl) {
    std::string text = contents(source_configs() / "dram/ddr3_1600_1gb_x4.json");
    const std::string before = "\"cl\": \"11cycles\"";
    text.replace(text.find(before), before.size(), fmt::format("\"cl\": \"{}cycles\"", cl));
    write("mine/ddr3_1600_1gb_x4.json", text);
    return firmware("hello",
                    {"node.memory.fidelity=contended", "node.memory.part=./mine/ddr3_1600_1gb_x4.json"});
  };
  EXPECT_EQ(part("11").status, 0);
  const Ended changed = part("14");
  EXPECT_EQ(changed.status, 65);
  EXPECT_THAT(
      changed.err,
      testing::AllOf(HasSubstr("error: node.memory.part: the part /"),
                     HasSubstr("/mine/ddr3_1600_1gb_x4.json has changed since the curves in "
                               "configs/dram_curves/ddr3_1600_1gb_x4.json were fitted: `asterism fit /"),
                     HasSubstr("/mine/ddr3_1600_1gb_x4.json --out FILE` makes them again")));
}

// abeyratne2017 Table 3.1.
TEST_F(MemoryNodeTest, TwentyFourControllersOfFourChannels) {
  EXPECT_EQ(result({"node.memory.controllers=24", "node.memory.channels=4", "node.memory.size=3GiB"}),
            result({}));
}

// With flits every load and store goes to the fabric node of its controller; the devices share the
// controllers' nodes.
TEST_F(MemoryNodeTest, ControllersOnNodesOfTheirOwnShareTheAccesses) {
  const Arguments fabric{"args=nx=3 checkpoint=off", "node.fabric.topology=superstar",
                         "node.fabric.fidelity=flit", "node.memory.controllers=4", "node.memory.channels=2"};
  const std::string on_one_node = result(fabric);
  const auto before = json("run/stats.json")["node"];
  EXPECT_FALSE(before["fabric"].contains("dram0"));

  Arguments apart = fabric;
  apart.emplace_back("node.memory.fabric_nodes=each");
  EXPECT_EQ(result(apart), on_one_node);
  const auto node = json("run/stats.json")["node"];
  std::uint64_t accesses = 0, reads = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t own = node["fabric"][fmt::format("dram{}", i)]["accesses"];
    EXPECT_GT(own, node["memory"]["reads"].get<std::uint64_t>() / 100) << i;
    accesses += own;
    reads += node["memory"]["dram"][fmt::format("controller{}", i)]["reads"].get<std::uint64_t>();
  }
  EXPECT_EQ(reads, node["memory"]["dram"]["reads"]);
  EXPECT_LE(accesses, node["fabric"]["accesses"]);
  EXPECT_GT(accesses, node["fabric"]["accesses"].get<std::uint64_t>() / 2);
  EXPECT_LT(node["fabric"]["busiest_channel"]["flits"], before["fabric"]["busiest_channel"]["flits"]);
}

TEST_F(MemoryNodeTest, ControllersArePlacedByName) {
  const auto latency_with_memory_on = [&](int place) {
    Arguments all{"node.cores.count=1",        "node.fabric.topology=mesh",
                  "node.fabric.fidelity=flit", "node.memory.fabric_nodes=each",
                  "node.memory.controllers=2", "node.placement.core0=0",
                  "node.placement.uart0=1"};
    for (int i = 0; i < 2; ++i) all.push_back(fmt::format("node.placement.dram{}={}", i, place));
    EXPECT_EQ(firmware("hello", all).status, 0);
    return json("run/stats.json")["node"]["fabric"]["latency_mean_ps"].get<std::uint64_t>();
  };
  EXPECT_LT(latency_with_memory_on(2), latency_with_memory_on(575));
}

TEST_F(MemoryNodeTest, ControllersWithoutAPlaceAreRefused) {
  const auto refused = [&](const Arguments& arguments) {
    const Ended ended = firmware("hello", arguments);
    EXPECT_EQ(ended.status, 65);
    EXPECT_FALSE(left_a_run());
    return ended.err;
  };
  EXPECT_EQ(refused({"node.memory.fabric_nodes=each"}),
            "command line: error: node.memory.fabric_nodes: expected a value that is one on a crossbar, "
            "because a crossbar has no nodes, got \"each\"\n");
  EXPECT_THAT(refused({"node.memory.fabric_nodes=all"}), HasSubstr("node.memory.fabric_nodes: "));
  const Arguments mesh{"node.fabric.topology=mesh", "node.memory.fabric_nodes=each"};
  const auto on_mesh = [&](const std::string& more) {
    Arguments all = mesh;
    all.push_back(more);
    return refused(all);
  };
  EXPECT_EQ(on_mesh("node.placement.dram=0"),
            "command line: error: node.placement: \"dram\" is neither a master nor a target on the fabric\n");
  EXPECT_EQ(
      on_mesh("node.placement.dram1=0"),
      "command line: error: node.placement: \"dram1\" is neither a master nor a target on the fabric\n");
  EXPECT_EQ(on_mesh("node.fabric.nodes=4"),
            "command line: error: node.fabric.nodes: the fabric has 4 nodes for 4 masters and 1 targets\n");
}

TEST_F(MemoryNodeTest, TheCodecInLockstepMeetsEveryOutcome) {
  const Ended ended =
      firmware("bad_memory", {"node.memory.mapping=RaRoBaCoCh", "node.memory.codec.impl=lockstep"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(" operations, 0 mismatches\n"));
  EXPECT_THAT(ended.out, HasSubstr("reached operations 4/4\n"));
  EXPECT_THAT(ended.out, HasSubstr("reached outcomes 6/6\n"));
}

TEST_F(MemoryNodeTest, TheCodecInRtlCorrectsTheSame) {
  const Ended ended =
      firmware("bad_memory", {"node.memory.mapping=RaRoBaCoCh", "node.memory.codec.impl=rtl"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("bad_memory: 0 wrong"));
}

// Even with the largest acceleration, 66 FIT of a device cause too few faults in a run of milliseconds.
TEST_F(MemoryNodeTest, RandomFaultsDependOnlyOnTheSeed) {
  const auto faults_of = [&](const std::string& seed) {
    firmware("spin", {"--until", "2ms", "node.memory.fit_per_device=5000", "seed=" + seed,
                      "node.memory.fit_acceleration=1000000000000"});
    std::vector<std::string> lines;
    std::istringstream events(contents("run/events.jsonl"));
    for (std::string line; std::getline(events, line);)
      if (line.find("\"memory_fault\"") != std::string::npos) lines.push_back(line);
    return lines;
  };
  const std::vector<std::string> first = faults_of("1");  // 100 are expected: 36 devices, 2 ms
  EXPECT_GT(first.size(), 60u);
  EXPECT_LT(first.size(), 140u);
  EXPECT_EQ(json("run/stats.json")["node"]["memory"]["ecc"]["faults_injected"], first.size());
  EXPECT_EQ(faults_of("1"), first);
  EXPECT_NE(faults_of("2"), first);
}

}  // namespace
}  // namespace asterism
