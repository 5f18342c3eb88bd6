// The scenario composed_node: a node that has several devices of a type, which are composed in JSON alone.
// Its firmware uses all of them (sw/apps/composed_node).
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct ComposedNodeTest : CommandTest {
  Ended scenario(const Arguments& more = {}) const {
    Arguments all{"run", "composed_node", "--out", "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
  nlohmann::json statistics(const std::string& device) const {
    return json("run/stats.json")["node"][device];
  }
  // The versions of all events of a kind from a source, until an event of the kind `end`.
  std::vector<std::uint64_t> versions(const std::string& source, const std::string& kind,
                                      const std::string& end = "") const {
    std::vector<std::uint64_t> all;
    for (const auto& event : events()) {
      if (event["kind"] == end) break;
      if (event["kind"] == kind && event["source"] == source) all.push_back(event["version"]);
    }
    return all;
  }
  // Whether both DIMM-SSDs have restored the newest version that both had when the power was cut.
  void expect_the_newest_common() const {
    const auto first = versions("node.dimm_ssd", "checkpoint_commit", "power_lost"),
               second = versions("node.ssd1", "checkpoint_commit", "power_lost");
    ASSERT_FALSE(first.empty() || second.empty());
    const std::uint64_t common = std::min(first.back(), second.back());
    EXPECT_THAT(versions("node.dimm_ssd", "restore"), ElementsAre(common));
    EXPECT_THAT(versions("node.ssd1", "restore"), ElementsAre(common));
  }
};

// SSD 1 has committed step 12 already, and the other one has not.
TEST_F(ComposedNodeTest, BothDimmSsdsRecoverTheStepThatBothHaveAfterAPowerLoss) {
  const Ended ended = scenario();
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("1 power loss, 1 recovery"), HasSubstr("result.txt is equal, bit for bit"),
                    HasSubstr("expected     all expectations are met")));
  EXPECT_THAT(versions("node.dimm_ssd", "checkpoint_commit", "power_lost"), ElementsAre(4, 8));
  EXPECT_THAT(versions("node.ssd1", "checkpoint_commit", "power_lost"), ElementsAre(4, 8, 12));
  expect_the_newest_common();
}

TEST_F(ComposedNodeTest, TheSummaryCountsTheCheckpointsOfEachDimmSsd) {
  const Ended ended = scenario();
  const auto first = versions("node.dimm_ssd", "checkpoint_commit").size(),
             second = versions("node.ssd1", "checkpoint_commit").size();
  EXPECT_THAT(ended.out, HasSubstr(fmt::format("checkpoints  {} committed ({} to dimm_ssd, {} to ssd1), ",
                                               first + second, first, second)));
  EXPECT_THAT(scenario({"expect={}", "until=1us"}).out, testing::Not(HasSubstr("checkpoints  ")));
}

TEST_F(ComposedNodeTest, EveryDeviceHasItsOwnStatisticsAndIsUsed) {
  ASSERT_EQ(scenario({"faults=[]", "expect={}"}).status, 0);
  for (const char* ssd : {"dimm_ssd", "ssd1"}) EXPECT_EQ(statistics(ssd)["checkpoints_committed"], 6) << ssd;
  for (const char* uart : {"uart0", "uart1", "uart2"})
    EXPECT_GT(statistics(uart)["transmitted"], 100) << uart;
  for (const char* memory : {"memory", "hbm"}) EXPECT_GT(statistics(memory)["writes"], 1000) << memory;
  EXPECT_GE(statistics("timer")["interrupts_raised"], 24);
  EXPECT_EQ(statistics("copier")["interrupts_raised"], 48) << "two copies in each of 24 steps";
}

TEST_F(ComposedNodeTest, EachUartPrintsItsOwn) {
  ASSERT_EQ(scenario({"faults=[]", "expect={}"}).status, 0);
  EXPECT_THAT(contents("run/uart0.log"), AllOf(HasSubstr("step 24: table 0x"), Not(HasSubstr("message"))));
  EXPECT_THAT(contents("run/uart1.log"), AllOf(HasSubstr("message 24: checksum 0x"), Not(HasSubstr("step"))));
  EXPECT_THAT(contents("run/uart2.log"), AllOf(HasSubstr("step 24: period "), Not(HasSubstr("table"))));
}

struct MethodPair {
  const char *table, *field;
};
struct ComposedNodeMethodsTest : ComposedNodeTest, testing::WithParamInterface<MethodPair> {};

TEST_P(ComposedNodeMethodsTest, BothRecover) {
  const auto& [table, field] = GetParam();
  const Ended ended = scenario({fmt::format("args=table={} field={}", table, field)});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  expect_the_newest_common();
}
INSTANTIATE_TEST_SUITE_P(Pairs, ComposedNodeMethodsTest,
                         testing::Values(MethodPair{"stop_and_copy", "late"},
                                         MethodPair{"copy_on_write", "copy_on_write"},
                                         MethodPair{"late", "consolidate"},
                                         MethodPair{"early_late+consolidate", "stop_and_copy_hardware"}));

