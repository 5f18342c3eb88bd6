// The node's traffic over a fabric: in all fidelities firmware computes the same results as on a crossbar,
// even if the power fails while packets are under way.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/nightly.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct FabricRunTest : CommandTest {
  FabricRunTest() { node_of_firmware = untimed; }
  static Arguments on(const std::string& fidelity, const Arguments& more = {}) {
    Arguments arguments{"node.fabric.topology=superstar", "node.fabric.fidelity=" + fidelity};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  static std::string fail_power_at(std::uint64_t time) {
    return fmt::format(R"(faults=[{{"at":"{}ps","kind":"power_loss","restore_after":"1us"}}])", time);
  }
  // A time in the middle of the writing of the second checkpoint.
  std::uint64_t middle_of_a_checkpoint() const {
    std::vector<std::uint64_t> begins;
    for (const auto& event : events())
      if (event["kind"] == "checkpoint_begin" || event["kind"] == "checkpoint_commit")
        begins.push_back(event["time_ps"]);
    EXPECT_GE(begins.size(), 4u);
    return begins.size() < 4 ? 0 : (begins[2] + begins[3]) / 2;
  }
  std::string result() const { return contents("run/files/result.txt"); }
};

TEST_F(FabricRunTest, TheCheckpointedSolverThatLosesPowerComesToTheCrossbarsResult) {
  const std::string solver = "args=nx=5 interval=3";
  ASSERT_EQ(firmware("cg", {solver}).status, 0);
  const std::string on_the_crossbar = result();
  for (const char* fidelity : {"loose", "contended", "flit"}) {
    ASSERT_EQ(firmware("cg", on(fidelity, {solver})).status, 0);
    EXPECT_EQ(result(), on_the_crossbar) << fidelity;
    const std::string failure = fail_power_at(middle_of_a_checkpoint());
    const Ended ended = firmware("cg", on(fidelity, {solver, failure}));
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_EQ(json("run/stats.json")["recoveries"], 1) << fidelity;
    EXPECT_EQ(json("run/stats.json")["node"]["dimm_ssd"]["checkpoints_interrupted"], 1) << fidelity;
    EXPECT_EQ(result(), on_the_crossbar) << fidelity;
  }
}

