// `asterism sweep` with the real command: what it runs, prints, leaves and refuses.
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct SweepTest : CommandTest {
  Ended sweep(const Arguments& arguments) const {
    Arguments all{"sweep", "hello", "node.memory.size=64MiB", "--out", "out"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return asterism(all);
  }
  void expect_refusal(const Arguments& arguments, const std::string& message, int status = 65) const {
    const Ended ended = sweep(arguments);
    EXPECT_EQ(ended.err, message + "\n");
    EXPECT_EQ(ended.status, status);
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(fs::is_empty(folder));
  }
  std::vector<std::string> lines(const fs::path& file) const {
    std::istringstream in(contents(file));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
};

TEST_F(SweepTest, EachCombinationHasARunOfItsOwn) {
  const Ended ended = sweep({"node.cores.count=1,2", "node.quantum=1us:3us:2us", "--show",
                             "instructions,node.fabric.reads?", "--csv", "table.csv", "--jobs", "2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, HasSubstr("sweep      hello: 4 runs in "));
  EXPECT_THAT(ended.out, HasSubstr("; 4 ok\n"));
  EXPECT_EQ(contents("table.csv"), contents("out/results.csv"));
  EXPECT_EQ(lines("table.csv").front(),
            "node.quantum,node.cores.count,run,outcome,instructions,node.fabric.reads,status,reason");
  ASSERT_EQ(asterism({"run", "hello", "node.memory.size=64MiB", "node.cores.count=2", "node.quantum=3us",
                      "--out", "alone"})
                .status,
            0);
  EXPECT_EQ(left_by("out/runs/3"), left_by("alone"));
  const std::string instructions =
      std::to_string(json("alone/stats.json")["instructions"].get<std::uint64_t>());
  EXPECT_THAT(lines("table.csv").back(), testing::StartsWith("3us,2,3,ok," + instructions + ","));
  EXPECT_EQ(json("out/results.json")["points"].size(), 4u);
}

TEST_F(SweepTest, AnyNumberOfJobsLeavesTheSameBytes) {
  const Arguments what{"node.cores.count=1,2,4", "faults.0={\"at\":\"1us\",\"kind\":\"power_loss\"}",
                       "faults.0.at=2us,9us", "--show", "simulated_time_ps,power_losses"};
  for (const char* jobs : {"1", "4"}) {
    Arguments all{"sweep", "hello", "--out", jobs, "--jobs", jobs};
    all.insert(all.end(), what.begin(), what.end());
    const Ended ended = asterism(all);
    ASSERT_EQ(ended.status, 0) << ended.err;
  }
  for (const char* file : {"sweep.json", "results.csv", "results.json", "figure.svg"})
    EXPECT_EQ(contents(fs::path("1") / file), contents(fs::path("4") / file)) << file;
  for (int run = 0; run < 6; ++run)
    EXPECT_EQ(left_by(fs::path("1/runs") / std::to_string(run)),
              left_by(fs::path("4/runs") / std::to_string(run)));
  EXPECT_EQ(json("1/runs/0/stats.json")["power_losses"], 1);
}

TEST_F(SweepTest, NodesFirmwareAndPartsOfOnesOwnAreSwept) {
  write("mine/small.json", R"({"use": "checkpoint_node", "cores.count": 2})");
  const Ended ended = sweep(
      {"node.use=checkpoint_node,mine/small.json", "firmware=hello,exit_status", "--show", "instructions"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(lines("out/results.csv").size(), 5u);
  EXPECT_THAT(contents("out/results.csv"), HasSubstr("mine/small.json,exit_status,3,ok,"));
  EXPECT_EQ(json("out/runs/2/scenario.json")["node"]["cores"]["count"], 2);
}

TEST_F(SweepTest, KeysOfDevicesAreSweptByTheirFullNameOrItsAbbreviation) {
  const Ended ended = sweep({"node.dimm_ssd.packages=2,4", "node.devices.rtc.base=0x0a00_0000,0x0a01_0000",
                             R"(node.devices.uart1={"type": "pl011", "base": "0x0904_0000"})",
                             "node.uart1.characters_per_second=0:200:100", "node.uart0.interrupt=[1]"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<std::string> table = lines("out/results.csv");
  EXPECT_EQ(table.size(), 13u);
  for (const char* key : {"node.devices.dimm_ssd.packages", "node.devices.rtc.base",
                          "node.devices.uart1.characters_per_second"})
    EXPECT_THAT(table.front(), HasSubstr(key));
  EXPECT_THAT(table.front(), Not(HasSubstr("interrupt")));
  const auto devices = json("out/runs/11/scenario.json")["node"]["devices"];
  EXPECT_EQ(devices["dimm_ssd"]["packages"], 4);
  EXPECT_EQ(devices["rtc"]["base"], "0x0a01_0000");
  EXPECT_EQ(devices["uart1"]["characters_per_second"], 200);
  EXPECT_EQ(json("out/sweep.json")["node"]["devices"]["dimm_ssd"]["packages"].size(), 2u);
}

TEST_F(SweepTest, FirmwareAloneIsSweptOnTheStandardNode) {
  const Ended ended = asterism({"sweep", elf("hello"), "node.memory.size=64MiB", "node.cores.count=1,2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("sweep      hello: 2 runs in "));
  EXPECT_EQ(json("runs/hello_sweep/runs/1/scenario.json")["node"]["cores"]["count"], 2);
}

TEST_F(SweepTest, AnUnmetExpectationIsALineAndTheStatus) {
  const Ended ended = sweep({"expect.exit=0,1", "node.cores.count=1"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_EQ(
      ended.err,
      "asterism: run 1 (expect.exit=1): expectation not met: exit: expected 1, but the firmware ended with "
      "0\n");
  EXPECT_THAT(ended.out, HasSubstr("; 1 ok, 1 expectation not met\n"));
  EXPECT_TRUE(exists("out/runs/1/stats.json"));
}

TEST_F(SweepTest, ARunThatDoesNotEndIsALineToo) {
  const Ended ended = sweep({"firmware=hello,spin", "until=1ms", "expect={}", "node.cores.count=1"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_EQ(
      ended.err,
      "asterism: run 1 (firmware=spin): time limit: stopped at the time limit of 1 ms: the firmware had not "
      "ended\n");
}

TEST_F(SweepTest, RefusesWhatDoesNotExist) {
  expect_refusal({"node.cores.cuont=1,2"},
                 "command line: error: node.cores.cuont: unknown key; did you mean \"count\"?");
  expect_refusal({"node.cores.count=1,1000"},
                 "command line: error: node.cores.count: expected an integer from 1 to 576, got 1000");
  expect_refusal({"node.dimm_ssd.packages=2,0"},
                 "command line: error: node.dimm_ssd.packages: expected an integer from 1 to 64, got 0");
  expect_refusal({"firmware=hello,hallo"},
                 "command line: error: firmware: there is no application of this name in " +
                     environment.at("ASTERISM_FIRMWARE") + "; did you mean \"hello\"?",
                 66);
  expect_refusal(
      {"node.cores.count=4,16"},
      "command line: error: node.cores.count: gic is a gic400, which serves at most 8 cores, got 16");
  expect_refusal({"node.quantum=1us:2us"},
                 "command line: error: node.quantum: expected a duration from \"1ns\" to \"1s\", or a range "
                 "from:to:step of such, got \"1us:2us\"");
  expect_refusal({"node.cores.count=1,2", "--show", "instructions,,"},
                 "command line: error: --show: expected names of statistics with commas between them, got "
                 "\"instructions,,\"");
}

TEST_F(SweepTest, AMistakeInTheFileIsThatOfACombination) {
  const Ended ended = asterism({"sweep", "training_node", "node.gpu.count=1,2,4"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(
      ended.err,
      HasSubstr("there is no GPU 1: the device has 1, counted from 0; with node.devices.gpu.count=1\n"));
  EXPECT_THAT(
      ended.err,
      HasSubstr("there is no GPU 3: the device has 2, counted from 0; with node.devices.gpu.count=2\n"));
}

TEST_F(SweepTest, AStatisticThatARunLacksIsAnErrorUnlessItIsOptional) {
  expect_refusal({"node.cores.count=1,2", "--show", "instrutcions", "--jobs", "1"},
                 "command line: error: --show: the first run has no statistic \"instrutcions\" in its "
                 "stats.json; did you "
                 "mean \"instructions\"?");
  const Ended group = sweep({"node.cores.count=1,2", "--show", "node"});
  EXPECT_EQ(group.status, 65);
  EXPECT_THAT(group.err, HasSubstr("--show: node is a group of stats.json, which has node."));
  EXPECT_EQ(sweep({"node.cores.count=1,2", "--show", "no.such?"}).status, 0);
}

TEST_F(SweepTest, OnlyTypedValuesAreLists) {
  write("s.json",
        R"({"node": {"use": "checkpoint_node"}, "firmware": "picolibc_hello", "args": "a,b 1:2:3"})");
  const Ended ended = asterism({"sweep", "s.json", "seed=1,2", "--out", "out"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(lines("out/results.csv").size(), 3u);
  EXPECT_EQ(json("out/runs/0/scenario.json")["args"], "a,b 1:2:3");
}

TEST_F(SweepTest, AnInterruptedSweepNamesTheFinishedRuns) {
  const Running running = start({"sweep", "hello", "firmware=hello,spin,hello", "until=1000s", "expect={}",
                                 "--jobs", "1", "--out", "out"});
  for (int i = 0; i < 600 && !exists("out.partial/runs/1.partial"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  running.signal(SIGINT);
  const Ended ended = const_cast<Running&>(running).wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_EQ(ended.err,
            "asterism: interrupted; finished runs: 0, in " + (folder / "out.partial/runs").string() + "\n");
  EXPECT_TRUE(exists("out.partial/runs/0/stats.json"));
  EXPECT_FALSE(exists("out.partial/runs/1"));
  EXPECT_FALSE(exists("out.partial/runs/1.partial"));
  EXPECT_FALSE(exists("out"));
  EXPECT_EQ(lines("out.partial/results.csv").size(), 2u);
}

TEST_F(SweepTest, AFigureHasAPanelForEachStatistic) {
  ASSERT_EQ(
      sweep({"node.cores.count=1,2,4", "--show", "simulated_time_ps,instructions", "--svg", "f.svg"}).status,
      0);
  const std::string svg = contents("f.svg");
  EXPECT_THAT(svg, HasSubstr(">simulated time (us)<"));
  EXPECT_THAT(svg, HasSubstr(">instructions<"));
  EXPECT_THAT(svg, HasSubstr(">node.cores.count<"));
}

}  // namespace
}  // namespace asterism
