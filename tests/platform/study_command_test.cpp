// `asterism study` and `asterism paper` with the real command: what they print, write and refuse.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct StudyCommandTest : CommandTest {
  // Two adjacent nodes and one clock, so that every time of a packet can be computed.
  const Arguments tiny{"study",       "fabric",       "topology=mesh",
                       "nodes=2",     "clock=1GHz",   "link_cycles=1cycles",
                       "warm_up=1us", "measure=10us", "rate=0.01"};

  Arguments with(Arguments all, const Arguments& more) const {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void expect_refusal(const Arguments& arguments, int status, const std::string& message) const {
    const Ended ended = asterism(with({"study", "fabric"}, arguments));
    EXPECT_EQ(ended.err, message + "\n");
    EXPECT_EQ(ended.status, status);
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(fs::is_empty(folder));
  }
  // The first line of a CSV, by the names of its columns.
  std::map<std::string, std::string> first_row(const std::string& csv) const {
    std::istringstream lines(contents(csv));
    std::string names, values, name, value;
    std::getline(lines, names);
    std::getline(lines, values);
    std::map<std::string, std::string> row;
    std::istringstream n(names), v(values);
    while (std::getline(n, name, ',')) {
      value.clear();
      std::getline(v, value, ',');
      row[name] = value;
    }
    return row;
  }
};

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

// Standard output has only the JSON; a list is a value of a key, and words in it need no quotes.
TEST_F(StudyCommandTest, JsonGoesToStandardOutput) {
  const Ended ended = asterism({"study", "markov", "interval=2500s", "counts=[0,200]", "cost=[9s,50s,438s]",
                                "restart=[9s,50s,438s]", "rate=[7.78e-6,5.19e-7,3e-8]", "--json", "-"});
  EXPECT_EQ(ended.err, "");
  ASSERT_EQ(ended.status, 0);
  const nlohmann::json result = nlohmann::json::parse(ended.out);
  EXPECT_NEAR(result.at("points").at(0).at("efficiency").get<double>(), 0.961310619586, 5e-13);
  EXPECT_TRUE(fs::is_empty(folder));
  expect_refusal({"--json", "-", "--csv", "-"}, 65,
                 "command line: error: --json: - is already used by --csv");
}

TEST_F(StudyCommandTest, ATinyFabricHasItsClosedForm) {
  EXPECT_EQ(asterism(with(tiny, {"--csv", "a.csv"})).status, 0);
  auto row = first_row("a.csv");
  // One cycle to the edge at which the packet starts, a link in, two routers of three stages with a link
  // between them, a link out, and three more flits.
  EXPECT_EQ(row["latency_min_ns"], "13");
  EXPECT_EQ(row["hops"], "2");
  EXPECT_EQ(row["state"], "ok");
  EXPECT_EQ(row["topology"], "mesh");
}

