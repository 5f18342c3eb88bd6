// A node of many trace cores in a closed loop on the fabric, without firmware.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct ManycoreNodeTest : CommandTest {
  Ended run(const Arguments& more = {}) const {
    Arguments arguments{"run", "kilocore_mix1", "--out", "run", "node.chip.instructions=2000"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return asterism(arguments);
  }
  nlohmann::json stats() const { return json("run/stats.json"); }
  std::uint64_t simulated() const { return stats()["simulated_time_ps"]; }
};

TEST_F(ManycoreNodeTest, EveryCoreOfTheKilocoreExecutesItsInstructions) {
  const Ended ended = run();
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("scenario     kilocore_mix1 (mix1)\n"));
  EXPECT_THAT(ended.out, HasSubstr("ended        every core has executed its instructions\n"));
  EXPECT_EQ(stats()["ended"], "workload_done");
  EXPECT_EQ(stats()["instructions"], 552 * 2000);
  EXPECT_EQ(stats()["node"]["cores"]["finished"], 552);
  // Table 3.4: all cores together have 2,543 L1 misses in 1,000 instructions, of which 807 miss in the L2
  // cache too.
  EXPECT_NEAR(stats()["node"]["cores"]["l1_misses"].get<double>(), 2543 * 2, 300);
  EXPECT_NEAR(stats()["node"]["cores"]["l2_misses"].get<double>(), 807 * 2, 160);
}

TEST_F(ManycoreNodeTest, AFasterFabricEndsTheSameWorkEarlier) {
  run({"node.workload=mix4"});
  const std::uint64_t superstarx = simulated();
  run({"node.workload=mix4", "node.fabric.topology=mesh"});
  EXPECT_LT(superstarx, simulated());
}

TEST_F(ManycoreNodeTest, ContendedItTakesAsLongWithin5PercentAndLooseLess) {
  run({"node.workload=mix4"});
  const auto flit = static_cast<double>(simulated());
  run({"node.workload=mix4", "node.fabric.fidelity=contended"});
  const auto contended = static_cast<double>(simulated());
  EXPECT_NEAR(contended / flit, 1.0, 0.05);
  run({"node.workload=mix4", "node.fabric.fidelity=loose"});
  EXPECT_LT(static_cast<double>(simulated()), contended);
}

TEST_F(ManycoreNodeTest, GatedGlobalRoutersCarryNothingAndTheWorkIsDone) {
  for (const char* fidelity : {"loose", "contended", "flit"}) {
    run({"node.fabric.gated_global_routers=7", fmt::format("node.fabric.fidelity={}", fidelity)});
    EXPECT_EQ(stats()["node"]["cores"]["finished"], 552) << fidelity;
    const auto busiest = stats()["node"]["fabric"]["busiest_channel"];
    EXPECT_TRUE(busiest["from"] == "GR0" || busiest["to"] == "GR0") << busiest;
  }
}

TEST_F(ManycoreNodeTest, TheSameSeedGivesTheSameBytesAndAnotherOneDoesNot) {
  run();
  const std::string first = contents("run/stats.json");
  run();
  EXPECT_EQ(contents("run/stats.json"), first);
  run({"seed=2"});
  EXPECT_NE(contents("run/stats.json"), first);
}

TEST_F(ManycoreNodeTest, ARunThatIsStoppedSaysSo) {
  const Ended ended = run({"--until", "500ns"});
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.out, HasSubstr("stopped at the time limit of 500 ns: the workload had not ended\n"));
}

TEST_F(ManycoreNodeTest, WhatHasNoMeaningThereIsRefused) {
  const auto refused = [&](const std::string& key, const std::string& words) {
    const Ended ended = run({key});
    EXPECT_EQ(ended.status, 65) << key;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_FALSE(left_a_run());
  };
  refused("firmware=cg", "firmware: expected a value that is set only if the node runs firmware");
  refused(R"(faults=[{"at":"1us","kind":"power_loss"}])",
          "faults: expected a value that is set only if the node runs firmware");
  refused("node.cores.count=2", R"(node.cores: this key is valid only if runs is "firmware")");
  refused("node.fabric.topology=crossbar", "any topology except the crossbar");
  refused("node.chip.memory.count=600", "600 memory controllers leave no core on a fabric of 576 nodes");
  refused("node.workload=mix9", "mix9");
  refused("node.placement.core0=1", R"(node.placement: this key is valid only if runs is "firmware")");
}

}  // namespace
}  // namespace asterism
