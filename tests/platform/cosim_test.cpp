// RTL in a node: in the model's place and in lockstep with it, and the report when they differ.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "testbenches/mutant.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct CosimTest : CommandTest {
  // The solver on a small grid, with a crossbar that simulates every flit.
  Ended solver(const std::string& impl, const Arguments& more = {}) const {
    Arguments arguments{"node.fabric.topology=swizzle_switch", "node.fabric.fidelity=flit",
                        "node.fabric.arbiter.impl=" + impl, "args=nx=3 interval=100"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return firmware("cg", arguments);
  }
  // The statistics of the last run, without those that only RTL reports.
  nlohmann::json results() const {
    auto stats = json("run/stats.json");
    stats["node"]["fabric"].erase("arbiter");
    return stats;
  }
  // An arbiter whose order never changes.
  std::string no_update() const {
    make_mutant(
        source_configs().parent_path() / "rtl/lrg_arbiter", folder / "mine",
        {{"lrg_arbiter.sv", "outranks_q <= '0;", "outranks_q <= outranks_q;"},
         {"lrg_arbiter.sv", "outranks_q <= outranks_q | (grant_o & Others);", "outranks_q <= outranks_q;"}});
    return "node.fabric.arbiter.variant=mine/block.json";
  }
};

TEST_F(CosimTest, RtlAndLockstepGiveTheModelsResultsToTheLastByte) {
  ASSERT_EQ(solver("model").status, 0);
  const auto model = results();
  for (const char* impl : {"rtl", "lockstep"}) {
    const Ended ended = solver(impl);
    ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_EQ(results(), model) << impl;
  }
}

TEST_F(CosimTest, ALockstepStatesWhatItCompared) {
  const Ended ended = solver("lockstep");
  EXPECT_THAT(ended.out, HasSubstr("0 mismatches"));
  EXPECT_THAT(ended.out, HasSubstr("reached"));
  const auto arbiter = json("run/stats.json")["node"]["fabric"]["arbiter"];
  EXPECT_EQ(arbiter["impl"], "lockstep");
  EXPECT_GT(arbiter["XB"]["decisions"], 10'000);
  EXPECT_EQ(arbiter["XB"]["mismatches"], 0);
}

TEST_F(CosimTest, SteppingIdleCyclesToo_ChangesNothing) {
  ASSERT_EQ(solver("rtl").status, 0);
  const auto skipping = contents("run/stats.json");
  ASSERT_EQ(solver("rtl", {"--no-skip"}).status, 0);
  EXPECT_EQ(contents("run/stats.json"), skipping);
}

TEST_F(CosimTest, AnRtlMutantEndsTheRunWithAReportAndATrace) {
  const Ended ended = solver("lockstep", {no_update()});
  EXPECT_EQ(ended.status, 68);
  EXPECT_THAT(ended.out, HasSubstr("lockstep mismatch in node.fabric.arbiter.XB."));
  EXPECT_THAT(ended.out, HasSubstr("model"));
  EXPECT_EQ(json("run/stats.json")["ended"], "mismatch");
  unsigned traces = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder / "run/traces"))
    traces += file.path().extension() == ".fst" && file.file_size() > 100;
  EXPECT_EQ(traces, 1u);
}

TEST_F(CosimTest, AnotherPolicyThanTheRtlsIsAMismatch) {
  EXPECT_EQ(solver("lockstep", {"node.fabric.arbitration=fixed"}).status, 68);
}

TEST_F(CosimTest, ALooselyTimedCrossbarHasOneRequestAtATime) {
  const Ended ended = firmware("cg", {"args=nx=3 interval=100", "node.fabric.arbiter.impl=lockstep"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("0 mismatches"));
}

TEST_F(CosimTest, OneRouterOfManyMayHaveIt) {
  const Ended ended =
      firmware("cg", {"args=nx=3 interval=100", "node.fabric.topology=mesh", "node.fabric.nodes=16",
                      "node.fabric.fidelity=flit", "node.fabric.arbiter.impl=lockstep",
                      R"(node.fabric.arbiter.routers=["R5"])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const auto arbiter = json("run/stats.json")["node"]["fabric"]["arbiter"];
  EXPECT_TRUE(arbiter.contains("R5"));
  EXPECT_FALSE(arbiter.contains("R4"));
}

TEST_F(CosimTest, TracesOnDemandAreOfTheNamedInstances) {
  const std::string dram = "node.fabric.arbiter.XB.dram";
  ASSERT_EQ(solver("rtl", {"--trace", dram, "--trace-from", "10us", "--trace-to", "40us"}).status, 0);
  std::vector<std::string> traces;
  for (const auto& file : std::filesystem::directory_iterator(folder / "run/traces"))
    traces.push_back(file.path().filename());
  EXPECT_THAT(traces, testing::ElementsAre(dram + ".fst"));
}

TEST_F(CosimTest, ATraceOfNoTimeIsRefused) {
  const std::string dram = "node.fabric.arbiter.XB.dram";
  EXPECT_EQ(solver("rtl", {"--trace", dram, "--trace-from", "30us", "--trace-to", "10us"}).status, 65);
  EXPECT_EQ(solver("rtl", {"--trace-from", "30us"}).status, 65);
}

TEST_F(CosimTest, ErrorsAreReportedBeforeAnythingRuns) {
  const auto refused = [&](const Arguments& more, int status, const char* what) {
    Ended ended = solver("lockstep", more);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(what));
    EXPECT_FALSE(left_a_run());
  };
  refused({"node.fabric.arbiter.variant=rtl/lrg_arbitre/block.json"}, 66, "rtl/lrg_arbitre/block.json");
  refused({R"(node.fabric.arbiter.routers=["XA"])"}, 65, "did you mean \"XB\"");
  refused({"node.fabric.fidelity=loose"}, 65, "node.fabric.arbiter.impl");
  write("mine.so", "no library");
  refused({"node.fabric.arbiter.variant=./mine.so"}, 65, "mine.so");
}

TEST_F(CosimTest, ATraceOfWhatIsNotThereIsRefused) {
  const Ended ended = solver("rtl", {"--trace", "node.fabric.arbiter.XC"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("there is no RTL \"node.fabric.arbiter.XC\" in this node; did you mean"));
  EXPECT_THAT(solver("rtl", {"--trace", "arbiter.XB"}).err,
              HasSubstr("did you mean \"node.fabric.arbiter.XB\"?"));
}

TEST_F(CosimTest, ATraceTakesOneInstanceAndLeavesWhatFollows) {
  const Ended ended = solver("rtl", {"--trace", "node.fabric.arbiter.XB.dram", "node.fabric.fidelity=losse"});
  EXPECT_THAT(ended.err, HasSubstr("node.fabric.fidelity"));
}

struct CosimScenarioTest : CommandTest {};

TEST_F(CosimScenarioTest, TheSolverLosesItsPowerWithEveryArbiterInLockstep) {
  const Ended ended = asterism({"run", "cosim", "--quiet", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("node.fabric.arbiter.XB: lockstep, "));
  EXPECT_THAT(ended.out, HasSubstr(" decisions, 0 mismatches\n"));
  EXPECT_THAT(ended.out, HasSubstr("reached pairs 12/132"));
  EXPECT_THAT(ended.out, HasSubstr("1 power loss, 1 recovery"));
}

}  // namespace
}  // namespace asterism