TEST_F(StudyCommandTest, AListTimesARangeAndItsTable) {
  const Ended ended =
      asterism(with(tiny, {"buffer_depth=4,8", "rate=0.01:0.03:0.01", "--csv", "a.csv", "--threads", "2"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("6 points in "));
  EXPECT_THAT(ended.out, HasSubstr("on 2 threads; 6 ok\nwritten    a.csv\n"));
  const std::string csv = contents("a.csv");
  std::vector<std::string> starts;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) starts.push_back(line.substr(0, line.find(",0.0", 15)));
  ASSERT_EQ(starts.size(), 7u);
  EXPECT_THAT(starts[0], StartsWith("topology,traffic,rate,buffer_depth,offered_packets_per_ns,"));
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_THAT(csv, HasSubstr("\nmesh,uniform,0.0" + std::to_string(i % 3 + 1) + (i < 3 ? ",4," : ",8,")));
  EXPECT_LT(csv.find("0.03,4,"), csv.find("0.01,8,"));
  std::istringstream table(ended.out);
  for (std::string line; std::getline(table, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(StudyCommandTest, ThreadsChangeNoByte) {
  const Arguments sweep =
      with(tiny, {"topology=mesh,superstar", "nodes=64", "rate=0.01:0.2:0.05", "clock=null"});
  for (const std::string threads : {"1", "3"})
    EXPECT_EQ(asterism(with(sweep, {"--threads", threads, "--csv", threads + ".csv", "--json",
                                    threads + ".json", "--svg", threads + ".svg"}))
                  .status,
              0);
  for (const std::string kind : {".csv", ".json", ".svg"})
    EXPECT_EQ(contents("1" + kind), contents("3" + kind));
}

TEST_F(StudyCommandTest, TheDetailHasEveryChannelAndTheDistribution) {
  ASSERT_EQ(asterism(with(tiny, {"detail=true", "--json", "a.json"})).status, 0);
  const nlohmann::json point = json("a.json").at("points").at(0);
  const nlohmann::json& detail = point.at("detail");
  ASSERT_EQ(detail.at("channels").size(), 2u);
  EXPECT_EQ(detail["channels"][0].at("from"), "R0");
  EXPECT_EQ(detail["channels"][0].at("to"), "R1");
  EXPECT_NEAR(detail["channels"][0].at("load"), 0.04, 0.01);  // 0.01 packets of 4 flits a cycle
  std::uint64_t packets = 0;
  for (const auto& bucket : detail.at("latency_histogram"))
    packets += bucket.at("packets").get<std::uint64_t>();
  EXPECT_EQ(packets, point.at("packets_delivered"));
  EXPECT_EQ(detail.at("packets_by_hops").at(2), packets);
}

TEST_F(StudyCommandTest, ASaturatedPointIsShownAsSuch) {
  const Ended ended = asterism(
      {"study", "fabric", "topology=superring", "rate=0.05", "warm_up=1us", "measure=2us", "--csv", "a.csv"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, HasSubstr("1 saturated"));
  EXPECT_EQ(first_row("a.csv")["state"], "saturated");
}

TEST_F(StudyCommandTest, APointWithoutPacketsIsNotSaturated) {
  const Ended ended = asterism(with(tiny, {"rate=0", "--csv", "a.csv"}));
  EXPECT_THAT(ended.out, HasSubstr("1 no packets"));
  EXPECT_EQ(first_row("a.csv")["reason"], "no packet was created from 1us to 11us");
}

TEST_F(StudyCommandTest, AWideTableDropsTheStateLast) {
  const Ended ended = asterism(with(
      tiny, {"rate=0.01,0.02", "buffer_depth=4,8", "packet_flits=4,5", "virtual_channels=2,4", "seed=1,2"}));
  EXPECT_THAT(ended.out, ContainsRegex("accepted +latency.* state\n"));
  EXPECT_THAT(ended.out,
              ContainsRegex("columns that do not fit: .*hops, power; --csv FILE has all columns\n"));
}

TEST_F(StudyCommandTest, WhatStandsBelowATableIsWrapped) {
  const Ended ended = asterism({"study", "training_purchases", "purchase=all"});
  EXPECT_THAT(ended.out, HasSubstr("\ncolumns that do not fit: "));
  EXPECT_LE(widest_line(ended.out), 80u);
  EXPECT_LE(widest_line(asterism({"schema", "study", "training_goodput", "--text"}).out), 80u);
}

TEST_F(StudyCommandTest, AColumnWithoutAValueIsInTheFileOnly) {
  const Ended ended = asterism({"study", "hbm_faults", "trials=100", "--csv", "a.csv"});
  EXPECT_EQ(ended.out.find(" -"), std::string::npos) << ended.out;
  EXPECT_THAT(contents("a.csv"), HasSubstr(",,"));
}

TEST_F(StudyCommandTest, SaturationIsAResult) {
  const Ended ended = asterism({"study", "fabric", "topology=superring", "rate=saturation", "warm_up=1us",
                                "measure=2us", "search.tolerance=0.05", "--csv", "a.csv"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  auto row = first_row("a.csv");
  EXPECT_EQ(row["rate"], "saturation");
  EXPECT_EQ(row["state"], "saturation");
  EXPECT_NEAR(std::stod(row["accepted_packets_per_ns"]), 0.011, 0.001);
}

TEST_F(StudyCommandTest, TheFolderHoldsAllOfIt) {
  ASSERT_EQ(asterism(with(tiny, {"rate=0.01,0.02", "--out", "out"})).status, 0);
  for (const char* file : {"study.json", "results.csv", "results.json", "figure.svg", "host.json"})
    EXPECT_TRUE(exists(fs::path("out") / file)) << file;
  EXPECT_FALSE(exists("out.partial"));
  ASSERT_EQ(asterism({"study", "out/study.json", "--csv", "again.csv"}).status, 0);
  EXPECT_EQ(contents("again.csv"), contents("out/results.csv"));
  EXPECT_EQ(json("out/results.json").at("points").size(), 2u);
}

TEST_F(StudyCommandTest, AnInterruptionKeepsWhatIsDoneUnderAPartialName) {
  Running running = start({"study", "fabric", "topology=superring", "rate=0.001,0.002", "measure=1us,1s",
                           "warm_up=1us", "--threads", "2", "--csv", "a.csv", "--out", "out"});
  for (int i = 0; i < 5000 && !(exists("a.csv.partial") && exists("out.partial/study.json")); ++i)
    usleep(1000);
  sleep(1);
  running.signal(SIGINT);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_THAT(ended.out, HasSubstr("interrupted: "));
  EXPECT_FALSE(exists("a.csv"));
  EXPECT_FALSE(exists("out"));
  EXPECT_THAT(contents("a.csv.partial"), StartsWith("topology,traffic,rate,measure,"));
  EXPECT_THAT(contents("out.partial/results.json"), HasSubstr("\"complete\": false"));
}

TEST_F(StudyCommandTest, AnInterruptedFitLeavesNoFile) {
  Running running = start({"fit", "ddr3_1600_1gb_x4", "--out", "curves.json"});
  for (int i = 0; i < 5000 && !exists("curves.json.partial"); ++i) usleep(1000);
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().status, 130);
  EXPECT_FALSE(exists("curves.json.partial"));
  EXPECT_FALSE(exists("curves.json"));
}

TEST_F(StudyCommandTest, AnInterruptionWhileAPointWarmsUpKeepsTheOthers) {
  Running running = start({"study", "fabric", "topology=superring", "rate=0.001", "measure=1us",
                           "warm_up=1us,1s", "--threads", "2", "--csv", "a.csv"});
  for (int i = 0; i < 5000 && !exists("a.csv.partial"); ++i) usleep(1000);
  sleep(1);
  running.signal(SIGINT);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("interrupted: 1 of 2 points"));
  EXPECT_THAT(contents("a.csv.partial"), HasSubstr("\nsuperring,uniform,0.001,1us,"));
}

// A trial of snapshots does not check for an interruption, and this one is long.
TEST_F(StudyCommandTest, AnInterruptionGivesUpAPointThatDoesNotStop) {
  Running running = start({"study", "snapshot_truth", "gpus=8", "trial_snapshots=10000", "interleavings=1",
                           "--csv", "a.csv", "--out", "out"});
  for (int i = 0; i < 5000 && !(exists("a.csv.partial") && exists("out.partial/study.json")); ++i)
    usleep(1000);
  usleep(300'000);
  const auto interrupted = std::chrono::steady_clock::now();
  running.signal(SIGINT);
  const Ended ended = running.wait();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - interrupted;
  EXPECT_EQ(ended.status, 130) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("interrupted: 0 of 1 points")) << ended.err;
  EXPECT_LT(took.count(), 10);
  EXPECT_THAT(contents("out.partial/results.json"), HasSubstr("\"complete\": false"));
  EXPECT_FALSE(exists("a.csv"));
  EXPECT_FALSE(exists("out"));
}

TEST_F(StudyCommandTest, ACheckAnswersWhereBuildingTheStudyWouldTakeLong) {
  const Ended ended = asterism({"check", "fabric", "topology=mesh", "nodes=16384"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\"nodes\": 16384"));
  EXPECT_THAT(ended.err, StartsWith("asterism: only the single keys were checked"));
  const Ended wrong = asterism({"check", "fabric", "topology=mesh", "nodes=16384", "rate=many"});
  EXPECT_EQ(wrong.status, 65);
  EXPECT_EQ(wrong.out, "");
  EXPECT_THAT(wrong.err, HasSubstr("error: rate: expected"));
}

TEST_F(StudyCommandTest, EveryErrorIsReportedBeforeAnyPointRuns) {
  expect_refusal({"topology=mesh", "rate=0.1,5"}, 65,
                 "command line: error: rate: a node injects 1.116 packets per ns at most, got 5");
  expect_refusal({"topology=cmesh-low", "nodes=1200", "concentration=300"}, 65,
                 "command line: error: topology: a router of radix 304 with channels of 128 bits is outside "
                 "of its technology, "
                 "which covers radix 1 to 256 at 128 bits");
  expect_refusal({"concentration=7"}, 65,
                 "command line: error: nodes: expected a value that is a whole number of clusters of "
                 "`concentration` nodes, got 576 (the default); concentration is 7");
  expect_refusal(
      {"topology=superstar,mesh", "rate=0.1:0.2", "traffic=unifrm", "bufer_depth=3"}, 65,
      "command line: error: rate: expected a number from 0.0 to 1000.0, or a range from:to:step of such, got "
      "\"0.1:0.2\"\n"
      "command line: error: traffic: expected one of \"uniform\", \"clustered\", \"transpose\", "
      "\"bit-complement\", \"hotspot\", \"trace\", got \"unifrm\"; did you mean \"uniform\"?\n"
      "command line: error: bufer_depth: unknown key; did you mean \"buffer_depth\"?");
  expect_refusal({"topology=crossbar"}, 65,
                 "command line: error: topology: a crossbar has no routers to study");
}

// Rates and times that are not valid, an interval longer than the run, a checkpoint that fits nowhere, and no
// core that computes.
TEST_F(StudyCommandTest, CheckpointsThatCannotBeAreOneErrorEach) {
  const std::map<std::string, std::vector<std::string>> wrong = {
      {"markov", {"rate=[0,1e-5,1e-6]", "rate=[1e-5,-1,1e-6]", "factor=0", "shape=-1", "interval=-1s"}},
      {"interval", {"mtbf=0s", "dump=-1s", "rule=given interval=8d"}},
      {"local_global", {"mttf=-1s", "delta_g=-1s", "tau=31d", "p_l=1"}},
      {"mpp_system", {"petaflops=-1", "tau_s=0", "memory_usage=101%", "petaflops_system.sockets=0"}},
      {"gpu_system", {"exaflops=0", "gpu_failure_factor=-1", "volume=1.5"}},
      {"training_goodput",
       {"gpus=1001", "group=1", "idle=2", "file_system=0GB/s", "hbm_fit=-1", "work=0s", "purchase=all"}},
      {"semi_blocking", {"mttf=0s", "c=-1s", "tau=200s t_s=100s", "storage=half_ssd m_a=22GB", "nodes=1"}},
      {"checkpoint_location", {"ssd=0MB/s", "compute=0s", "bound=-1", "checkpoint=200GB"}},
      {"functional_partitioning", {"x=8 y=8", "x=9 y=8", "hash=0MB/s", "drain=false checkpoint=20GB"}}};
  for (const auto& [study, mistakes] : wrong)
    for (const std::string& mistake : mistakes) {
      Arguments arguments{"study", study, "--csv", "a.csv"};
      std::istringstream keys(mistake);
      std::string key;
      while (keys >> key) arguments.push_back(key);
      const Ended ended = asterism(arguments);
      EXPECT_EQ(ended.status, 65) << study << " " << mistake << ": " << ended.err;
      EXPECT_THAT(ended.err, HasSubstr(": error: ")) << study << " " << mistake;
      EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << study << " " << mistake << ": " << ended.err;
      EXPECT_TRUE(fs::is_empty(folder)) << study << " " << mistake;
    }
}

TEST_F(StudyCommandTest, WhatCannotBeGatedIsReportedAtItsKey) {
  expect_refusal({"gated=[\"LR0\"]"}, 65,
                 "command line: error: gated: router LR0 has nodes and cannot be gated");
  expect_refusal({"topology=superring", "gated=[\"GR0\"]"}, 65,
                 "command line: error: gated: with the gated routers there is no way from LR3 to LR0");
  expect_refusal(
      {"gated=[\"GR0\"]", "gated_global_routers=7"}, 65,
      "command line: error: gated_global_routers: with the gated routers there is no way from LR0 to LR1");
  const std::string too_many =
      "command line: error: gated_global_routers: there are 3 global routers to gate, not 40\n";
  for (const char* study : {"fabric", "manycore"}) {
    const Ended ended =
        asterism({"study", study, "topology=graph", "graph=small_clos", "gated_global_routers=40"});
    EXPECT_EQ(ended.status, 65) << study;
    EXPECT_EQ(ended.err, too_many) << study;
  }
}

TEST_F(StudyCommandTest, ASearchWithoutARangeIsReportedAtItsKey) {
  expect_refusal({"rate=saturation", "search.low=0.5", "search.high=0.2"}, 65,
                 "command line: error: search.high: expected more than `search.low`, 0.5, got 0.2");
  expect_refusal({"rate=saturation", "search.low=5"}, 65,
                 "command line: error: search.low: a node injects 0.744 packets per ns at most, got 5");
}

TEST_F(StudyCommandTest, AnImpossibleRecordIsReportedAtItsKey) {
  expect_refusal({"rate=saturation", "record=a.txt"}, 65,
                 "command line: error: record: a search for saturation has many runs; none is recorded");
  expect_refusal({"record=no/a.txt"}, 65,
                 "command line: error: record: no/a.txt is in a folder that there is not");
  write("mine.txt", "mine");
  const Ended ended = asterism(with(tiny, {"record=mine.txt"}));
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "command line: error: record: mine.txt exists already\n");
  EXPECT_EQ(contents("mine.txt"), "mine");
}

TEST_F(StudyCommandTest, ARecordIsATraceInEitherForm) {
  const Arguments replay{"study",        "fabric",      "topology=mesh",       "nodes=2",
                         "clock=1GHz",   "warm_up=1us", "link_cycles=1cycles", "measure=10us",
                         "traffic=trace"};
  ASSERT_EQ(asterism(with(tiny, {"record=a.txt"})).status, 0);
  ASSERT_EQ(asterism(with(replay, {"trace=a.txt", "record=b.txt", "--csv", "b.csv"})).status, 0);
  ASSERT_EQ(asterism(with(replay, {"trace=a.txt", "record=b.bin", "record_form=binary"})).status, 0);
  ASSERT_EQ(asterism(with(replay, {"trace=b.bin", "record=c.txt", "--csv", "c.csv"})).status, 0);
  EXPECT_THAT(contents("b.bin"), StartsWith("asttrace"));
  EXPECT_FALSE(exists("b.bin.partial"));
  EXPECT_EQ(contents("c.txt"), contents("b.txt"));
  EXPECT_EQ(contents("c.csv"), contents("b.csv"));
  EXPECT_EQ(asterism(with(tiny, {"record_form=binary"})).err,
            "command line: error: record_form: there is no `record` to write so\n");
}

TEST_F(StudyCommandTest, ARateThatASearchWouldIgnoreIsAMistake) {
  expect_refusal({"topology=mesh", "saturation=true", "rate=0.1"}, 65,
                 "command line: error: rate: saturation=true would ignore it; rate=saturation searches");
  expect_refusal({"topology=mesh", "nodes=4", "clock=1GHz", "rate_unit=per_cycle", "rate=0.5"}, 65,
                 "command line: error: rate: a node injects 0.25 packets per cycle at most, got 0.5");
}

TEST_F(StudyCommandTest, ATraceHasNoRateAboveItsTable) {
  write("t.txt", "0 1 5ns 64B\n");
  const Ended ended = asterism(
      {"study", "fabric", "topology=mesh", "nodes=4", "traffic=trace", "trace=t.txt", "warm_up=0ns"});
  EXPECT_THAT(ended.out, StartsWith("topology=mesh traffic=trace nodes=4 trace=t.txt warm_up=0ns\n"))
      << ended.err;
}

TEST_F(StudyCommandTest, AnErrorInATraceIsReportedWithItsLine) {
  write("t.txt", "0 1 5ns 64B\n1 x 6ns 64B\n");
  const Ended ended =
      asterism({"study", "fabric", "topology=mesh", "nodes=4", "traffic=trace", "trace=t.txt"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("trace: t.txt:2: "));
}

TEST_F(StudyCommandTest, AGraphThatCouldDeadlockIsRefusedWithItsCycle) {
  fs::copy(source_configs(), folder / "configs", fs::copy_options::recursive);
  environment["ASTERISM_CONFIGS"] = (folder / "configs").string();
  write("configs/graphs/ring.json", R"({
    "routers": [ { "name": "A", "x": "0mm", "y": "0mm" }, { "name": "B", "x": "1mm", "y": "0mm" },
                 { "name": "C", "x": "1mm", "y": "1mm" }, { "name": "D", "x": "0mm", "y": "1mm" } ],
    "links": [ { "from": "A", "to": "B" }, { "from": "B", "to": "C" }, { "from": "C", "to": "D" }, { "from": "D", "to": "A" } ],
    "nodes": [ { "router": "A" }, { "router": "B" }, { "router": "C" }, { "router": "D" } ],
    "routes": [ { "path": ["A", "B", "C"] }, { "path": ["B", "C", "D"] }, { "path": ["C", "D", "A"] }, { "path": ["D", "A", "B"] } ]
  })");
  const Ended ended = asterism({"study", "fabric", "topology=graph", "graph=ring"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err,
              HasSubstr("packets could block each other for ever: A->B -> B->C -> C->D -> D->A -> A->B\n"));
  const Ended checked = asterism({"check", "configs/graphs/ring.json"});
  EXPECT_EQ(checked.status, 65);
  EXPECT_EQ(checked.out, "");
  EXPECT_THAT(checked.err, HasSubstr("ring.json"));
  EXPECT_THAT(checked.err, HasSubstr("block each other for ever: A->B -> B->C -> C->D -> D->A -> A->B\n"));
}

TEST_F(StudyCommandTest, AGraphInPiecesIsRefusedByTheCheck) {
  const std::string routers =
      R"("routers": [ { "name": "A", "x": "0mm", "y": "0mm" }, { "name": "B", "x": "1mm", "y": "0mm" },
    { "name": "C", "x": "1mm", "y": "1mm" } ], "nodes": [ { "router": "A" }, { "router": "C" } ], )";
  write("pieces.json", "{" + routers + R"("links": [ { "from": "A", "to": "B" } ] })");
  write("unknown.json", "{" + routers + R"("links": [ { "from": "A", "to": "D" } ] })");
  for (const std::string file : {"pieces.json", "unknown.json"}) {
    const Ended ended = asterism({"check", file});
    EXPECT_EQ(ended.status, 65) << ended.out;
    EXPECT_THAT(ended.err, StartsWith(file));
  }
}

TEST_F(StudyCommandTest, AnOutputThatFailsDoesNotLoseTheOthers) {
  const Ended ended = asterism(with(tiny, {"--csv", "/dev/full", "--json", "a.json", "--out", "all"}));
  EXPECT_EQ(ended.status, 70);
  EXPECT_EQ(ended.err,
            "command line: error: --csv: /dev/full cannot be written to the end: No space left on device\n");
  EXPECT_TRUE(exists("a.json"));
  EXPECT_TRUE(exists("all/results.csv"));
}

// There is room for a report of the failure, but it does not belong there.
TEST_F(StudyCommandTest, AFullDiskIsNoMistakeOfTheCheckedFile) {
  const Ended ended =
      program("/bin/sh", {"-c", fmt::format("ulimit -f 1; trap '' XFSZ; '{}' check fabric --json a.json",
                                            asterism_program.string())});
  EXPECT_EQ(ended.status, 70);
  EXPECT_THAT(ended.err, HasSubstr("--json: a.json cannot be written to the end: File too large"));
  EXPECT_FALSE(exists("a.json"));
}

TEST_F(StudyCommandTest, AFullDiskIsNoMistakeOfTheUser) {
  for (const char* option : {"--csv", "--json", "--report"}) {
    const Ended ended = asterism(with(tiny, {option, "/dev/full"}));
    EXPECT_EQ(ended.status, 70);
    EXPECT_EQ(ended.err, fmt::format("command line: error: {}: /dev/full cannot be written to the end: No "
                                     "space left on device\n",
                                     option));
  }
  const Ended ended =
      program("/bin/sh", {"-c", fmt::format("'{}' list studies > /dev/full", asterism_program.string())});
  EXPECT_EQ(ended.status, 70);
  EXPECT_EQ(ended.err, "asterism: standard output cannot be written: No space left on device\n");
}

TEST_F(StudyCommandTest, AnOutputThatCannotBeWrittenCostsNoRun) {
  EXPECT_EQ(asterism(with(tiny, {"--svg", "nowhere/a.svg"})).err,
            "command line: error: --svg: nowhere/a.svg cannot be written: No such file or directory\n");
  fs::create_directory(folder / "mine");
  write("mine/notes.txt", "mine");
  EXPECT_EQ(asterism(with(tiny, {"--out", "mine"})).status, 65);
  EXPECT_EQ(contents("mine/notes.txt"), "mine");
}

TEST_F(StudyCommandTest, ANameThatThereIsNotNamesTheNearest) {
  const Ended ended = asterism({"study", "fabrik"});
  EXPECT_EQ(ended.status, 66);
  EXPECT_THAT(ended.err, EndsWith("did you mean \"fabric\"?\n"));
  EXPECT_THAT(asterism({"study", "goodput"}).err, EndsWith("did you mean \"training_goodput\"?\n"));
  EXPECT_THAT(asterism({"check", "llama3"}).err, EndsWith("configs/; did you mean \"llama3_405b\"?\n"));
  EXPECT_THAT(asterism({"paper", "training.lama3"}).err, EndsWith("did you mean \"training.llama3\"?\n"));
  const Ended list = asterism({"list", "failure"});
  EXPECT_EQ(list.status, 64);
  EXPECT_THAT(list.err, StartsWith("WHAT: there is no list \"failure\"; did you mean \"failures\"?\n"));
}

TEST_F(StudyCommandTest, AnEntryOfAListIsALineUnlessItGoesToATerminal) {
  for (const char* list : {"papers", "device_types", "topologies"}) {
    const std::string text = asterism({"list", list}).out;
    EXPECT_EQ(text.find("\n "), std::string::npos) << list;
  }
  EXPECT_GT(widest_line(asterism({"list", "papers"}).out), 80u);
}

TEST_F(StudyCommandTest, StudiesAreCheckedListedAndDocumented) {
  const Ended checked = asterism({"check", "fabric", "rate=0.01:0.03:0.01"});
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_EQ(nlohmann::json::parse(checked.out).at("rate"), (std::vector<double>{0.01, 0.02, 0.03}));
  EXPECT_THAT(asterism({"list", "studies"}).out, HasSubstr("fabric\n"));
  EXPECT_THAT(asterism({"list", "papers"}).out, HasSubstr("abeyratne2017.fig3.11 "));
  EXPECT_THAT(asterism({"schema", "study", "--text"}).out, HasSubstr("virtual_channels = 4"));
  EXPECT_EQ(nlohmann::json::parse(asterism({"schema", "study"}).out).at("title"), "Asterism study");
}

TEST_F(StudyCommandTest, TheKeysOfOneStudyArePrintedByItsName) {
  const std::string of_kind = asterism({"schema", "study", "training_goodput", "--text"}).out;
  EXPECT_THAT(of_kind, HasSubstr("spares = "));
  EXPECT_THAT(of_kind, testing::Not(HasSubstr("virtual_channels")));
  EXPECT_THAT(asterism({"schema", "study", "hbm_faults", "--text"}).out, HasSubstr("sector_code = "));
  const Ended mistaken = asterism({"schema", "training_goodput"});
  EXPECT_EQ(mistaken.status, 64);
  EXPECT_THAT(mistaken.err, HasSubstr("asterism schema study training_goodput --text"));
  EXPECT_THAT(asterism({"schema", "study", "trainings"}).err, HasSubstr("STUDY: expected a kind of study"));
  EXPECT_EQ(asterism({"schema", "node", "cxl"}).status, 64);
}

TEST_F(StudyCommandTest, ACampaignIsFoundWhereStudiesAre) {
  EXPECT_THAT(asterism({"list", "studies"}).out, HasSubstr("\ncampaign\n"));
  EXPECT_THAT(asterism({"study", "campain"}).err, HasSubstr("did you mean \"campaign\"?"));
  EXPECT_THAT(asterism({"schema", "campaign", "--text"}).out, HasSubstr("junit = "));
}

TEST_F(StudyCommandTest, EveryFolderOfConfigsIsAKindThatIsListedAndChecked) {
  for (const auto& kind : fs::directory_iterator(source_configs())) {
    const std::string name = kind.path().filename();
    if (!kind.is_directory()) continue;
    const Ended list = asterism({"list", name});
    EXPECT_EQ(list.status, 0) << list.err;
    const std::string first = list.out.substr(0, list.out.find('\n')) + ".json";
    const Ended checked = asterism({"check", (kind.path() / first).string()});
    EXPECT_EQ(checked.status, 0) << checked.err;
  }
}

TEST_F(StudyCommandTest, PublishedValuesAreRecognisedByTheirEntries) {
  write("mine.json", R"({"reference": "A paper", "studies": {"s": "swizzle_switch"},
    "entries": [{"id": "fig1", "title": "T", "vales": []}]})");
  const Ended ended = asterism({"check", "mine.json"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(ended.err, "mine.json:2:46: error: entries.0.vales: unknown key; did you mean \"values\"?\n");
  EXPECT_THAT(asterism({"schema", "published", "--text"}).out, HasSubstr("stated_in"));
}

TEST_F(StudyCommandTest, EveryShippedStudyIsSound) {
  for (const auto& entry : fs::directory_iterator(source_configs() / "studies")) {
    const Ended ended = asterism({"check", entry.path().string()});
    EXPECT_EQ(ended.status, 0) << entry.path() << ended.err;
  }
}

// The other entries of the paper take minutes.
TEST_F(StudyCommandTest, TablesOfThePaperHold) {
  const Ended ended = asterism(
      {"paper", "abeyratne2017.table", "abeyratne2017.fig3.3", "abeyratne2017.fig3.13", "--out", "out"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("values\n  exact                   77/77\n  predicted                 6/6\n"));
  EXPECT_TRUE(exists("out/abeyratne2017.fig3.13.svg"));
  EXPECT_THAT(
      contents("out/abeyratne2017.table3.2.csv"),
      HasSubstr(
          "abeyratne2017.table3.2,\"mesh, local routers\",,576,576,0,exact,0,,,,,ok,Table 3.2,,,,,,\n"));
}

TEST_F(StudyCommandTest, AFolderWithSomebodysOwnTablesIsNoPapersFolder) {
  for (const std::string mine : {"mine", "b.partial"}) {
    fs::create_directory(folder / mine);
    write(mine + "/summary.txt", "mine");
    write(mine + "/results.csv", "mine");
  }
  const Ended named = asterism({"paper", "abeyratne2017.fig3.3", "--out", "mine"});
  EXPECT_EQ(named.status, 65);
  EXPECT_THAT(named.err, HasSubstr("exists and holds something else"));
  EXPECT_EQ(asterism({"paper", "abeyratne2017.fig3.3", "--out", "b"}).status, 65);
  EXPECT_EQ(contents("mine/results.csv"), "mine");
  EXPECT_EQ(contents("b.partial/results.csv"), "mine");
  ASSERT_EQ(asterism({"paper", "abeyratne2017.table3.3", "--out", "out"}).status, 0);
  EXPECT_EQ(asterism({"paper", "abeyratne2017.fig3.3", "--out", "out"}).status, 0);
  EXPECT_FALSE(exists("out/abeyratne2017.table3.3.csv"));
}

TEST_F(StudyCommandTest, AnEntryThatIsOffMakesTheStatusOne) {
  fs::copy(source_configs(), folder / "configs", fs::copy_options::recursive);
  environment["ASTERISM_CONFIGS"] = (folder / "configs").string();
  write("configs/published/p.json", R"({"reference": "A paper", "studies": {"s": "swizzle_switch radix=64"},
    "entries": [{"id": "fig1", "title": "T", "values": [{"what": "clock", "published": 2, "unit": "GHz",
      "measured": "frequency_ghz(s) ", "class": "predicted", "tolerance": 0.1, "stated_in": "section 1"}]}]})");
  const Ended ended = asterism({"paper", "p.fig1"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, ContainsRegex("clock .GHz. +2 +1.502 +-24.9% predicted 10% +OFF\n"));
}

// A trial of snapshots does not check for an interruption, and this one is long.
TEST_F(StudyCommandTest, AnInterruptedPaperLeavesNoFiles) {
  fs::copy(source_configs(), folder / "configs", fs::copy_options::recursive);
  environment["ASTERISM_CONFIGS"] = (folder / "configs").string();
  write("configs/published/p.json", R"({"reference": "A paper",
    "studies": {"s": "snapshot_truth gpus=8 trial_snapshots=10000 interleavings=1"},
    "entries": [{"id": "fig1", "title": "T", "values": [{"what": "trials", "published": 2, "unit": "",
      "measured": "trials(s) ", "class": "predicted", "tolerance": 0.1, "stated_in": "section 1"}]}]})");
  Running running = start({"paper", "p.fig1", "--json", "a.json", "--out", "out"});
  for (int i = 0; i < 5000 && !(exists("a.json.partial") && exists("out.partial")); ++i) usleep(1000);
  usleep(300'000);
  running.signal(SIGINT);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("interrupted: nothing was compared"));
  for (const char* file : {"a.json", "a.json.partial", "out", "out.partial"})
    EXPECT_FALSE(exists(file)) << file;
}

// The other entry's point is done at once.
TEST_F(StudyCommandTest, AnInterruptedPaperKeepsTheEntriesThatAreDone) {
  fs::copy(source_configs(), folder / "configs", fs::copy_options::recursive);
  environment["ASTERISM_CONFIGS"] = (folder / "configs").string();
  write("configs/published/p.json", R"({"reference": "A paper", "studies": {
      "a": "swizzle_switch radix=64", "s": "snapshot_truth gpus=8 trial_snapshots=10000 interleavings=1"},
    "entries": [
      {"id": "fig1", "title": "T", "values": [{"what": "ports", "published": 64, "unit": "",
        "measured": "radix(a) ", "class": "exact", "stated_in": "section 1"}]},
      {"id": "fig2", "title": "T", "values": [{"what": "trials", "published": 2, "unit": "",
        "measured": "trials(s) ", "class": "predicted", "tolerance": 0.1, "stated_in": "section 1"}]}]})");
  Running running = start({"paper", "p.", "--json", "a.json", "--out", "out"});
  for (int i = 0; i < 5000 && !(exists("a.json.partial") && exists("out.partial")); ++i) usleep(1000);
  usleep(300'000);
  running.signal(SIGINT);
  const Ended ended = running.wait();
  EXPECT_EQ(ended.status, 130) << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex("ports +64 +64 +0.0% exact +ok\n"));
  EXPECT_THAT(ended.out, HasSubstr("interrupted: 1 of 2 entries were compared\n"));
  EXPECT_FALSE(exists("a.json") || exists("out"));
  EXPECT_TRUE(exists("a.json.partial") && exists("out.partial/p.fig1.csv"));
  EXPECT_FALSE(exists("out.partial/p.fig2.csv"));
}

TEST_F(StudyCommandTest, PaperRefusesAFileToCompareWithBeforeItRuns) {
  const auto refused = [&](const std::string& file) {
    const Ended ended = asterism({"paper", "abeyratne2017.table3.3", "--diff", file, "--json", "new.json"});
    EXPECT_EQ(ended.out, "");
    EXPECT_FALSE(exists("new.json") || exists("new.json.partial"));
    return std::to_string(ended.status) + " " + ended.err;
  };
  EXPECT_EQ(refused("none.json"), "66 command line: error: --diff: none.json cannot be read\n");
  fs::create_directory(folder / "a");
  EXPECT_EQ(refused("a"), "65 command line: error: --diff: a is a folder\n");
  for (const char* text :
       {"", "[]", "{}", R"({"entries": 5})", R"({"entries": [{"id": "a", "values": []}]})",
        R"({"entries": [{"id": "a", "values": 5, "claims": []}]})",
        R"({"entries": [{"id": 5, "values": [], "claims": []}]})",
        R"({"entries": [{"id": "a", "values": [{"what": 5, "class": "exact"}], "claims": []}]})"}) {
    write("b.json", text);
    EXPECT_EQ(refused("b.json"),
              "65 command line: error: --diff: b.json is no file that `asterism paper --json` has written\n");
  }
}

TEST_F(StudyCommandTest, PaperRefusesNamesOfNothing) {
  const Ended empty = asterism({"paper", ""});
  EXPECT_EQ(empty.status, 64);
  EXPECT_THAT(empty.err, HasSubstr("expected a value, got \"\""));
  EXPECT_THAT(asterism({"paper", "--class", "predictd"}).err,
              HasSubstr("there is no class \"predictd\"; did you mean \"predicted\"?"));
  EXPECT_EQ(asterism({"paper", "--class", "xyz"}).status, 64);
}

TEST_F(StudyCommandTest, OnlyKeysThatAStudyTakesAreOffered) {
  EXPECT_THAT(asterism({"schema", "study", "--text"}).out, testing::Not(HasSubstr("arbiter")));
  const Ended ended = asterism({"study", "fabric", "arbiter.impl=rtl"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err,
              testing::StartsWith("command line: error: arbiter: unknown key; the keys here are topology,"));
}

// Nothing is injected at a rate of 0.
TEST_F(StudyCommandTest, PacketsThatAreNotDeliveredHaveNoHops) {
  Arguments none = tiny;
  none.insert(none.end(), {"rate=0", "--csv", "t.csv"});
  EXPECT_EQ(asterism(none).status, 0);
  EXPECT_EQ(first_row("t.csv")["packets_delivered"], "0");
  EXPECT_EQ(first_row("t.csv")["hops"], "");
}

// The shipped file names no pattern, which would contradict the trace.
TEST_F(StudyCommandTest, ATraceOfTheUsersTakesThePlaceOfThePattern) {
  write("a", "R 0\nR 40\n");
  write("b", "W 0\n");
  const Ended ended = asterism({"study", "memory", "trace=a,b", "--csv", "t.csv"});
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(first_row("t.csv")["reads"], "2");
}

}  // namespace
}  // namespace asterism
