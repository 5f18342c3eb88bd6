// Nodes with fewer and with more devices than the standard ones.
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct CompositionTest : CommandTest {
  const Arguments bare{"node.devices={}", "node.memory.registers=null"};

  Ended hello(const Arguments& node, const Arguments& more) const {
    Arguments all{"run", "hello"};
    all.insert(all.end(), node.begin(), node.end());
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
};

TEST_F(CompositionTest, ANodeOfCoresAndMemoryRuns) {
  const Ended ended = hello(bare, {"--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, HasSubstr("cores started by PSCI: 4\n"));
  for (const char* absent : {"gic", "uart0", "rtc", "power", "dimm_ssd"})
    EXPECT_FALSE(json("run/stats.json")["node"].contains(absent)) << absent;
  EXPECT_FALSE(exists("run/uart0.log"));
  EXPECT_EQ(asterism({"list", "devices", "--node", "hello", bare[0], bare[1]}).out,
            "device  type    address                interrupt\n"
            "dram    memory  0x40000000-0xbfffffff  -\n");
  EXPECT_EQ(hello(bare, {"--threads", "2", "--out", "threads"}).status, 0);
  EXPECT_EQ(contents("threads/stats.json"), contents("run/stats.json"));
  EXPECT_EQ(hello(bare, {"node.cores.caches.model=tags", "--profile", "--timeline", "--transactions", "--out",
                         "seen"})
                .status,
            0);
}

TEST_F(CompositionTest, ASnapshotOfCoresAndMemoryIsRestored) {
  const Ended saved = hello(bare, {"--snapshot-at", "20us", "--snapshot", "file", "--out", "run"});
  if (is_refused_by_sanitizers(saved)) GTEST_SKIP() << saved.err;
  EXPECT_EQ(saved.status, 0) << saved.err;
  EXPECT_EQ(asterism({"run", "--restore", "file", "--out", "restored"}).status, 0);
  EXPECT_EQ(contents("restored/stats.json"), contents("run/stats.json"));
}

// Both show the start of the node; firmware reports to the one that it finds.
TEST_F(CompositionTest, TwoPowerControllersSwitchOneSupply) {
  const Ended ended =
      asterism({"run", "power_loss", "expect.result_equals=null", "--out", "run",
                R"(node.devices.second={"type": "power_controller", "base": "0x0a00_0000"})"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const nlohmann::json stats = json("run/stats.json");
  EXPECT_EQ(stats["recoveries"], 1);
  for (const char* controller : {"power", "second"}) {
    EXPECT_EQ(stats["node"][controller]["power_losses"], 1) << controller;
    EXPECT_EQ(stats["node"][controller]["boots"], 2) << controller;
  }
}

}  // namespace
}  // namespace asterism