// With a loosely timed fabric, loose or contended, the cores use direct memory; with flits, every load and
// store is an access.
TEST_F(FabricRunTest, FlitByFlitEveryAccessToMemoryMovesThroughTheFabric) {
  const std::string solver = "args=nx=3 interval=100";
  for (const char* fidelity : {"loose", "contended"}) {
    firmware("cg", on(fidelity, {solver}));
    EXPECT_LT(json("run/stats.json")["node"]["fabric"]["accesses"], 1000) << fidelity;
  }
  firmware("cg", on("flit", {solver}));
  const auto node = json("run/stats.json")["node"];
  EXPECT_GT(node["fabric"]["accesses"], 10'000);
  std::uint64_t of_cores = 0;
  for (const char* core : {"core0", "core1", "core2", "core3"})
    of_cores += node[core]["bus_reads"].get<std::uint64_t>() + node[core]["bus_writes"].get<std::uint64_t>();
  EXPECT_EQ(node["fabric"]["accesses"], of_cores);
  EXPECT_EQ(node["fabric"]["packets"], 2 * of_cores);
}

TEST_F(FabricRunTest, PowerLossAtAnyTimeLeavesNoPacketAndNobodyWaiting) {
  const std::string solver = "args=nx=3 interval=2";
  ASSERT_EQ(firmware("cg", on("flit", {solver})).status, 0);
  const std::string whole = result();
  const std::uint64_t end = json("run/stats.json")["simulated_time_ps"];
  std::uint64_t cut_accesses = 0;
  const std::uint64_t step = end / repetitions(6, 16);
  // Not in the last picoseconds: the core that ends the run does so up to a quantum ahead.
  for (std::uint64_t at = step; at + step <= end; at += step) {
    const Ended ended = firmware("cg", on("flit", {solver, fail_power_at(at), "node.log.node=off"}));
    ASSERT_EQ(ended.status, 0) << at << " ps\n" << ended.out << ended.err;
    EXPECT_EQ(result(), whole) << at;
    const auto stats = json("run/stats.json");
    EXPECT_EQ(stats["power_losses"], 1) << at;
    cut_accesses += stats["node"]["fabric"]["accesses_aborted"].get<std::uint64_t>();
  }
  EXPECT_GT(cut_accesses, 0u);
}

TEST_F(FabricRunTest, AtomicInstructionsOfSeveralCoresStayAtomic) {
  for (const char* fidelity : {"loose", "flit"}) {
    const Ended ended = firmware("smp_atomics", on(fidelity));
    EXPECT_EQ(ended.status, 0) << fidelity << ended.out;
  }
}

TEST_F(FabricRunTest, AScenarioGivesTheSameBytesFlitByFlit) {
  const Arguments arguments = on("flit", {"args=nx=3 interval=2"});
  firmware("cg", arguments);
  const std::string first = contents("run/stats.json");
  firmware("cg", arguments);
  EXPECT_EQ(contents("run/stats.json"), first);
}

TEST_F(FabricRunTest, AContendedFabricGivesTheSameBytesForAnyNumberOfThreads) {
  const auto statistics = [&](const std::string& threads) {
    EXPECT_EQ(firmware("smp_atomics", on("contended", {"node.cores.caches.model=tags", "--threads", threads}))
                  .status,
              0);
    return contents("run/stats.json");
  };
  EXPECT_EQ(statistics("1"), statistics("4"));
}

TEST_F(FabricRunTest, OnAContendedFabricCachedCoresWaitForEachOther) {
  const auto latency = [&](const std::string& fidelity) {
    firmware("cg", on(fidelity, {"args=nx=5 interval=100", "node.cores.caches.model=tags"}));
    return json("run/stats.json")["node"]["fabric"]["latency_mean_ps"].get<std::uint64_t>();
  };
  EXPECT_GT(latency("contended"), latency("loose"));
}

TEST_F(FabricRunTest, EveryTopologyCarriesFirmware) {
  for (const char* topology :
       {"mesh", "cmesh-low", "cmesh-high", "fbfly", "superstar", "superstarx", "superring"})
    for (const char* fidelity : {"loose", "contended", "flit"}) {
      const Ended ended = firmware("hello", {fmt::format("node.fabric.topology={}", topology),
                                             fmt::format("node.fabric.fidelity={}", fidelity)});
      EXPECT_EQ(ended.status, 0) << topology << " " << fidelity << ended.out << ended.err;
    }
}

TEST_F(FabricRunTest, OneGlobalRouterOfEightIsEnough) {
  for (const char* fidelity : {"loose", "flit"}) {
    ASSERT_EQ(firmware("hello", on(fidelity, {"node.fabric.gated_global_routers=7"})).status, 0) << fidelity;
    const auto busiest = json("run/stats.json")["node"]["fabric"]["busiest_channel"];
    EXPECT_TRUE(busiest["from"] == "GR0" || busiest["to"] == "GR0") << busiest;
  }
}

TEST_F(FabricRunTest, PlacementMovesACoreAwayFromMemory) {
  const auto latency_with_core_on = [&](int node) {
    firmware("hello", on("flit", {"node.placement.dram=0", "node.cores.count=1",
                                  fmt::format("node.placement.core0={}", node)}));
    return json("run/stats.json")["node"]["fabric"]["latency_mean_ps"].get<std::uint64_t>();
  };
  EXPECT_LT(latency_with_core_on(1), latency_with_core_on(575));
}

TEST_F(FabricRunTest, WhatDoesNotFitIsSaidBeforeAnythingRuns) {
  const auto refused = [&](const Arguments& arguments) {
    const Ended ended = firmware("hello", arguments);
    EXPECT_EQ(ended.status, 65);
    EXPECT_FALSE(left_a_run());
    return ended.err;
  };
  EXPECT_EQ(refused({"node.fabric.topology=mesh", "node.fabric.nodes=9"}),
            "command line: error: node.fabric.nodes: the fabric has 9 nodes for 4 masters and 8 targets\n");
  EXPECT_EQ(refused(on("loose", {"node.placement.core9=1"})),
            "command line: error: node.placement: \"core9\" is neither a master nor a target on the "
            "fabric\n");
  EXPECT_EQ(refused(on("loose", {"node.placement.dram=576"})),
            "command line: error: node.placement: \"dram\" is to be placed on node 576, and the last of the "
            "fabric is 575\n");
  EXPECT_EQ(
      refused({"node.fabric={\"topology\":\"graph\",\"graph\":\"small_clos\",\"gated_global_routers\":4}"}),
      "command line: error: node.fabric.gated_global_routers: there are 3 global routers to gate, not 4\n");
  EXPECT_THAT(refused(on("loose", {"node.fabric.concentration=288"})), HasSubstr("node.fabric.topology: "));
  EXPECT_EQ(refused(on("contended", {"node.fabric.curves=mesh"})),
            "command line: error: node.fabric.curves: mesh has the curves of mesh, and the topology is "
            "superstar\n");
  EXPECT_THAT(refused(on("contended", {"node.fabric.curves=meshes"})),
              HasSubstr("error: node.fabric.curves: expected the name of a file in configs/fabric_curves"));
  EXPECT_THAT(
      refused(on("contended", {"node.fabric.buffer_depth=8"})),
      HasSubstr("error: node.fabric.curves: the curves superstar were fitted to superstar with other "
                "routers: `asterism fit superstar buffer_depth=8 --out FILE` makes them for these\n"));
  EXPECT_THAT(refused(on("loose", {"node.fabric.curves=superstar"})), HasSubstr("node.fabric.curves"));
}

TEST_F(FabricRunTest, CurvesAreFittedToRoutersOfOtherParameters) {
  const Ended fitted = asterism({"fit", "swizzle_switch", "ports=4", "buffer_depth=8", "--out", "mine.json"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const auto status = [&](const std::string& more) {
    return firmware("hello", {"node.fabric.topology=swizzle_switch", "node.fabric.curves=./mine.json", more})
        .status;
  };
  EXPECT_EQ(status("node.fabric.buffer_depth=8"), 0);
  EXPECT_EQ(status("node.fabric.buffer_depth=5"), 65);
  EXPECT_EQ(asterism({"fit", "swizzle_switch", "buffer_depht=8"}).status, 65);
  EXPECT_EQ(asterism({"fit", "ddr3_1600_1gb_x4", "buffer_depth=8"}).status, 65);
}

}  // namespace
}  // namespace asterism
