// Many real cores behind a GICv3 boot, synchronise at barriers, reduce, checkpoint and recover
// (configs/scenarios/kilocore_boot.json).
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;

struct KilocoreTest : CommandTest {
  // The scenario with fewer cores and without faults.
  Ended undisturbed(unsigned cores, Arguments more = {}) const {
    Arguments all{"run",       "kilocore_boot", "node.cores.count=" + std::to_string(cores),
                  "faults=[]", "expect={}",     "--out",
                  "run"};
    all.insert(all.begin() + 2, more.begin(), more.end());
    return asterism(all);
  }
  void expect_verified(const Ended& ended, unsigned cores) const {
    EXPECT_EQ(ended.status, 0) << ended.err;
    const std::string text = contents("run/console.log"), count = std::to_string(cores);
    EXPECT_THAT(text, HasSubstr("kilocore: " + count + " cores are up\n"));
    EXPECT_THAT(text, HasSubstr(" steps on " + count + " cores, sums right, words right\n"));
    EXPECT_THAT(text, HasSubstr(": verified\n"));
  }
};

// The chip of abeyratne2017, with a power failure while the second checkpoint is written; the scenario
// expects a recovery and the result of the run without faults.
TEST_F(KilocoreTest, FiveHundredFiftyTwoCoresRecover) {
  const Ended ended = asterism({"run", "kilocore_boot", "--out", "run"});
  expect_verified(ended, 552);
  EXPECT_THAT(contents("run/console.log"),
              HasSubstr("kilocore: reset cause power_loss, boot 2\nkilocore: 552 cores are up\n"
                        "kilocore: checkpoint 4 restored\n"));
  const auto stats = json("run/stats.json");
  for (const char* core : {"core1", "core15", "core16", "core551"}) {
    EXPECT_GT(stats["node"][core]["instructions"], 10'000) << core;
    EXPECT_GT(stats["node"]["gic"][core]["acknowledged"], 10) << core;
  }
}

TEST_F(KilocoreTest, ASummaryOfManyCoresIsOneScreen) {
  const Ended ended = undisturbed(552, {"--until", "3ms"});  // the other cores wait for core 0
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(
      ended.out,
      ContainsRegex("\ncores        1 of 552: running, pc [^\n]+[(]0x402[0-9a-f]+[)] at [^\n]+[ \n]+[(]0[)]\n"
                    "             551 of 552: waits for an interrupt, pc sleep_once[+]0x[0-9a-f]+ "
                    "[(]0x402[0-9a-f]+[)]\n             at interrupts.h:9 [(]1-551[)]\ndetails "));
}

// abeyratne2017 Table 3.1: cores and controllers take all nodes of the chip. With caches, only misses go over
// the fabric.
TEST_F(KilocoreTest, TwentyFourControllersOnNodesOfTheirOwnShareTheMisses) {
  expect_verified(undisturbed(16, {"node.cores.caches.model=tags", "args=steps=1 checkpoint=off"}), 16);
  const auto node = json("run/stats.json")["node"];
  std::uint64_t least = ~std::uint64_t{0}, most = 0, all = 0;
  for (int i = 0; i < 24; ++i) {
    const std::uint64_t own = node["fabric"]["dram" + std::to_string(i)]["accesses"];
    EXPECT_GT(node["memory"]["dram"]["controller" + std::to_string(i)]["reads"], 0) << i;
    least = std::min(least, own), most = std::max(most, own), all += own;
  }
  EXPECT_GT(least, 0u);
  EXPECT_LT(most, all / 4);
  EXPECT_FALSE(node["fabric"].contains("dram24"));
}

TEST_F(KilocoreTest, EveryNumberOfCoresComesToItsSums) {
  for (const unsigned cores : {1u, 2u, 8u, 17u, 40u}) expect_verified(undisturbed(cores), cores);
}

TEST_F(KilocoreTest, AQuantumChangesTimesAndNotTheResult) {
  std::vector<std::string> results;
  for (const std::string quantum : {"100ns", "1us", "10us"}) {
    expect_verified(undisturbed(33, {"node.quantum=" + quantum, "args=steps=4 interval=2"}), 33);
    results.push_back(contents("run/files/result.txt"));
  }
  EXPECT_THAT(results, ElementsAre(results[0], results[0], results[0]));
}

TEST_F(KilocoreTest, TheSameRunTwiceWritesTheSameBytes) {
  std::vector<std::string> stats, events;
  for (int i = 0; i < 2; ++i) {
    const Ended ended = asterism({"run", "kilocore_boot", "node.cores.count=130", "faults.0.at=12ms",
                                  "expect.result_equals=null", "--out", "run"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    stats.push_back(contents("run/stats.json"));
    events.push_back(contents("run/events.jsonl"));
  }
  EXPECT_EQ(stats[0], stats[1]);
  EXPECT_EQ(events[0], events[1]);
}

TEST_F(KilocoreTest, NothingThatTheMemoryModelForbidsHappensInThreeClusters) {
  const Ended ended = asterism({"run", "litmus", "--firmware", "litmus_many_cores",
                                R"(node.gic={"type": "gicv3", "base": ["0x0800_0000", "0x080a_0000"]})",
                                "node.cores.count=36", "args=pause=20 runs=4", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(contents("run/console.log"), HasSubstr("litmus: 35 tests, 0 forbidden outcomes\n"));
}

TEST_F(KilocoreTest, ASpinTableReachesThreeClusters) {
  expect_verified(undisturbed(40, {"node.cores.start=spin_table", "args=steps=1 checkpoint=off"}), 40);
}

TEST_F(KilocoreTest, WithoutAGicV3ItSaysSo) {
  const Ended ended =
      undisturbed(8, {"node.gic.type=gic400", R"(node.gic.base=["0x0800_0000","0x0801_0000"])"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(contents("run/console.log"), "this firmware is made for a GICv3, and the device tree has none\n");
}

TEST_F(KilocoreTest, MoreCoresThanTheFabricHasNodesForAreRefused) {
  const Ended ended = asterism({"check", "kilocore_boot", "node.cores.count=576"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err,
              HasSubstr("node.fabric.nodes: the fabric has 576 nodes for 576 masters and 24 targets"));
}

TEST_F(KilocoreTest, QemuPrintsTheSame) {
  const Ended theirs =
      program("qemu-system-aarch64",
              {"-M", "virt,gic-version=3", "-cpu", "cortex-a57", "-smp", "40", "-nographic", "-net", "none",
               "-vga", "none", "-semihosting-config",
               "enable=on,target=native,arg=kilocore,arg=checkpoint=off", "-kernel", elf("kilocore")});
  EXPECT_EQ(theirs.status, 0);
  expect_verified(undisturbed(40, {"args=checkpoint=off"}), 40);
  const std::string ours = contents("run/console.log");
  EXPECT_EQ(ours.substr(ours.find('\n') + 1), theirs.err);  // after the line with the cause of the reset
  EXPECT_EQ(contents("run/files/result.txt"), contents("result.txt"));
}

}  // namespace
}  // namespace asterism
