// RTL in a node: in the model's place and in lockstep with it, and the report when they differ.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "testbenches/lrg_arbiter/mutants.h"
#include "testbenches/mutant.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct CosimTest : CommandTest {
  CosimTest() { node_of_firmware = untimed; }
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

TEST_F(CosimTest, AskedToContinueARunCountsItsMismatches) {
  ASSERT_EQ(solver("model").status, 0);
  const auto model = results();
  const Ended ended = solver("lockstep", {no_update(), "node.fabric.arbiter.on_mismatch=continue"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("ended        firmware exited with status 0\n"));
  EXPECT_THAT(ended.out, testing::ContainsRegex("DIFFERENT    RTL and model differed [0-9]+ times\n"));
  EXPECT_THAT(ended.out, testing::ContainsRegex("\n\nand [0-9]+ more mismatches\n$"));
  auto stats = results();
  EXPECT_GT(stats["mismatches"], 100);
  EXPECT_EQ(json("run/stats.json")["node"]["fabric"]["arbiter"]["XB"]["mismatches"], stats["mismatches"]);
  stats.erase("mismatches");
  EXPECT_EQ(stats, model) << "the model has answered";
}

// docs/bring-your-own-rtl.md with a wrong arbiter on one router of a mesh, which never has two requests at
// once.
TEST_F(CosimTest, AWrongArbiterOnAQuietRouterIsNotPassedInSilence) {
  make_mutant(source_configs().parent_path() / "rtl/lrg_arbiter", folder / "mine",
              mutant_named("moves_only_when_contended", lrg_arbiter_mutants).changes);
  const Arguments quiet{"args=nx=3 interval=100",
                        "node.fabric.topology=mesh",
                        "node.fabric.nodes=16",
                        "node.fabric.fidelity=flit",
                        "node.fabric.arbiter.impl=lockstep",
                        "node.fabric.arbiter.variant=mine/block.json",
                        R"(node.fabric.arbiter.routers=["R5"])"};
  const Ended warned = firmware("cg", quiet);
  EXPECT_EQ(warned.status, 0) << warned.out << warned.err;
  EXPECT_THAT(warned.out, HasSubstr("0 mismatches"));
  EXPECT_THAT(warned.out,
              HasSubstr("\nwarning      node.fabric.arbiter.R5 never had two requests at once, which its\n"
                        "             contract needs\n"));
  EXPECT_THAT(warned.err, HasSubstr("node.fabric.arbiter.R5: never had two requests at once"));
  EXPECT_EQ(json("run/stats.json")["node"]["fabric"]["arbiter"]["R5"]["coverage"]["lacks"],
            "never had two requests at once");
  Arguments demanding = quiet;
  demanding.push_back(R"(expect.coverage={"arbiter":{"pairs":"10%","requests at once":2}})");
  const Ended refused = firmware("cg", demanding);
  EXPECT_EQ(refused.status, 67);
  EXPECT_THAT(refused.out,
              HasSubstr("NOT MET      coverage of arbiter R5: pairs reached 0 of 20, wanted 2 (10%)\n"
                        "NOT MET      coverage of arbiter R5: requests at once reached 1 of 5, wanted 2\n"));
}

TEST_F(CosimTest, OfAWholeFabricTheSummaryNamesTheRoutersThatReachedTooLittle) {
  const Ended ended =
      firmware("cg", {"args=nx=3 interval=100", "node.fabric.topology=mesh", "node.fabric.nodes=16",
                      "node.fabric.fidelity=flit", "node.fabric.arbiter.impl=lockstep",
                      R"(expect.coverage={"arbiter":{"outputs":1,"pairs":"100%"}})"});
  EXPECT_EQ(ended.status, 67) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              testing::ContainsRegex("warning      node.fabric.arbiter never had two requests at once, "
                                     "which its\n +contract needs, in [0-9]+ of 16 routers: R[0-9]+, "));
  EXPECT_THAT(ended.out,
              testing::ContainsRegex("NOT MET      coverage of arbiter: pairs is too low in R[0-9]+, "));
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(CosimTest, CoverageThatCannotBeReachedIsRefused) {
  const auto refused = [&](const std::string& coverage, const std::string& what, const Arguments& more = {}) {
    Arguments arguments{"expect.coverage=" + coverage};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = solver("lockstep", arguments);
    EXPECT_EQ(ended.status, 65) << ended.out;
    EXPECT_EQ(ended.err.substr(ended.err.find("error: ") + 7), what + "\n");
    EXPECT_FALSE(left_a_run());
  };
  refused(R"({"arbitre":{"pairs":1}})",
          "expect.coverage.arbitre: this node has no block of this name that RTL can replace; did you mean "
          "\"arbiter\"?");
  refused(R"({"rtc":{"states":1}})",
          "expect.coverage.rtc: coverage is that of a lockstep, but node.devices.rtc.impl is \"model\" "
          "(expect.coverage={} drops it)");
  refused(R"({"zone_monitor":{"writes":1}})",
          "expect.coverage.zone_monitor: this node has no block of this name that RTL can replace, "
          "only arbiter, codec, rtc, matt");
  refused(
      R"({"arbiter":{"request at once":1}})",
      "expect.coverage.arbiter.request at once: arbiter has no coverage of \"request at once\"; did you mean "
      "\"requests at once\"?");
  refused(
      R"({"arbiter":{"requesters":13}})",
      "expect.coverage.arbiter.requesters: expected at most 12, the number of points in arbiter XB, got 13");
  refused(
      R"({"arbiter":{"pairs":"101%"}})",
      "expect.coverage.arbiter.pairs: expected a number of points, or a share of them such as \"40%\", got "
      "\"101%\"; a share is at most 100%");
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