TEST_F(ComposedNodeTest, BothDimmSsdsMayBeBesideOneMemory) {
  const Ended ended = scenario({"node.ssd1.guards=memory", "node.nic1.dma=memory"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  expect_the_newest_common();
}

TEST_F(ComposedNodeTest, BothRecoverBehindCaches) {
  const Ended ended =
      scenario({"node.cores.caches.model=tags", "node.memory.fidelity=exact", "node.hbm.fidelity=exact"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  expect_the_newest_common();
}

TEST_F(ComposedNodeTest, HostThreadsDoNotChangeIt) {
  ASSERT_EQ(scenario().status, 0);
  ASSERT_EQ(asterism({"run", "composed_node", "--threads", "2", "--out", "parallel"}).status, 0);
  EXPECT_EQ(left_by("parallel"), left_by("run"));
}

// While messages, copies and checkpoints are under way.
TEST_F(ComposedNodeTest, ARestoredRunIsTheSame) {
  const Ended first = scenario({"expect={}", "--snapshot-at", "7500us", "--snapshot", "file"});
  if (is_refused_by_sanitizers(first)) GTEST_SKIP() << first.err;
  ASSERT_EQ(first.status, 0) << first.err;
  ASSERT_EQ(asterism({"run", "--restore", "file", "--out", "second"}).status, 0);
  EXPECT_EQ(left_by("second"), left_by("run"));
}

// From the first message until the last checkpoint.
TEST_F(ComposedNodeTest, ACampaignOfPowerFailuresIsRecoveredAtAnyInstant) {
  const Ended first =
      scenario({"faults=[]", "expect={}", "until=1s", "--snapshot-at", "2us", "--snapshot", "file"});
  if (is_refused_by_sanitizers(first)) GTEST_SKIP() << first.err;
  ASSERT_EQ(first.status, 0) << first.err;
  std::string faults;
  constexpr unsigned cuts = 40;
  for (unsigned i = 0; i < cuts; ++i)
    faults += fmt::format("{{\"at\": \"{}us\", \"kind\": \"power_loss\", \"restore_after\": \"100us\"}}\n",
                          3000 + i * 397);
  write("faults.jsonl", faults);
  const Ended ended =
      asterism({"study", "campaign", "snapshot=file", "faults=faults.jsonl", "jobs=2", "until=200ms"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(fmt::format("recovered       {}  ", cuts)));
}

// ---- faults ----

TEST_F(ComposedNodeTest, AFaultOfFlashNamesItsDimmSsd) {
  const std::string fault = R"("at": "9.5ms", "kind": "flash_bits", "holds": "root", "bits": 40)";
  const Ended without = scenario({"faults=[{" + fault + "}]"});
  EXPECT_EQ(without.status, 65);
  EXPECT_THAT(without.err, HasSubstr("must name its device: the key \"device\", one of dimm_ssd, ssd1"));
  const Ended wrong = scenario({"faults=[{" + fault + R"(, "device": "hbm"}])"});
  EXPECT_EQ(wrong.status, 65);
  EXPECT_THAT(wrong.err,
              HasSubstr("there is no device \"hbm\" in which flash_bits can occur, only dimm_ssd, ssd1"));
  EXPECT_EQ(scenario({"expect={}", "faults=[{" + fault + R"(, "device": "ssd1"}])"}).status, 0);
  EXPECT_EQ(statistics("ssd1")["flash_faults"], 1);
  EXPECT_EQ(statistics("dimm_ssd")["flash_faults"], 0);
}

// Normal ECC detects a dead chip.
TEST_F(ComposedNodeTest, AFaultOfMemoryOccursInTheOneThatItNames) {
  const std::string fault =
      R"("at": "3.5ms", "kind": "chip", "channel": 0, "rank": 0, "chip": 5, "device": )";
  for (const auto& [memory, other, address] :
       {std::array{"memory", "hbm", "0x40"}, std::array{"hbm", "memory", "0x20000"}}) {
    const Ended ended = scenario({"faults=[{" + fault + '"' + memory + "\"}]", "expect={}", "until=4ms"});
    EXPECT_THAT(ended.err,
                HasSubstr(fmt::format("node.{}: uncorrectable error in the block at {}", memory, address)));
    EXPECT_GT(statistics(memory)["ecc"]["uncorrectable"], 0) << memory;
    EXPECT_EQ(statistics(other)["ecc"]["uncorrectable"], 0) << memory;
  }
}

// ---- networks ----

TEST_F(ComposedNodeTest, ASecondNetworkOfTheNodeChangesNothing) {
  ASSERT_EQ(scenario({"faults=[]", "expect={}"}).status, 0);
  const std::string result = contents("run/files/result.txt");
  const std::string other = R"({"type": "nic", "base": "0x0b16_0000", "interrupt": 12, "network": "other"})";
  ASSERT_EQ(scenario({"faults=[]", "expect={}", "node.devices.nic2=" + other}).status, 0);
  EXPECT_EQ(contents("run/files/result.txt"), result);
}

TEST_F(ComposedNodeTest, TheNicOfAClusterIsOnNoNetworkOfItsNode) {
  const auto cluster = [&](const std::string& network) {
    return asterism({"run", "buddy_cluster",
                     R"(node.devices.nic1={"type": "nic", "base": "0x0b06_0000", )"
                     R"("interrupt": 14, "network": "inner"})",
                     "node.nic.network=" + network, "--out", "run"});
  };
  const Ended refused = cluster("inner");
  EXPECT_EQ(refused.status, 65);
  EXPECT_THAT(refused.err, HasSubstr("nic is connected to the network \"inner\" of its node"));
  EXPECT_EQ(cluster("").status, 0);
}

}  // namespace
}  // namespace asterism
